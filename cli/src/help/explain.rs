//! `payments explain`.

use std::process::ExitCode;

use payments_base::spelling::nearest;
use payments_core::error::ErrorCode;
use payments_core::json::Json;

use crate::args::Global;
use crate::output;
use crate::process::failure::Failure;

/// The file that the packages have too.
const EXPLANATIONS: &[u8] = include_bytes!("explanations.json");

/// Prints what happened, whether money may have moved, and what to do after an error
/// with this code. Without one, it lists all.
///
/// # Errors
/// There is no such code.
pub(crate) fn run(global: &Global, asked: Option<&str>) -> Result<ExitCode, Failure> {
    let all = Explanations::read();
    let is_for_people = output::is_for_people(global);
    let text = match asked {
        None if is_for_people => {
            format!("{}payments explain CODE says what to do.\n", text(&all.0, "list"))
        }
        None => json_of(all.codes()),
        Some(asked) => {
            let name = name_of(asked);
            match &all.find(&name)[..] {
                [] => {
                    let known = all.entries().map(code_of);
                    let near = nearest(&name, known);
                    let near = near.map(|it| format!("did you mean {it}? ")).unwrap_or_default();
                    let message = format!(
                        "there is no error code {asked}; {near}`payments explain` lists all"
                    );
                    return Err(Failure::usage(ErrorCode::INVALID_ARGUMENTS, message));
                }
                found if is_for_people => text_of(found),
                [only] => output::json_text(object(only)),
                found => json_of(found.iter().copied()),
            }
        }
    };
    output::write_text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Every error code.
pub(crate) fn codes() -> Vec<String> {
    Explanations::read().codes().map(|entry| code_of(entry).to_owned()).collect()
}

struct Explanations(Json);

impl Explanations {
    fn read() -> Self {
        Self(Json::parse(EXPLANATIONS).unwrap_or(Json::Null))
    }

    fn codes(&self) -> impl Iterator<Item = &Json> {
        elements(&self.0, "codes")
    }

    /// Those of errors, then those of the service.
    fn entries(&self) -> impl Iterator<Item = &Json> {
        self.codes().chain(elements(&self.0, "service_codes"))
    }

    /// Those with this code: the service may have the same word.
    fn find(&self, name: &str) -> Vec<&Json> {
        self.entries().filter(|entry| name_of(code_of(entry)) == name).collect()
    }
}

fn text_of(entries: &[&Json]) -> String {
    let texts: Vec<_> = entries.iter().map(|entry| text(entry, "text")).collect();
    texts.join("\n")
}

fn json_of<'j>(entries: impl Iterator<Item = &'j Json>) -> String {
    let codes = Json::Array(entries.map(|entry| object(entry).clone()).collect());
    output::json_text(&Json::Object([("codes", codes)].into()))
}

/// The JSON of an entry, which `--json` prints.
fn object(entry: &Json) -> &Json {
    entry.get("json").unwrap_or(&Json::Null)
}

fn code_of(entry: &Json) -> &str {
    text(object(entry), "code")
}

fn text<'j>(json: &'j Json, name: &str) -> &'j str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn elements<'j>(json: &'j Json, name: &str) -> impl Iterator<Item = &'j Json> {
    json.get(name).and_then(Json::as_array).unwrap_or_default().iter()
}

/// In lower case, without the kind before a slash.
fn name_of(code: &str) -> String {
    code.rsplit('/').next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_fits_the_screen() {
        let all = Explanations::read();
        let texts = all.entries().map(|entry| text(entry, "text"));
        for text in texts.chain([text(&all.0, "list")]) {
            let too_long = text.lines().find(|line| line.chars().count() > 80);
            assert!(!text.is_empty() && too_long.is_none(), "{too_long:?}");
        }
        assert!(all.codes().count() > 90 && all.entries().count() > all.codes().count());
    }

    #[test]
    fn every_code_says_what_happened_and_what_to_do() {
        for entry in Explanations::read().entries() {
            for member in ["code", "kind", "cause", "outcome", "remedy"] {
                assert_ne!(text(object(entry), member), "", "{entry:?}");
            }
        }
    }

    #[test]
    fn a_code_of_the_service_says_whether_money_may_have_moved() {
        let all = Explanations::read();
        for (code, answer) in
            [("bp-dr-119", "Perhaps"), ("hp-cm-03", "Perhaps"), ("bp-dr-8", "Not by this request")]
        {
            let text = text_of(&all.find(code));
            assert!(text.contains(&format!("May money have moved?\n  {answer}")), "{text}");
        }
    }
}
