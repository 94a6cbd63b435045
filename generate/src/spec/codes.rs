//! `spec/codes.toml`: the sets of codes that responses have.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::{Mistakes, Text};

/// The sets by the names of their types, for example `PaymentStatus`.
pub(crate) type Codes = IndexMap<String, CodeSet>;

/// An open set of codes.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodeSet {
    /// The subject of the codes, in a sentence.
    doc: String,
    /// The heading under which the interface states the set.
    section: Option<String>,
    /// The known codes, as they are on the wire.
    pub(super) codes: IndexMap<String, Code>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Code {
    /// Its name, for example `Confirmed`.
    name: String,
    /// Whether it is final.
    #[serde(default, rename = "final")]
    is_final: bool,
    /// Its meaning, in a few words.
    doc: String,
}

/// Puts the codes of a set in place of its name, each once. Codes have no lower-case
/// letter.
///
/// # Errors
/// If there is no set of a name.
pub(super) fn resolve(sets: &Codes, states: &mut Vec<String>) -> Result<(), String> {
    let mut resolved = IndexSet::new();
    for state in states.drain(..) {
        match sets.get(&state) {
            Some(set) => resolved.extend(set.codes.keys().cloned()),
            None if state.contains(char::is_lowercase) => {
                return Err(format!("spec/codes.toml has no {state}"));
            }
            None => drop(resolved.insert(state)),
        }
    }
    states.extend(resolved);
    Ok(())
}

/// The sets in this file.
pub(super) fn read(file: &Text, mistakes: &mut Mistakes) -> Codes {
    let sets: Codes = file.parsed(mistakes).unwrap_or_default();
    for (name, set) in &sets {
        let place = file.place(&format!("[{name}]"));
        if !set.doc.ends_with('.') {
            mistakes.add(&place, format!("the doc of {name} is no sentence"));
        }
        let mut names: Vec<&str> = Vec::new();
        for (key, code) in &set.codes {
            let place = file.place_of(&format!("{name}.codes"), key);
            if code.doc.is_empty() || code.doc.ends_with('.') {
                mistakes.add(&place, format!("{key} needs a phrase without a full stop as doc"));
            }
            if names.contains(&code.name.as_str()) {
                mistakes.add(&place, format!("another code of {name} is named {}", code.name));
            }
            names.push(&code.name);
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_named_with_its_file_and_line() {
        let good = "[Light]\ndoc = 'A light.'\n[Light.codes]\nR = { name = 'Red', doc = 'stop' }\n";
        let mistakes = |text: &str| {
            let mut mistakes = Mistakes::default();
            read(&Text { path: "codes.toml".to_owned(), text: text.to_owned() }, &mut mistakes);
            mistakes.0
        };
        assert_eq!(mistakes(good), [""; 0]);
        assert_eq!(
            mistakes(&good.replace("light.", "light").replace("stop", "stop.")),
            [
                "codes.toml:1: the doc of Light is no sentence",
                "codes.toml:4: R needs a phrase without a full stop as doc"
            ]
        );
        assert_eq!(
            mistakes(&format!("{good}G = {{ name = 'Red', doc = 'go' }}")),
            ["codes.toml:5: another code of Light is named Red"]
        );
        assert!(mistakes(&good.replace("name", "nam"))[0].starts_with("codes.toml:4: unknown"));
    }

    #[test]
    fn the_name_of_a_set_stands_for_its_codes() {
        let text = "[Light]\ndoc = 'A light.'\n[Light.codes]\nR = { name = 'Red', doc = 'stop' }\n";
        let file = Text { path: String::new(), text: text.to_owned() };
        let sets = read(&file, &mut Mistakes::default());
        let resolved = |states: &[&str]| {
            let mut states: Vec<_> = states.iter().map(|it| (*it).to_owned()).collect();
            resolve(&sets, &mut states).map(|()| states)
        };
        assert_eq!(resolved(&["R", "Light", "DONE"]).unwrap(), ["R", "DONE"]);
        assert_eq!(resolved(&["Ligt"]).unwrap_err(), "spec/codes.toml has no Ligt");
    }
}
