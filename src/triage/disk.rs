//! Replacing a file whole or not at all.
//!
//! Each step that a kill could fall between is a method of [`Disk`], so that a test can stop after any of them.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The steps by which a file is replaced.
pub trait Disk {
    /// Begins a new file with the permissions of `like`, if that is there. What a killed run left at `path` is dropped.
    ///
    /// # Errors
    /// The system refuses.
    fn create(&mut self, path: &Path, like: &Path) -> io::Result<()>;

    /// Appends to the file that was begun.
    ///
    /// # Errors
    /// The system refuses; part of it may be written.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Waits until the file that was begun is on the disk.
    ///
    /// # Errors
    /// The system refuses.
    fn sync(&mut self) -> io::Result<()>;

    /// Gives a file another name, in one step, in place of what has that name.
    ///
    /// # Errors
    /// The system refuses; nothing is changed then.
    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()>;

    /// Waits until the names in a folder are on the disk.
    ///
    /// # Errors
    /// The system refuses.
    fn sync_folder(&mut self, folder: &Path) -> io::Result<()>;

    /// Removes a file that must not stay behind.
    fn remove(&mut self, path: &Path);
}

/// The real one.
#[derive(Debug, Default)]
pub struct RealDisk {
    file: Option<File>,
}

impl RealDisk {
    fn begun(&mut self) -> io::Result<&mut File> {
        self.file.as_mut().ok_or_else(|| io::Error::other("no file was begun"))
    }
}

impl Disk for RealDisk {
    fn create(&mut self, path: &Path, like: &Path) -> io::Result<()> {
        // A fresh file, never one that somebody linked to another place under the same name.
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = File::create_new(path)?;
        if let Ok(known) = std::fs::metadata(like) {
            file.set_permissions(known.permissions())?;
        }
        self.file = Some(file);
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.begun()?.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.begun()?.sync_all()
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.file = None;
        std::fs::rename(from, to)
    }

    fn sync_folder(&mut self, folder: &Path) -> io::Result<()> {
        // Only Unix lets a folder be opened; elsewhere the rename is as durable as the system makes it.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }

    fn remove(&mut self, path: &Path) {
        self.file = None;
        let _ = std::fs::remove_file(path);
    }
}

/// The folder of a file; the current one for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Temporary files are for their owner only; what they become is as readable as any other file.
///
/// # Errors
/// The system refuses.
#[cfg(unix)]
pub fn readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

/// Temporary files are for their owner only; what they become is as readable as any other file.
///
/// # Errors
/// None here.
#[cfg(not(unix))]
pub fn readable(_: &File) -> io::Result<()> {
    Ok(())
}

/// A hidden neighbour of a file: `.NAME.SUFFIX`.
pub fn neighbour(path: &Path, suffix: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    folder_of(path).join(format!(".{name}.{suffix}"))
}

/// Replaces a file: a new one is written beside it, made durable, and takes its name. The caller holds the file's lock, so
/// that nobody else writes the same neighbour.
///
/// # Errors
/// The step that failed, and why. The file is as it was, except where only the last step failed (its name is new, but may
/// not be durable yet).
pub fn replace(disk: &mut dyn Disk, path: &Path, text: &str) -> Result<(), (&'static str, io::Error)> {
    let fresh = neighbour(path, "new");
    let written = disk
        .create(&fresh, path)
        .map_err(|error| ("made", error))
        .and_then(|()| disk.write(text.as_bytes()).map_err(|error| ("written", error)))
        .and_then(|()| disk.sync().map_err(|error| ("written to the disk", error)))
        .and_then(|()| disk.rename(&fresh, path).map_err(|error| ("put in place", error)));
    if written.is_err() {
        disk.remove(&fresh);
        return written;
    }
    disk.sync_folder(folder_of(path)).map_err(|error| ("made durable", error))
}
