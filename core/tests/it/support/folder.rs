//! Folders of tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed with its contents.
pub struct Folder(PathBuf);

impl Folder {
    /// The path of a folder that is not there yet.
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("payments-folder-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            // A process with this pid may have been killed, and have left its folders.
            if !path.exists() {
                return Self(path);
            }
        }
    }

    /// An empty folder.
    pub fn made() -> Self {
        let folder = Self::new();
        std::fs::create_dir_all(&folder.0).unwrap();
        folder
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file in it.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, contents).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
