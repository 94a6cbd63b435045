//! `examples/reference`: a program for each operation and language, and the response
//! that all of them print.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use super::operations::Operation;
use super::samples::Sample;
use super::{Mistakes, Text};

/// The calls that have a page besides the operations.
const CALLS: [&str; 1] = ["ensure_payment"];

/// Files that belong to no single page.
const OTHERS: [&str; 2] = ["README.md", "next_actions.json"];

/// A language of the programs.
struct Language {
    title: &'static str,
    extension: &'static str,
    /// The words after the fence of a block.
    fence: &'static str,
}

const fn language(title: &'static str, extension: &'static str, fence: &'static str) -> Language {
    Language { title, extension, fence }
}

/// In the order of the pages.
const LANGUAGES: [Language; 6] = [
    // Compiled where they run: a page of the book is no doc test.
    language("Rust", "rs", "rust,ignore"),
    language("C", "c", "c"),
    language("PHP", "php", "php"),
    language("Python", "py", "python"),
    language("Node", "mjs", "js"),
    language("Command", "sh", "sh"),
];

/// The files of `examples/reference`.
#[derive(Serialize)]
pub(crate) struct Reference {
    /// The calls that have a page besides the operations.
    calls: [&'static str; 1],
    /// The examples of each page, by its name.
    examples: IndexMap<String, Example>,
    /// A response for each kind of `next_action`, with its request.
    next_actions: Vec<Action>,
}

#[derive(Serialize)]
struct Action {
    /// The `payment_type_code` of the request.
    method: String,
    kind: String,
    /// These as JSON of several lines.
    next_action: String,
    response: String,
}

impl Action {
    fn of(entry: &Value) -> Self {
        let text = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str);
        Self {
            method: text("/request/payment/payment_type_code").unwrap_or_default().to_owned(),
            kind: text("/next_action/kind").unwrap_or_default().to_owned(),
            next_action: format!("{:#}", entry["next_action"]),
            response: format!("{:#}", entry["response"]),
        }
    }
}

#[derive(Serialize)]
struct Example {
    programs: Vec<Program>,
    /// The output of the programs, as JSON.
    response: String,
}

#[derive(Serialize)]
struct Program {
    language: &'static str,
    extension: &'static str,
    fence: &'static str,
    /// None if a template makes it.
    text: Option<String>,
}

/// Reads these files. Each page has a program in each language; the suite writes the
/// response.
pub(super) fn read(files: &[Text], operations: &[Operation], mistakes: &mut Mistakes) -> Reference {
    let folder = "examples/reference";
    let text = |name: &str| files.iter().find(|it| it.name() == name).map(|it| it.text.clone());
    let calls = CALLS.map(|name| (name, false));
    let names = operations.iter().map(|it| (it.name.as_str(), it.is_typed));
    let mut wanted = Vec::from(OTHERS.map(str::to_owned));
    let mut examples = IndexMap::new();
    let before =
        operations.iter().filter(|it| it.sample.as_ref().is_some_and(Sample::needs_a_payment));
    wanted.extend(before.map(|it| format!("{}.before.sh", it.name)));
    for (name, is_generated) in names.chain(calls) {
        let programs = LANGUAGES.iter().map(|it| {
            let Language { title, extension, fence } = *it;
            let file = format!("{name}.{extension}");
            let text = if is_generated { None } else { text(&file) };
            if text.is_none() && !is_generated {
                let what = format!("is missing: the program in {title} of {name}");
                mistakes.add(&format!("{folder}/{file}"), what);
            }
            wanted.push(file);
            Program { language: title, extension, fence, text }
        });
        let programs = programs.collect();
        let response = format!("{name}.json");
        let example = Example { programs, response: text(&response).unwrap_or_default() };
        wanted.push(response);
        examples.insert(name.to_owned(), example);
    }
    for file in files.iter().filter(|file| !wanted.iter().any(|it| it == file.name())) {
        mistakes.add(&file.path, "belongs to no page: its name is no operation or no language");
    }
    let next_actions = text("next_actions.json").unwrap_or_default();
    let next_actions: Vec<Value> = serde_json::from_str(&next_actions).unwrap_or_else(|error| {
        mistakes.add(&format!("{folder}/next_actions.json"), error);
        Vec::new()
    });
    let next_actions = next_actions.iter().map(Action::of).collect();
    Reference { calls: CALLS, examples, next_actions }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_and_a_superfluous_program_are_named() {
        let file = |name: &str, text: &str| Text {
            path: format!("examples/reference/{name}"),
            text: text.to_owned(),
        };
        let mut files: Vec<_> = LANGUAGES
            .iter()
            .map(|it| file(&format!("ensure_payment.{}", it.extension), ""))
            .collect();
        files.extend([file("ensure_payment.json", "{}"), file("next_actions.json", "[]")]);
        let mistakes = |files: &[Text]| {
            let mut mistakes = Mistakes::default();
            read(files, &[], &mut mistakes);
            mistakes.0
        };
        assert_eq!(mistakes(&files), [""; 0]);
        files.remove(2);
        files.push(file("pay.rb", ""));
        assert_eq!(
            mistakes(&files),
            [
                "examples/reference/ensure_payment.php: is missing: the program in PHP of ensure_payment",
                "examples/reference/pay.rb: belongs to no page: its name is no operation or no language",
            ]
        );
    }
}
