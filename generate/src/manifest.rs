//! The part of `tests/manifest.json` that is not in the description: scenarios
//! and vectors.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::ROOT;

/// The names of all scenarios.
pub(crate) fn scenarios() -> Vec<String> {
    let mut names = Vec::new();
    for file in files("tests/scenarios") {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let parsed: Value = serde_json::from_str(&text).unwrap_or_default();
        let scenarios = parsed["scenarios"].as_array().into_iter().flatten();
        names.extend(scenarios.filter_map(|it| it["name"].as_str().map(str::to_owned)));
    }
    names.sort();
    names
}

/// The names of the files of vectors.
pub(crate) fn vectors() -> Vec<String> {
    let files = files("tests/vectors").into_iter();
    let json = files.filter(|file| file.extension().is_some_and(|it| it == "json"));
    json.filter_map(|file| Some(file.file_name()?.to_str()?.to_owned())).collect()
}

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(ROOT).join(folder)).into_iter().flatten().flatten();
    let mut files: Vec<_> =
        entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}
