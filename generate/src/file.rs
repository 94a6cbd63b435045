//! Generated files, in whole or between markers of a file.

use std::fs;
use std::path::Path;

/// The root of the repository.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A generated file, in whole or between markers.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path from the root of the repository.
    pub path: String,
    /// Its contents.
    pub text: String,
    /// Whether the whole file is generated.
    pub is_whole: bool,
    /// The text for the markers, until all parts of the file are known.
    parts: Vec<Part>,
}

/// The text between the markers `NAME:begin` and `NAME:end` of a file.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) origin: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn new(path: impl Into<String>, text: String) -> Self {
        Self { path: path.into(), text, is_whole: true, parts: Vec::new() }
    }

    pub(crate) fn of_parts(path: &str, parts: Vec<Part>) -> Self {
        Self { path: path.to_owned(), text: String::new(), is_whole: false, parts }
    }

    pub(crate) fn write(&self) -> Result<(), String> {
        let path = Path::new(ROOT).join(&self.path);
        if self.text == read(&self.path) {
            return Ok(());
        }
        let written = match path.parent() {
            Some(folder) => fs::create_dir_all(folder).and_then(|()| fs::write(&path, &self.text)),
            None => fs::write(&path, &self.text),
        };
        written.map_err(|error| format!("{}: {error}", self.path))
    }

    /// Its path, and the first line that differs, if the committed text differs.
    pub(crate) fn difference(&self) -> Option<String> {
        let committed = read(&self.path);
        if committed == self.text {
            return None;
        }
        let mut lines = self.text.lines().zip(committed.lines()).enumerate();
        Some(match lines.find(|(_, (made, committed))| made != committed) {
            Some((index, (made, committed))) => {
                format!("{}:{}: \"{committed}\", not \"{made}\"", self.path, index + 1)
            }
            None => format!("{}: has more or fewer lines", self.path),
        })
    }
}

impl Part {
    /// The text with this part in it.
    ///
    /// # Errors
    /// The markers that are missing.
    fn put_into(&self, text: &str, path: &str) -> Result<String, String> {
        let Self { name, origin, text: part } = self;
        let (start, begin, end) = if path.ends_with(".md") {
            let begin = format!("<!-- {name}:begin -->");
            (begin.clone(), begin, format!("<!-- {name}:end -->"))
        } else {
            let mark = if path.ends_with(".py") { "#" } else { "//" };
            let start = format!("{mark} {name}:begin: ");
            (start.clone(), format!("{start}{origin}\n"), format!("{mark} {name}:end\n"))
        };
        let found = text.split_once(&start).and_then(|(before, rest)| {
            let (old, after) = rest.split_once(&end)?;
            let indent = old.rsplit('\n').next().filter(|it| it.trim().is_empty());
            Some((before, indent.unwrap_or_default(), after))
        });
        let missing = || format!("{path} lacks {} and {}", start.trim(), end.trim());
        let (before, indent, after) = found.ok_or_else(missing)?;
        Ok(format!("{before}{begin}{part}{indent}{end}{after}"))
    }
}

/// One file for each path, with its parts in the committed text.
///
/// # Errors
/// The markers that are missing, a line for each part.
pub(crate) fn joined(files: Vec<File>) -> Result<Vec<File>, String> {
    let mut joined: Vec<File> = Vec::new();
    let mut missing = Vec::new();
    for file in files {
        match joined.iter_mut().find(|it| !it.is_whole && it.path == file.path) {
            Some(same) => same.parts.extend(file.parts),
            None => joined.push(file),
        }
    }
    for file in joined.iter_mut().filter(|it| !it.is_whole) {
        file.text = read(&file.path);
        if file.text.is_empty() && file.path.ends_with(".md") {
            file.text = new_page(&file.path, &file.parts);
        }
        for part in std::mem::take(&mut file.parts) {
            match part.put_into(&file.text, &file.path) {
                Ok(text) => file.text = text,
                Err(markers) => missing.push(markers),
            }
        }
    }
    if missing.is_empty() { Ok(joined) } else { Err(missing.join("\n")) }
}

/// A page that does not exist yet: its name as the title, and the markers of its parts.
fn new_page(path: &str, parts: &[Part]) -> String {
    let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
    let marks = parts
        .iter()
        .map(|Part { name, .. }| format!("\n<!-- {name}:begin -->\n\n<!-- {name}:end -->\n"));
    format!("# {name}\n{}", marks.collect::<String>())
}

/// The contents of a file in the repository; empty if it does not exist.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_that_are_missing_are_named() {
        let part = |name: &str| Part {
            name: name.to_owned(),
            origin: String::new(),
            text: "x".to_owned(),
        };
        let put = |name: &str, text: &str, path: &str| part(name).put_into(text, path);
        let page = "a\n<!-- t:begin -->\n<!-- t:end -->\n";
        assert_eq!(put("t", page, "a.md").unwrap(), "a\n<!-- t:begin -->x<!-- t:end -->\n");
        assert_eq!(
            put("u", page, "a.md").unwrap_err(),
            "a.md lacks <!-- u:begin --> and <!-- u:end -->"
        );
        assert_eq!(put("u", "", "a.py").unwrap_err(), "a.py lacks # u:begin: and # u:end");
    }
}
