//! A value that is worked out when first asked for.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// A value that is worked out when first asked for, once for all who share it.
pub struct Deferred<T>(Arc<LazyLock<T, Box<dyn FnOnce() -> T + Send>>>);

impl<T> Deferred<T> {
    /// The value that `work` gives.
    pub fn new(work: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(work))))
    }
}

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for Deferred<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: fmt::Debug> fmt::Debug for Deferred<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
