//! Who owns a record, and who reads it.

use serde::{Deserialize, Serialize};

use super::GovernedError;

/// A tenant, and a user in it. Without a user: what everyone in the tenant shares.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "(String, Option<String>)", into = "(String, Option<String>)")]
pub struct Scope {
    tenant: String,
    user: Option<String>,
}

impl Scope {
    /// The scope of one user, or the shared one of a tenant.
    ///
    /// # Errors
    /// If a name is empty: an empty user would make the ids of the tenant's shared records.
    pub fn new(tenant: impl Into<String>, user: Option<String>) -> Result<Self, GovernedError> {
        let tenant = tenant.into();
        if tenant.is_empty() {
            return Err(GovernedError::EmptyName("tenant"));
        }
        if user.as_ref().is_some_and(String::is_empty) {
            return Err(GovernedError::EmptyName("user"));
        }
        Ok(Self { tenant, user })
    }

    /// The tenant.
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// The user; `None` is shared in the tenant.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// Whether a reader in this scope may see a row of `owner`: its own, or one that its tenant shares.
    pub fn reads(&self, owner: &Self) -> bool {
        self.tenant == owner.tenant && (owner.user.is_none() || self.user == owner.user)
    }

    /// The user as a column holds it: empty for a shared row.
    pub(super) fn user_column(&self) -> &str {
        self.user.as_deref().unwrap_or("")
    }

    /// The scope of two columns.
    pub(super) fn of_columns(tenant: String, user: String) -> Self {
        Self { tenant, user: (!user.is_empty()).then_some(user) }
    }
}

impl TryFrom<(String, Option<String>)> for Scope {
    type Error = GovernedError;

    fn try_from((tenant, user): (String, Option<String>)) -> Result<Self, GovernedError> {
        Self::new(tenant, user)
    }
}

impl From<Scope> for (String, Option<String>) {
    fn from(Scope { tenant, user }: Scope) -> Self {
        (tenant, user)
    }
}

impl std::fmt::Display for Scope {
    /// `tenant/user`, or `tenant` where it is shared.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.user {
            Some(user) => write!(formatter, "{}/{user}", self.tenant),
            None => formatter.write_str(&self.tenant),
        }
    }
}
