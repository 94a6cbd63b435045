//! `payments explain`.

use std::collections::HashSet;
use std::process::ExitCode;

use payments_core::error::ErrorCode;
use payments_core::json::Json;

use crate::args::Global;
use crate::output;
use crate::process::failure::Failure;
use crate::process::pretty::{WIDTH, wrapped};

/// The file that the packages have too.
const EXPLANATIONS: &[u8] = include_bytes!("explanations.json");
/// The column of the texts in the list.
const COLUMN: usize = 30;
const MOST_SUGGESTIONS: usize = 3;
const LEAST_LIKENESS: f64 = 0.6;

/// Prints what happened, whether money may have moved, and what to do after an error
/// with this code. Without one, it lists all.
///
/// # Errors
/// There is no such code.
pub(crate) fn run(global: &Global, asked: Option<&str>) -> Result<ExitCode, Failure> {
    let all = Explanations::read();
    let is_for_people = output::is_for_people(global);
    let text = match asked {
        None if is_for_people => all.list(),
        None => {
            let codes = Json::Array(all.codes().cloned().collect());
            output::json_text(&Json::Object([("codes", codes)].into()))
        }
        Some(asked) => {
            let name = name_of(asked);
            match &all.find(&name)[..] {
                [] => {
                    let advice = all.suggestion(&name);
                    let message = format!("there is no error code {asked}; {advice}");
                    return Err(Failure::usage(ErrorCode::INVALID_ARGUMENTS, message));
                }
                found if is_for_people => all.text_of(found, &name),
                [only] => output::json_text(only),
                found => {
                    let found = Json::Array(found.iter().copied().cloned().collect());
                    output::json_text(&Json::Object([("codes", found)].into()))
                }
            }
        }
    };
    output::write_text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Every error code.
pub(crate) fn codes() -> Vec<String> {
    Explanations::read().codes().map(|entry| text(entry, "code").to_owned()).collect()
}

struct Explanations(Json);

impl Explanations {
    fn read() -> Self {
        Self(Json::parse(EXPLANATIONS).unwrap_or(Json::Null))
    }

    fn array(&self, name: &str) -> impl Iterator<Item = &Json> {
        elements(&self.0, name)
    }

    fn codes(&self) -> impl Iterator<Item = &Json> {
        self.array("subjects").flat_map(|subject| elements(subject, "codes"))
    }

    /// Those of errors, then those of the service.
    fn entries(&self) -> impl Iterator<Item = &Json> {
        self.codes().chain(self.array("service_codes"))
    }

    /// Those with this code, and those that it is now: the service may have the same
    /// word.
    fn find(&self, name: &str) -> Vec<&Json> {
        let is = |entry: &&Json| name_of(text(entry, "code")) == name || was(entry, name);
        self.entries().filter(is).collect()
    }

    fn list(&self) -> String {
        let mut list = String::new();
        for subject in self.array("subjects") {
            list += &format!("{}\n", text(subject, "title"));
            for entry in elements(subject, "codes") {
                let cause = text(entry, "cause");
                let end = [": ", ". "].iter().filter_map(|end| cause.find(end)).min();
                let cause = end.map_or(cause.trim_end_matches('.'), |end| &cause[..end]);
                let mut name = text(entry, "code");
                for line in wrapped(cause, WIDTH - COLUMN) {
                    list += &format!("  {name:width$}{line}\n", width = COLUMN - 2);
                    name = "";
                }
            }
            list += "\n";
        }
        list + "payments explain CODE says what to do.\n"
    }

    fn text_of(&self, entries: &[&Json], name: &str) -> String {
        let texts: Vec<_> = entries.iter().map(|entry| self.text_of_entry(entry)).collect();
        let texts = texts.join("\n");
        let new = entries.iter().filter(|entry| was(entry, name));
        let new: Vec<_> = new.map(|entry| text(entry, "code")).collect();
        if new.is_empty() {
            texts
        } else {
            format!("{name} is now {}.\n\n{texts}", new.join(" or "))
        }
    }

    fn text_of_entry(&self, entry: &Json) -> String {
        let mut shown = format!("{} ({})\n", text(entry, "code"), text(entry, "kind"));
        for heading in self.array("headings").filter_map(Json::as_array) {
            let [member, heading] = [0, 1].map(|at| heading.get(at).and_then(Json::as_str));
            let Some(value) = member.and_then(|member| entry.get(member)) else { continue };
            shown += &format!("\n{}\n", heading.unwrap_or_default());
            let paragraphs = value.as_array().unwrap_or(std::slice::from_ref(value));
            for paragraph in paragraphs.iter().filter_map(Json::as_str) {
                for line in wrapped(paragraph, WIDTH - 2) {
                    shown += &format!("  {line}\n");
                }
            }
        }
        shown
    }

    fn suggestion(&self, name: &str) -> String {
        let rated = |entry| (likeness(name, &name_of(text(entry, "code"))), text(entry, "code"));
        let mut near: Vec<_> = self.entries().map(rated).collect();
        near.retain(|(rating, _)| *rating >= LEAST_LIKENESS);
        near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let nearest: Vec<_> = near.iter().take(MOST_SUGGESTIONS).map(|(_, code)| *code).collect();
        let advice = "`payments explain` lists all";
        if nearest.is_empty() {
            advice.to_owned()
        } else {
            format!("did you mean {}? {advice}", nearest.join(" or "))
        }
    }
}

fn text<'j>(json: &'j Json, name: &str) -> &'j str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn elements<'j>(json: &'j Json, name: &str) -> impl Iterator<Item = &'j Json> {
    json.get(name).and_then(Json::as_array).unwrap_or_default().iter()
}

/// Whether the code had this name before.
fn was(entry: &Json, name: &str) -> bool {
    elements(entry, "was").any(|earlier| earlier.as_str() == Some(name))
}

/// In lower case, without the kind before a slash.
fn name_of(code: &str) -> String {
    code.rsplit('/').next().unwrap_or_default().to_lowercase()
}

/// The share of pairs of neighboring letters that two names have in common.
#[allow(clippy::cast_precision_loss, reason = "names are short")]
fn likeness(one: &str, other: &str) -> f64 {
    let pairs =
        |name: &str| -> HashSet<(char, char)> { name.chars().zip(name.chars().skip(1)).collect() };
    let (pairs, others) = (pairs(one), pairs(other));
    let common = pairs.intersection(&others).count();
    2.0 * common as f64 / (pairs.len() + others.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_fits(text: &str) {
        let too_long = text.lines().find(|line| line.chars().count() > WIDTH);
        assert_eq!(too_long, None);
    }

    #[test]
    fn every_text_fits_the_screen() {
        let all = Explanations::read();
        assert_fits(&all.list());
        for entry in all.entries() {
            assert_fits(&all.text_of_entry(entry));
        }
        assert!(all.codes().count() > 90 && all.entries().count() > all.codes().count());
    }

    #[test]
    fn every_code_says_what_happened_and_what_to_do() {
        for entry in Explanations::read().codes() {
            for member in ["code", "kind", "cause", "outcome", "remedy"] {
                assert_ne!(text(entry, member), "", "{entry:?}");
            }
        }
    }

    #[test]
    fn an_earlier_code_is_answered_with_all_that_it_is_now() {
        let all = Explanations::read();
        for (earlier, now) in [
            ("key_is_public", "key_is_public is now key_wrong_kind.\n\nkey_wrong_kind ("),
            ("invalid_request", "invalid_request is now internal_error.\n\ninternal_error ("),
            ("not_json", "not_json is now wrong_type or response_unreadable.\n\nwrong_type ("),
        ] {
            let text = all.text_of(&all.find(earlier), earlier);
            assert!(text.starts_with(now), "{text}");
        }
    }

    #[test]
    fn names_that_share_most_pairs_of_letters_are_alike() {
        for (one, other, expected) in
            [("abc", "abc", 1.0), ("abcd", "abce", 2.0 / 3.0), ("a", "", 0.0)]
        {
            assert!((likeness(one, other) - expected).abs() < 1e-9, "{one} {other}");
        }
    }
}
