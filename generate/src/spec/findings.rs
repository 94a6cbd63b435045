//! `spec/findings.toml`: the findings of `lint`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::errors::{self, ErrorPage};
use super::{Mistakes, Text};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    finding: IndexMap<String, Finding>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    certainty: Certainty,
    cause: String,
    remedy: String,
    /// The finding and its remedy, unless that depends on the member.
    message: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Certainty {
    Certain,
    Perhaps,
}

/// The findings, none of which has the code of an error.
pub(super) fn read(
    file: &Text,
    pages: &[ErrorPage],
    mistakes: &mut Mistakes,
) -> IndexMap<String, Finding> {
    let File { finding: findings } = file.parsed(mistakes).unwrap_or_default();
    for (name, finding) in &findings {
        let place = file.place(&format!("[finding.{name}]"));
        for (key, sentence) in [("cause", &finding.cause), ("remedy", &finding.remedy)] {
            if !sentence.ends_with('.') {
                mistakes.add(&place, format!("the {key} of {name} is no sentence"));
            }
        }
        if finding.message.as_ref().is_some_and(|message| message.ends_with('.')) {
            mistakes.add(&place, format!("the message of {name} ends with a full stop"));
        }
        if errors::has_code(pages, name) {
            mistakes.add(&place, format!("{name} is an error code"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_named_with_its_line() {
        let text = "[finding.one]\ncertainty = 'certain'\ncause = 'It is'\nremedy = 'Do'\nmessage = 'Do.'\n";
        let file = Text { path: "file".to_owned(), text: text.to_owned() };
        let page = "title = ''\n[[section]]\n[section.code.one]\ncause = ''\nremedy = ''\n";
        let page = toml::from_str(page).unwrap();
        let mut mistakes = Mistakes::default();
        read(&file, &[page], &mut mistakes);
        assert_eq!(
            mistakes.0,
            [
                "file:1: the cause of one is no sentence",
                "file:1: the remedy of one is no sentence",
                "file:1: the message of one ends with a full stop",
                "file:1: one is an error code"
            ]
        );
        let text = text.replace("'certain'", "'surely'");
        let mut mistakes = Mistakes::default();
        read(&Text { path: "file".to_owned(), text }, &[], &mut mistakes);
        assert!(mistakes.0[0].starts_with("file:2: unknown variant `surely`"), "{:?}", mistakes.0);
    }
}
