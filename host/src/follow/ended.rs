//! Items that have ended and were reported: there may be a million of them, so
//! each takes a few bytes.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::item::Key;
use super::time::{DAY, HOUR};

const HEAD: &str = "{\"ended\":\"";
const SEEN: &str = "\",\"seen\":";
/// The hour of marks that are never left out.
const KEPT: u32 = u32::MAX;

/// Distinguishes items, like their keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Mark([u8; 16]);

impl Mark {
    pub(super) fn of(key: &Key) -> Self {
        let mut digest = Sha256::new();
        for part in key.parts() {
            // A missing part differs from an empty one.
            let length = part.map_or(u64::MAX, |part| part.len() as u64);
            digest.update(length.to_be_bytes());
            digest.update(part.unwrap_or_default());
        }
        let mut mark = [0; 16];
        mark.copy_from_slice(&digest.finalize()[..16]);
        Self(mark)
    }

    /// Its 32 hexadecimal digits.
    pub(super) fn to_hex(self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.0))
    }

    pub(super) fn from_hex(digits: &str) -> Option<Self> {
        let is_mark = digits.len() == 32 && digits.bytes().all(|it| it.is_ascii_hexdigit());
        let mark = u128::from_str_radix(digits, 16).ok().filter(|_| is_mark)?;
        Some(Self(mark.to_be_bytes()))
    }
}

/// The marks, and when each was last named or offered, in hours since 1970.
#[derive(Default)]
pub(super) struct EndedItems(HashMap<Mark, u32>);

impl std::fmt::Debug for EndedItems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EndedItems({})", self.0.len())
    }
}

impl EndedItems {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn has(&self, mark: Mark) -> bool {
        self.0.contains_key(&mark)
    }

    /// Adds a mark that was last seen at that time; without a time, it is never
    /// left out.
    pub(super) fn add(&mut self, mark: Mark, seen: Option<u64>) {
        self.0.insert(mark, seen.map_or(KEPT, hour_of));
    }

    pub(super) fn remove(&mut self, mark: Mark) {
        self.0.remove(&mark);
    }

    /// Notes that an item is named or offered. Returns a line to write, once a
    /// day.
    pub(super) fn see(&mut self, mark: Mark, now: u64) -> Option<String> {
        let seen = self.0.get_mut(&mark).filter(|seen| **seen != KEPT)?;
        let is_new = hour_of(now) >= seen.saturating_add((DAY / HOUR) as u32);
        is_new.then(|| {
            *seen = hour_of(now);
            line(mark, *seen)
        })
    }

    /// How many [`forget`](Self::forget) leaves out.
    pub(super) fn forgettable(&self, now: u64, after: u64) -> usize {
        self.0.values().filter(|seen| is_forgotten(**seen, now, after)).count()
    }

    /// Leaves out marks that were not seen for this long and a day, because
    /// that is noted once a day.
    pub(super) fn forget(&mut self, now: u64, after: u64) {
        self.0.retain(|_, seen| !is_forgotten(*seen, now, after));
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(mark, seen)| line(*mark, *seen))
    }

    /// Reads a line, and when it was seen, if it may be forgotten. A time in the
    /// future is one of a clock that was wrong.
    ///
    /// # Errors
    /// If it is no such line.
    pub(super) fn read(&mut self, line: &str, now: u64) -> Result<Option<u64>, MalformedLine> {
        let (mark, seen) = parsed(line).ok_or(MalformedLine)?;
        if seen == KEPT {
            self.0.insert(mark, KEPT);
            return Ok(None);
        }
        let seen = seen.min(hour_of(now));
        self.0.insert(mark, seen);
        Ok(Some(u64::from(seen) * HOUR))
    }
}

/// A line that cannot be read.
#[derive(Debug)]
pub(super) struct MalformedLine;

/// Whether the line is one of these.
pub(super) fn is_line(line: &str) -> bool {
    line.starts_with(HEAD)
}

fn hour_of(time: u64) -> u32 {
    u32::try_from(time / HOUR).unwrap_or(KEPT).min(KEPT - 1)
}

fn is_forgotten(seen: u32, now: u64, after: u64) -> bool {
    seen != KEPT && now / HOUR > u64::from(seen) + after.saturating_add(DAY) / HOUR
}

fn line(mark: Mark, seen: u32) -> String {
    let digits = mark.to_hex();
    match seen {
        KEPT => format!("{HEAD}{digits}{SEEN}null}}"),
        seen => format!("{HEAD}{digits}{SEEN}{seen}}}"),
    }
}

fn parsed(line: &str) -> Option<(Mark, u32)> {
    let (digits, seen) = line.strip_prefix(HEAD)?.split_once(SEEN)?;
    let seen = match seen.strip_suffix('}')? {
        "null" => KEPT,
        seen => seen.parse().ok()?,
    };
    Some((Mark::from_hex(digits)?, seen))
}

#[cfg(test)]
mod tests {
    use super::super::item::Item;
    use super::*;

    fn mark(reference: &str) -> Mark {
        Mark::of(&Item::named(reference, false, 0).key())
    }

    #[test]
    fn lines_are_read_as_they_were_written() {
        let mut ended = EndedItems::default();
        ended.add(mark("a"), Some(7 * HOUR));
        ended.add(mark("b"), None);
        let mut read = EndedItems::default();
        for line in ended.lines() {
            assert!(is_line(&line));
            read.read(&line, 5 * HOUR).unwrap();
        }
        assert_eq!(read.0[&mark("a")], 5, "a time in the future is none");
        assert_eq!(read.0[&mark("b")], KEPT);
        for wrong in ["", "{}", "{\"ended\":\"aa\",\"seen\":1}", "{\"ended\":\"é", HEAD] {
            assert!(read.read(wrong, 0).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_unseen_items_are_forgotten() {
        let mut ended = EndedItems::default();
        ended.add(mark("a"), Some(0));
        ended.add(mark("b"), None);
        assert_eq!(ended.forgettable(91 * DAY, 90 * DAY), 0);
        let late = 91 * DAY + HOUR;
        assert_eq!(ended.forgettable(late, 90 * DAY), 1);
        assert_eq!(ended.forgettable(late, u64::MAX), 0, "never");
        assert!(ended.see(mark("a"), HOUR).is_none() && ended.see(mark("b"), late).is_none());
        assert!(ended.see(mark("a"), DAY).is_some());
        assert_eq!(ended.forgettable(late, 90 * DAY), 0);
        ended.forget(late + DAY, 90 * DAY);
        assert!(!ended.has(mark("a")) && ended.has(mark("b")));
    }

    #[test]
    fn different_items_have_different_marks() {
        assert_ne!(mark("a"), mark("b"));
        assert_eq!(mark("a"), mark("a"));
    }
}
