//! Descriptors that other code of the process may close, although they are not
//! its own: a daemon closes all of them, and its next files get their numbers.

/// A file or socket. If its descriptor is closed or another file now, it is left
/// alone, and not closed either.
pub struct OwnDescriptor<T: Descriptor> {
    /// `Some` until it is dropped.
    held: Option<T>,
    opened: Option<FileId>,
}

/// The device and inode of an open file.
type FileId = (u64, u64);

/// Something with a descriptor.
pub trait Descriptor {
    /// The file that is open under the descriptor now.
    fn file_id(&self) -> Option<FileId>;
}

#[cfg(unix)]
impl<T: std::os::fd::AsFd> Descriptor for T {
    fn file_id(&self) -> Option<FileId> {
        let stat = rustix::fs::fstat(self).ok()?;
        // Their types differ between systems.
        #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss)]
        Some((stat.st_dev as u64, stat.st_ino as u64))
    }
}

/// Code on Windows does not close handles by their numbers.
#[cfg(windows)]
impl<T> Descriptor for T {
    fn file_id(&self) -> Option<FileId> {
        Some((0, 0))
    }
}

impl<T: Descriptor> OwnDescriptor<T> {
    /// Takes `held`, which has just been opened.
    pub fn new(held: T) -> Self {
        let opened = held.file_id();
        Self { held: Some(held), opened }
    }

    /// The file or socket, unless its descriptor is another one now.
    pub fn get(&self) -> Option<&T> {
        self.held.as_ref().filter(|held| self.opened.is_some() && held.file_id() == self.opened)
    }
}

impl<T: Descriptor> Drop for OwnDescriptor<T> {
    fn drop(&mut self) {
        if self.get().is_none() {
            std::mem::forget(self.held.take());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;
    use std::io::{Read as _, Write as _};
    use std::os::fd::AsFd as _;

    use super::*;
    use crate::test_folder::Folder;

    #[test]
    fn a_descriptor_that_is_another_file_now_is_left_alone() {
        let folder = Folder::made();
        let open = |name: &str| File::create_new(folder.path().join(name)).unwrap();
        let own = OwnDescriptor::new(open("ours"));
        assert!(own.get().is_some());
        // A program closed the descriptor, and its own file got the number.
        let number = own.held.as_ref().unwrap().as_fd();
        let mut theirs = number.try_clone_to_owned().unwrap();
        rustix::io::dup2(open("theirs"), &mut theirs).unwrap();
        let foreign = OwnDescriptor { held: Some(theirs), opened: own.opened };
        assert!(foreign.get().is_none());
        let held = foreign.held.as_ref().unwrap().try_clone().unwrap();
        drop(foreign);
        File::from(held).write_all(b"still open").unwrap();
        let mut text = String::new();
        File::open(folder.path().join("theirs")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "still open");
    }
}
