//! The file systems on which a journal works.

use std::io;
use std::path::Path;

use super::super::JournalError;
use crate::model::error::ErrorCode;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) use linux::{is_in_memory, refuse_mount_of_file, refuse_network};
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) use others::{is_in_memory, refuse_mount_of_file, refuse_network};
use payments_base::private_file::shown;

pub(super) fn unavailable(what: &str, path: &Path, error: &io::Error) -> JournalError {
    JournalError::new(format!("could not {what} {}: {error}", shown(path)))
}

fn unreliable(folder: &Path, name: &str) -> JournalError {
    JournalError::with_code(
        ErrorCode::PLACE_UNSAFE,
        format!(
            "{} is on {name}, where locks are not reliable; put the journal on a disk of this \
             host, or keep it in a database of your own",
            shown(folder)
        ),
    )
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux {
    use std::path::Path;

    use super::{ErrorCode, JournalError, shown, unavailable, unreliable};

    /// Locks and shared memory of SQLite do not work between hosts.
    pub(in super::super) fn refuse_network(folder: &Path) -> Result<(), JournalError> {
        let magic = magic_of(folder).map_err(|error| unavailable("inspect", folder, &error))?;
        refuse_shared(folder, magic)
    }

    /// Refuses a folder whose file system has this number, if several hosts share it.
    fn refuse_shared(folder: &Path, magic: u32) -> Result<(), JournalError> {
        /// Magic numbers of file systems that several hosts can mount.
        const SHARED: [(u32, &str); 14] = [
            (0x0000_6969, "NFS"),
            (0x0000_517B, "SMB"),
            (0xFF53_4D42, "CIFS"),
            (0xFE53_4D42, "SMB2"),
            (0x5346_414F, "AFS"),
            (0x00C3_6400, "Ceph"),
            (0x0102_1997, "9P"),
            (0x0BD0_0BD0, "Lustre"),
            (0x0116_1970, "GFS2"),
            (0x7461_636F, "OCFS2"),
            (0x7375_7245, "Coda"),
            (0x4750_4653, "GPFS"),
            (0x1983_0326, "BeeGFS"),
            (0x6573_5546, "FUSE"),
        ];
        match SHARED.iter().find(|(number, _)| *number == magic) {
            None => Ok(()),
            Some((_, name)) => Err(unreliable(folder, name)),
        }
    }

    /// The number that the kernel gives the file system of `path`.
    fn magic_of(path: &Path) -> std::io::Result<u32> {
        // The kernel's type is signed on some targets, and wider on others.
        Ok((rustix::fs::statfs(path)?.f_type as u64 & 0xFFFF_FFFF) as u32)
    }

    /// Whether a power failure clears the file system of `path`.
    pub(in super::super) fn is_in_memory(path: &Path) -> bool {
        const TMPFS: u32 = 0x0102_1994;
        const RAMFS: u32 = 0x8584_58F6;
        magic_of(path).is_ok_and(|magic| [TMPFS, RAMFS].contains(&magic))
    }

    /// Refuses a file that is mounted alone, as into a container: SQLite finds
    /// the write-ahead log by the path, and in another folder there is another one.
    pub(in super::super) fn refuse_mount_of_file(
        folder: &Path,
        file: &Path,
    ) -> Result<(), JournalError> {
        match (mount_of(folder), mount_of(file)) {
            (Some(outer), Some(inner)) if outer != inner => Err(JournalError::with_code(
                ErrorCode::PLACE_UNSAFE,
                format!(
                    "{} is mounted by itself, so its write-ahead log is not beside it elsewhere; mount \
                     its folder instead",
                    shown(file)
                ),
            )),
            _ => Ok(()),
        }
    }

    /// The number of the mount of `path`. Closing a descriptor of `O_PATH` does not
    /// release the locks that this process has on the file.
    fn mount_of(path: &Path) -> Option<u64> {
        use std::os::fd::AsRawFd as _;

        use rustix::fs::{Mode, OFlags, open};

        let opened =
            open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let info = format!("/proc/self/fdinfo/{}", opened.as_raw_fd());
        let info = std::fs::read_to_string(info).ok()?;
        info.lines().find_map(|line| line.strip_prefix("mnt_id:")?.trim().parse().ok())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_file_system_that_hosts_share_is_refused_by_its_name() {
            const EXT4: u32 = 0xEF53;
            let refused = |magic| {
                refuse_shared(Path::new("/srv/shop"), magic)
                    .map_err(|error| error.outside_of_calls())
            };
            assert!(refused(EXT4).is_ok());
            let error = refused(0x6969).unwrap_err();
            assert_eq!(error.code(), ErrorCode::PLACE_UNSAFE);
            assert!(error.message().starts_with("/srv/shop is on NFS, where"), "{error}");
            let error =
                refuse_network(Path::new("/srv/no such folder")).unwrap_err().outside_of_calls();
            assert!(error.message().starts_with("could not inspect /srv/no such"), "{error}");
        }
    }
}

/// macOS and BSD, which tell the file systems of this host from others.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod others {
    use std::path::Path;

    use rustix::fs::{StatFs, statfs};

    use super::{JournalError, unavailable, unreliable};

    /// Locks and shared memory of SQLite do not work between hosts.
    pub(in super::super) fn refuse_network(folder: &Path) -> Result<(), JournalError> {
        /// `MNT_LOCAL`: the file system is stored on this host.
        const LOCAL: u64 = 0x1000;
        let stat = statfs(folder).map_err(|error| unavailable("inspect", folder, &error.into()))?;
        match u64::from(stat.f_flags) & LOCAL {
            0 => Err(unreliable(folder, &name_of(&stat))),
            _ => Ok(()),
        }
    }

    /// Whether a power failure clears the file system of `path`.
    pub(in super::super) fn is_in_memory(path: &Path) -> bool {
        statfs(path).is_ok_and(|stat| ["tmpfs", "mfs"].contains(&name_of(&stat).as_str()))
    }

    /// These systems only mount folders.
    pub(in super::super) fn refuse_mount_of_file(_: &Path, _: &Path) -> Result<(), JournalError> {
        Ok(())
    }

    fn name_of(stat: &StatFs) -> String {
        let name = stat.f_fstypename.iter().take_while(|it| **it != 0);
        name.map(|it| char::from(it.to_ne_bytes()[0])).collect()
    }
}
