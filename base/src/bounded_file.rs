//! Reads files that may hold secrets, up to a limit.

use std::fs::File;
use std::io::{self, Read as _};

use zeroize::Zeroizing;

/// Most secrets, also those of a pipe, which has no length, take less.
const COMMON: usize = 16 * 1024;

/// Reads `file`. `None` if it has more than `most` bytes. Reads a plain file into
/// a buffer that never grows, so that no copy of a secret is left behind.
///
/// # Errors
/// It cannot be read.
pub fn read_at_most(file: File, most: usize) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let mut contents = Zeroizing::new(Vec::with_capacity(length.max(COMMON).min(most) + 1));
    file.take(most as u64 + 1).read_to_end(&mut contents)?;
    Ok((contents.len() <= most).then_some(contents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_read_beyond_the_limit() {
        let path = std::env::temp_dir().join(format!("bounded-{}", std::process::id()));
        for (length, is_read) in [(0, true), (9, true), (10, true), (11, false)] {
            std::fs::write(&path, vec![b'a'; length]).unwrap();
            let contents = read_at_most(File::open(&path).unwrap(), 10).unwrap();
            let expected = is_read.then_some(length);
            assert_eq!(contents.map(|it| it.len()), expected);
        }
        std::fs::remove_file(&path).unwrap();
        if cfg!(unix) {
            let endless = File::open("/dev/zero").unwrap();
            assert!(read_at_most(endless, 100_000).unwrap().is_none());
        }
    }
}
