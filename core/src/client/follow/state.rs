//! What was followed so far, and which ends were reported, also after a crash.
//!
//! Each line of the state file is all that is known of one item, as a JSON
//! object, and the last line of an item counts. A line that a crash cut short is
//! left out.

use std::collections::HashMap;
use std::path::Path;

use super::EndKind;
use super::item::{Item, Key};
use super::state_file::{StateFile, refused};
use crate::model::error::Error;
use crate::model::json::{Json, Members};

/// The file is rewritten when it has this many lines more than two per item.
const SUPERFLUOUS: usize = 10_000;
const VERSION: u64 = 1;

/// How far the report of an item has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Open,
    /// Its end may have been reported.
    Reporting,
    Reported,
}

impl Stage {
    const ALL: [Self; 3] = [Self::Open, Self::Reporting, Self::Reported];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Reporting => "reporting",
            Self::Reported => "reported",
        }
    }
}

/// What is known of an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Known {
    pub(super) item: Item,
    pub(super) stage: Stage,
    /// When it was last queried, in milliseconds since 1970 UTC.
    pub(super) asked: Option<u64>,
    /// How it ended.
    pub(super) end: Option<EndKind>,
}

/// All items, and the file that keeps them, if there is one.
#[derive(Debug)]
pub(super) struct State {
    known: HashMap<Key, Known>,
    scope: String,
    file: Option<StateFile>,
    lines: usize,
}

impl State {
    /// Reads the state of `scope`, and keeps other processes from using it.
    ///
    /// # Errors
    /// `config` if the file cannot be used, or another process follows with it.
    pub(super) fn open(path: Option<&Path>, scope: &str) -> Result<Self, Error> {
        let known = HashMap::new();
        let mut state = Self { known, scope: scope.to_owned(), file: None, lines: 0 };
        if let Some(path) = path {
            let (file, text) = StateFile::open(path)?;
            state.read(&text).map_err(|problem| refused(path, &problem))?;
            state.file = Some(file);
            state.rewrite()?;
        }
        Ok(state)
    }

    fn read(&mut self, text: &str) -> Result<(), String> {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut lines = whole.lines();
        match lines.next() {
            None if text.is_empty() => return Ok(()),
            head => self.check_head(head.unwrap_or_default())?,
        }
        for (index, line) in lines.enumerate() {
            let known = Json::parse(line.as_bytes()).ok().and_then(|it| Known::from_json(&it));
            let known = known.ok_or_else(|| {
                format!(
                    "line {} is not one of a state file; restore it, or name another",
                    index + 2
                )
            })?;
            self.known.insert(known.item.key(), known);
        }
        Ok(())
    }

    fn check_head(&self, head: &str) -> Result<(), String> {
        let head = Json::parse(head.as_bytes()).unwrap_or_default();
        let version = head.get("follow").and_then(Json::as_u64);
        let scope = head.get("scope").and_then(Json::as_str);
        match (version, scope) {
            (Some(VERSION), Some(scope)) if scope == self.scope => Ok(()),
            (Some(VERSION), Some(_)) => {
                Err("it belongs to another service or journal_scope; name another".to_owned())
            }
            _ => Err("it is another kind of file; name another".to_owned()),
        }
    }

    pub(super) fn get(&self, key: &Key) -> Option<&Known> {
        self.known.get(key)
    }

    /// The items whose end was not reported.
    pub(super) fn open_items(&self) -> impl Iterator<Item = &Known> {
        self.known.values().filter(|known| known.stage != Stage::Reported)
    }

    /// Stores what is known of an item: if it is durable, on the disk.
    ///
    /// # Errors
    /// `config` if the file cannot be written.
    pub(super) fn put(&mut self, known: Known, is_durable: bool) -> Result<(), Error> {
        let line = known.to_line();
        self.known.insert(known.item.key(), known);
        let Some(file) = &mut self.file else { return Ok(()) };
        file.append(&line, is_durable)?;
        self.lines += 1;
        match self.lines > 2 * self.known.len() + SUPERFLUOUS {
            true => self.rewrite(),
            false => Ok(()),
        }
    }

    /// Replaces the file with one that has a line for each item.
    fn rewrite(&mut self) -> Result<(), Error> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut head = Members::from([("follow", VERSION)]);
        head.push("scope", self.scope.as_str());
        let mut text = Json::from(head).to_text() + "\n";
        self.known.values().for_each(|known| text.push_str(&known.to_line()));
        self.lines = self.known.len();
        file.replace(&text)
    }
}

impl Known {
    /// An item that was not queried yet.
    pub(super) fn new(item: Item) -> Self {
        Self { item, stage: Stage::Open, asked: None, end: None }
    }

    fn to_line(&self) -> String {
        let mut members = self.item.to_members();
        members.push("since", self.item.since);
        members.push("was_found", self.item.was_found);
        members.push("asked", self.asked);
        members.push("stage", self.stage.as_str());
        members.push("end", self.end.map(EndKind::as_str));
        Json::from(members).to_text() + "\n"
    }

    fn from_json(json: &Json) -> Option<Self> {
        let stage = json.get("stage")?.as_str()?;
        let end = json.get("end")?.as_str();
        Some(Self {
            item: Item::from_json(json)?,
            stage: Stage::ALL.into_iter().find(|it| it.as_str() == stage)?,
            asked: json.get("asked")?.as_u64(),
            end: EndKind::ALL.into_iter().find(|it| Some(it.as_str()) == end),
        })
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::test_folder::Folder;
    use crate::model::error::ErrorCode;

    fn known(reference: &str) -> Known {
        Known::new(Item::named(reference, false, 7))
    }

    fn refusal(path: &Path, scope: &str) -> Option<Error> {
        State::open(Some(path), scope).err()
    }

    fn code(path: &Path, scope: &str) -> Option<ErrorCode> {
        refusal(path, scope).map(|error| error.code())
    }

    #[test]
    fn what_was_put_is_there_again_and_the_last_line_of_an_item_counts() {
        let folder = Folder::made();
        let path = folder.path().join("state");
        let mut state = State::open(Some(&path), "api.example").unwrap();
        let ended = Known { stage: Stage::Reported, end: Some(EndKind::Confirmed), ..known("a") };
        for known in [known("a"), known("b"), ended.clone()] {
            state.put(known, false).unwrap();
        }
        drop(state);
        let asked = Known { asked: Some(9), ..known("b") };
        // A crash may cut a line short.
        let cut = asked.to_line() + "{\"operation\":\"create_pay";
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        std::io::Write::write_all(&mut file, cut.as_bytes()).unwrap();
        let state = State::open(Some(&path), "api.example").unwrap();
        assert_eq!(state.get(&ended.item.key()), Some(&ended));
        assert_eq!(state.open_items().collect::<Vec<_>>(), [&asked]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3, "it is rewritten: {text}");
    }

    #[test]
    fn one_at_a_time_uses_a_file() {
        let folder = Folder::made();
        let path = folder.path().join("state");
        let state = State::open(Some(&path), "api.example").unwrap();
        assert_eq!(code(&path, "api.example"), Some(ErrorCode::FOLLOWING));
        drop(state);
        assert_eq!(code(&path, "api.example"), None);
    }

    #[test]
    fn another_file_stays_as_it_is() {
        let folder = Folder::made();
        let path = folder.path().join("state");
        drop(State::open(Some(&path), "api.example").unwrap());
        let error = refusal(&path, "other.example").unwrap();
        assert_eq!(error.code(), ErrorCode::STATE_FILE);
        assert!(error.message().contains("another service or journal_scope"), "{error}");
        let head = std::fs::read_to_string(&path).unwrap();
        for text in ["order-1", "order-1\n", "{}\n", "{\"follow\":2}\n", &format!("{head}{{}}\n")] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(code(&path, "api.example"), Some(ErrorCode::STATE_FILE), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(code(folder.path(), "api.example"), Some(ErrorCode::STATE_FILE), "a folder");
    }

    #[test]
    fn a_long_file_is_written_anew() {
        let folder = Folder::made();
        let path = folder.path().join("state");
        let mut state = State::open(Some(&path), "api.example").unwrap();
        for asked in 0..2 * SUPERFLUOUS as u64 {
            state.put(Known { asked: Some(asked), ..known("a") }, false).unwrap();
        }
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines < SUPERFLUOUS + 10, "{lines} lines");
        drop(state);
        let state = State::open(Some(&path), "api.example").unwrap();
        let last = state.get(&known("a").item.key()).and_then(|known| known.asked);
        assert_eq!(last, Some(2 * SUPERFLUOUS as u64 - 1));
    }

    #[test]
    fn two_lines_for_each_of_many_items_are_not_rewritten() {
        use std::os::unix::fs::MetadataExt as _;

        let folder = Folder::made();
        let path = folder.path().join("state");
        let mut state = State::open(Some(&path), "api.example").unwrap();
        let file = || std::fs::metadata(&path).unwrap().ino();
        let begun = file();
        for asked in [Some(9), None] {
            for number in 0..SUPERFLUOUS + 100 {
                state.put(Known { asked, ..known(&number.to_string()) }, false).unwrap();
                assert_eq!(file(), begun, "rewritten at {number}");
            }
        }
    }
}
