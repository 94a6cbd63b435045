//! Results that outlast an interruption: a file with one JSON object per line;
//! the last one of a name counts.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

pub struct Log {
    kept: Mutex<BTreeMap<String, Value>>,
    file: Mutex<File>,
}

impl Log {
    /// Reads a file whose objects have their name in the member `name`.
    pub fn open(path: &Path, name: &str) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).unwrap_or_default();
        // An interruption may have cut the last line.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let named = lines.filter_map(|it| Some((it[name].as_str()?.to_owned(), it)));
        let kept: BTreeMap<_, _> = named.collect();
        let lines: String = kept.values().map(|line| format!("{line}\n")).collect();
        let new = path.with_extension("new");
        fs::write(&new, lines).and_then(|()| fs::rename(&new, path)).map_err(failed)?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        Ok(Self { kept: Mutex::new(kept), file: Mutex::new(file) })
    }

    pub fn get(&self, name: &str) -> Option<Value> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Adds the object of a name, which `line` has too.
    pub fn add(&self, name: &str, line: Value) -> Result<(), String> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(format!("{line}\n").as_bytes()).map_err(|error| error.to_string())?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(name.to_owned(), line);
        Ok(())
    }
}
