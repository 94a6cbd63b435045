//! `spec/diagnosis.toml`: why the service refused credentials.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Mistakes, Text};

#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Diagnosis {
    /// As the interface names them.
    cause: IndexMap<String, Row>,
    /// The findings of a client about a 401.
    finding: IndexMap<String, Row>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// A sentence.
    meaning: String,
    /// The finding and its remedy, as in messages.
    text: String,
}

pub(super) fn read(file: &Text, mistakes: &mut Mistakes) -> Diagnosis {
    let diagnosis: Diagnosis = file.parsed(mistakes).unwrap_or_default();
    for (table, rows) in [("cause", &diagnosis.cause), ("finding", &diagnosis.finding)] {
        for (name, row) in rows {
            let place = file.place(&format!("[{table}.{name}]"));
            if !row.meaning.ends_with('.') {
                mistakes.add(&place, format!("the meaning of {name} is no sentence"));
            }
            if row.text.ends_with('.') {
                mistakes.add(&place, format!("the text of {name} ends with a full stop"));
            }
        }
    }
    diagnosis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_named_with_its_line() {
        let mistakes = |text: &str| {
            let text = format!("[cause.one]\n{text}\n[finding]\n");
            let mut mistakes = Mistakes::default();
            read(&Text { path: "file".to_owned(), text }, &mut mistakes);
            mistakes.0
        };
        assert_eq!(mistakes("meaning = 'It is.'\ntext = 'do'"), [""; 0]);
        let wrong = mistakes("meaning = 'It is'\ntext = 'Do.'");
        assert_eq!(wrong[0], "file:1: the meaning of one is no sentence");
        assert_eq!(wrong[1], "file:1: the text of one ends with a full stop");
    }
}
