//! The header of a journal's file, read without SQLite and its write-ahead log.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use payments_base::process::{PerProcess, lock};
use payments_base::standard_streams;

use super::file::FileIdentity;

/// Never closed: that would release the locks that SQLite has on the file in this
/// process.
static OPEN: LazyLock<PerProcess<Mutex<HashMap<FileIdentity, File>>>> =
    LazyLock::new(|| PerProcess::new(Mutex::default(), |_| Mutex::default()));

/// Whether the file at `path` says that it is in rollback mode.
pub(super) fn says_rollback_mode(path: &Path, identity: FileIdentity) -> io::Result<bool> {
    let open = OPEN.get();
    let mut open = lock(&open);
    let is_open = |it: &&File| it.metadata().is_ok_and(|it| FileIdentity::of(&it) == identity);
    if open.get(&identity).filter(is_open).is_none() {
        standard_streams::occupy();
        let file = File::open(path)?;
        let opened = FileIdentity::of(&file.metadata()?);
        // If there was one, the program has closed it, and its number may be that of a
        // file of the program.
        if let Some(same) = open.insert(opened, file) {
            std::mem::forget(same);
        }
    }
    let Some(file) = open.get(&identity) else { return Ok(false) };
    // The versions for writing and reading follow the name and the page size.
    let mut header = [0; 20];
    file.read_exact_at(&mut header, 0)?;
    Ok(header.starts_with(b"SQLite format 3\0") && header[18..] == [1, 1])
}
