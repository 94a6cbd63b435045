//! `payments explain`: what a name in an error, a journal, a response or a configuration
//! means, and what to do.

use payments_base::spelling::nearest;
use payments_core::error::ErrorCode;
use payments_core::json::{Json, Members};

use super::command_failure::CommandFailure;
use super::wrapping::{WIDTH, push_hanging, wrapped};
use crate::spelling::{Spelling, spelled};

/// `explanations.json`, compressed by the build script.
static COMPRESSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/explanations"));

/// The members of an entry, and their headings.
const HEADINGS: [(&str, &str); 6] = [
    ("cause", "What happened"),
    ("meaning", "What it means"),
    ("certainty", "How certain is it?"),
    ("outcome", "May money have moved?"),
    ("remedy", "What to do"),
    ("messages", "Messages"),
];

/// Where the second column of the list begins.
const SECOND_COLUMN: usize = 30;

/// The answer of `explain`.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// For programs: an object, or `entries` with several.
    pub json: Json,
    /// For people.
    pub text: String,
}

/// Explains a code, a kind, an outcome, a state, a member of the configuration or its
/// variable, or the code of a service. One name may have several meanings. Without a
/// name, it lists the names of this library. `command` is that of the caller, such as
/// `npx libpayments explain`.
///
/// # Errors
/// `usage` if nothing has this name.
pub fn explain(
    command: &str,
    name: Option<&str>,
    spelling: Spelling,
) -> Result<Explanation, CommandFailure> {
    let all = Explanations::read(spelling);
    let Some(asked) = name else { return Ok(all.list(command)) };
    let name = normal(asked);
    let found: Vec<_> = all.entries().filter(|entry| normal(text(entry, "name")) == name).collect();
    if found.is_empty() {
        let near = nearest(&name, all.entries().map(|entry| text(entry, "name")));
        let near = near.map(|it| format!("did you mean {it}? ")).unwrap_or_default();
        let message = format!("nothing is named {asked}; {near}`{command}` lists all");
        return Err(CommandFailure::usage(ErrorCode::INVALID_ARGUMENTS, message));
    }
    let texts: Vec<_> = found.iter().map(|entry| text_of(entry)).collect();
    let json = match &found[..] {
        [only] => (*only).clone(),
        several => entries_of(several.iter().copied()),
    };
    Ok(Explanation { json, text: texts.join("\n") })
}

/// The names of the list, for completion.
pub fn explained_names() -> Vec<String> {
    let all = Explanations::read(Spelling::SnakeCase);
    let names = all.listed().flat_map(entries).map(|entry| text(entry, "name").to_owned());
    names.collect()
}

struct Explanations(Json);

impl Explanations {
    fn read(spelling: Spelling) -> Self {
        let read = miniz_oxide::inflate::decompress_to_vec(COMPRESSED).unwrap_or_default();
        let text = spelled(&String::from_utf8_lossy(&read), spelling);
        Self(Json::parse(text.as_bytes()).unwrap_or(Json::Null))
    }

    fn sections(&self) -> impl Iterator<Item = &Json> {
        elements(&self.0, "sections")
    }

    fn entries(&self) -> impl Iterator<Item = &Json> {
        self.sections().flat_map(entries)
    }

    /// The sections whose names are this library's own.
    fn listed(&self) -> impl Iterator<Item = &Json> {
        self.sections().filter(|it| it.get("is_listed").and_then(Json::as_bool) == Some(true))
    }

    fn list(&self, command: &str) -> Explanation {
        let mut list = String::new();
        for section in self.listed() {
            list.push_str(&format!("{}\n", text(section, "title")));
            for entry in entries(section) {
                let first = format!("  {:<1$}", text(entry, "name"), SECOND_COLUMN - 2);
                push_hanging(&mut list, &first, SECOND_COLUMN, first_clause(entry));
            }
            list.push('\n');
        }
        let more = format!(
            "{command} NAME says what to do. It also explains the codes of the service, the states \
             of payments, payouts and refunds, and the members of a configuration."
        );
        list.extend(wrapped(&more, WIDTH).into_iter().map(|line| line + "\n"));
        Explanation { json: entries_of(self.listed().flat_map(entries)), text: list }
    }
}

fn text_of(entry: &Json) -> String {
    let mut shown = format!("{} ({})\n", text(entry, "name"), text(entry, "kind"));
    for (name, heading) in HEADINGS {
        let Some(value) = entry.get(name) else { continue };
        shown.push_str(&format!("\n{heading}\n"));
        let paragraphs = value.as_array().unwrap_or(std::slice::from_ref(value));
        for paragraph in paragraphs.iter().filter_map(Json::as_str) {
            push_hanging(&mut shown, "  ", 2, paragraph);
        }
    }
    shown
}

fn first_clause(entry: &Json) -> &str {
    let whole = entry.get("cause").or_else(|| entry.get("meaning")).and_then(Json::as_str);
    let clause = whole.unwrap_or_default().split(": ").next().unwrap_or_default();
    clause.split(". ").next().unwrap_or_default().trim_end_matches('.')
}

fn entries_of<'j>(entries: impl Iterator<Item = &'j Json>) -> Json {
    Members::from([("entries", Json::Array(entries.cloned().collect()))]).into()
}

fn entries(section: &Json) -> impl Iterator<Item = &Json> {
    elements(section, "entries")
}

fn text<'j>(json: &'j Json, name: &str) -> &'j str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn elements<'j>(json: &'j Json, name: &str) -> impl Iterator<Item = &'j Json> {
    json.get(name).and_then(Json::as_array).unwrap_or_default().iter()
}

/// In lower case, without the kind before a slash or the beginning of a variable.
fn normal(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or_default().to_lowercase();
    name.strip_prefix("payments_").map_or(name.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(name: &str) -> String {
        explain("payments explain", Some(name), Spelling::Command).unwrap().text
    }

    #[test]
    fn every_text_fits_the_screen() {
        let all = Explanations::read(Spelling::Command);
        assert!(all.entries().count() > 250 && explained_names().len() > 120);
        let texts = all.entries().map(text_of).chain([all.list("npx libpayments explain").text]);
        for text in texts {
            let too_long = text.lines().find(|line| line.chars().count() > WIDTH);
            assert_eq!(too_long, None);
        }
    }

    #[test]
    fn every_entry_says_what_it_means() {
        for entry in Explanations::read(Spelling::SnakeCase).entries() {
            let is_error = entry.get("cause").is_some();
            let members = if is_error { ["cause", "outcome", "remedy"] } else { ["meaning"; 3] };
            for member in ["name", "kind"].into_iter().chain(members) {
                assert_ne!(text(entry, member), "", "{entry:?}");
            }
        }
    }

    #[test]
    fn a_name_has_each_of_its_meanings() {
        for (name, starts) in [
            ("rejected/Duplicate_Reference", &["duplicate_reference (rejected)"][..]),
            ("timeout", &["timeout (kind of errors)"]),
            ("unknown", &["unknown (outcome of", "unknown (state of an entry"]),
            ("co", &["CO (status of a payment)", "CO (status of a refund)"]),
            ("PAYMENTS_TIMEOUT_MS", &["timeout_ms (member of the configuration, integer)"]),
            ("bp-dr-119", &["BP-DR-119 (code of the service)"]),
        ] {
            let text = explained(name);
            let heads = text.lines().filter(|line| starts.iter().any(|it| line.starts_with(it)));
            assert_eq!(heads.count(), starts.len(), "{text}");
        }
    }

    #[test]
    fn a_code_of_the_service_says_whether_money_may_have_moved() {
        for (code, answer) in
            [("bp-dr-119", "Perhaps"), ("hp-cm-03", "Perhaps"), ("bp-dr-8", "Not by this request")]
        {
            let text = explained(code);
            assert!(text.contains(&format!("May money have moved?\n  {answer}")), "{text}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let refused =
            explain("npx libpayments explain", Some("duplicate_referense"), Spelling::CamelCase)
                .unwrap_err();
        let message = refused.report.get("message").and_then(Json::as_str);
        let expected = "nothing is named duplicate_referense; did you mean duplicate_reference? \
                        `npx libpayments explain` lists all";
        assert_eq!((message, refused.exit_code), (Some(expected), 2));
    }
}
