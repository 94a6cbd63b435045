//! The description in `spec/`, as it is written there: one file here for each
//! subject.

mod cancellation;
mod codes;
mod configuration;
mod diagnosis;
mod errors;
mod events;
mod findings;
mod journal;
mod levels;
mod members;
mod methods;
mod objects;
mod operations;
mod outcomes;
mod reference;
mod requests;
mod responses;
pub(crate) mod samples;
mod service_codes;

use std::path::Path;

use indexmap::IndexMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::file::ROOT;

/// The whole description, as the templates see it.
#[derive(Serialize)]
pub(crate) struct Spec {
    /// The sets of codes that responses have.
    pub(crate) codes: codes::Codes,
    pub(crate) configuration: configuration::Configuration,
    /// The pages of errors: kinds by their numbers, then those without one.
    pub(crate) errors: Vec<errors::ErrorPage>,
    /// The kinds of errors that every language has, by their numbers.
    kinds: Vec<errors::Kind>,
    /// Those that only C has.
    c_kinds: Vec<errors::Kind>,
    /// Each of these kinds with each outcome but `not_executed` that it can have.
    failures: Vec<errors::Failure>,
    #[serde(flatten)]
    outcomes: outcomes::Outcomes,
    error: members::ErrorMembers,
    diagnosis: diagnosis::Diagnosis,
    #[serde(flatten)]
    events: events::Events,
    /// The findings of `lint`, by their codes.
    findings: IndexMap<String, findings::Finding>,
    /// The payment methods, and their countries.
    #[serde(flatten)]
    methods: methods::Methods,
    /// The operations with their requests, in the order of the documentation.
    pub(crate) operations: Vec<operations::Operation>,
    /// Members that objects of requests may have besides their own.
    pub(crate) requests: Option<requests::Common>,
    /// The objects of JSON requests, inner ones first, with the integration key.
    objects: Vec<requests::Object>,
    /// The members of all these requests, once each.
    members: IndexMap<String, requests::Member>,
    /// The members of each request with those of inner objects, by path.
    places: IndexMap<String, Vec<(String, requests::Member)>>,
    /// The least and the most characters of texts of requests, by path.
    lengths: IndexMap<String, [u32; 2]>,
    /// The table of a journal.
    pub(crate) journal: journal::Journal,
    /// The objects of responses.
    pub(crate) responses: responses::Responses,
    /// The levels of a language, and the level of each.
    levels: levels::Levels,
    /// The codes of refusals.
    #[serde(flatten)]
    service_codes: service_codes::KnownCodes,
    /// The examples of the reference.
    reference: reference::Reference,
}

/// Reads and checks the description.
///
/// # Errors
/// The first mistake, with its place.
pub(crate) fn read() -> Result<Spec, String> {
    let mut mistakes = Mistakes::default();
    let outcomes = outcomes::read(&file("spec/outcomes.toml"), &mut mistakes);
    let error = members::read(&file("spec/error_members.toml"), &mut mistakes);
    let errors = errors::read(&folder("spec/errors"), &outcomes, &error, &mut mistakes);
    let kinds = errors::kinds(&errors, None);
    let codes = codes::read(&file("spec/codes.toml"), &mut mistakes);
    let files = folder("spec/operations");
    let mut operations = operations::read(&files, &codes, &mut mistakes);
    operations::sort(&mut operations, &file("spec/order.toml"), &mut mistakes);
    let requests = requests::read(&file("spec/requests.toml"), &mut mistakes);
    let key = requests.as_ref().map(|it| &it.integration_key);
    let places = |it: &operations::Operation| (it.name.clone(), objects::places(it, key));
    let responses = responses::read(&files, &mut operations, &codes, &mut mistakes);
    samples::complete(&files, &mut operations, &mut mistakes);
    let methods = methods::read(&file("spec/methods.toml"), &responses, &mut mistakes);
    methods.complete(&mut operations);
    errors::check_named(&errors, &operations, &files, &mut mistakes);
    let spec = Spec {
        objects: objects::objects(&operations, key),
        members: objects::members(&operations, key),
        places: operations.iter().map(places).collect(),
        lengths: objects::lengths(&operations),
        reference: reference::read(&folder("examples/reference"), &operations, &mut mistakes),
        methods,
        configuration: configuration::read(&file("spec/configuration.toml"), &mut mistakes),
        failures: errors::failures(&kinds),
        c_kinds: errors::kinds(&errors, Some(errors::Only::C)),
        events: events::read(&file("spec/events.toml"), &mut mistakes),
        findings: findings::read(&file("spec/findings.toml"), &errors, &mut mistakes),
        errors,
        kinds,
        outcomes,
        error,
        diagnosis: diagnosis::read(&file("spec/diagnosis.toml"), &mut mistakes),
        responses,
        codes,
        journal: journal::read(&file("spec/journal.toml"), &operations, &mut mistakes),
        operations,
        requests,
        levels: levels::read(&file("spec/levels.toml"), &mut mistakes),
        service_codes: service_codes::read(&file("spec/service_codes.toml"), &mut mistakes),
    };
    mistakes.or(spec)
}

/// One file of the description.
pub(crate) struct Text {
    /// Its path from the root of the repository.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Text {
    /// The place of the first line that begins with `start`, for a message.
    pub(crate) fn place(&self, start: &str) -> String {
        let index = self.text.lines().position(|it| it.starts_with(start));
        format!("{}:{}", self.path, index.map_or(0, |index| index + 1))
    }

    /// The place of a key in a table, which is `""` above the first one.
    pub(crate) fn place_of(&self, table: &str, key: &str) -> String {
        let mut current = "";
        let index = self.text.lines().position(|line| {
            if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                current = name;
            }
            let is_key = line.split_once('=').is_some_and(|(it, _)| it.trim() == key);
            current == table && is_key
        });
        format!("{}:{}", self.path, index.map_or(0, |index| index + 1))
    }

    /// Its name in its folder.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Its contents. `None` if it cannot be read as a `T`.
    pub(crate) fn parsed<T: DeserializeOwned>(&self, mistakes: &mut Mistakes) -> Option<T> {
        let error = match toml::from_str(&self.text) {
            Ok(parsed) => return Some(parsed),
            Err(error) => error,
        };
        let start = error.span().map_or(0, |at| at.start);
        let line = 1 + self.text[..start].matches('\n').count();
        mistakes.add_unreadable(&format!("{}:{line}", self.path), error.message());
        None
    }
}

fn file(path: &str) -> Text {
    Text { path: path.to_owned(), text: crate::file::read(path) }
}

/// The files of a folder, in the order of their names.
pub(crate) fn folder(folder: &str) -> Vec<Text> {
    let entries = std::fs::read_dir(Path::new(ROOT).join(folder)).into_iter().flatten().flatten();
    let mut paths: Vec<_> =
        entries.map(|entry| format!("{folder}/{}", entry.file_name().display())).collect();
    paths.sort();
    paths.iter().map(|path| file(path)).collect()
}

/// Mistakes in the description, and whether they are files that cannot be read.
#[derive(Default)]
pub(crate) struct Mistakes(Vec<String>, bool);

impl Mistakes {
    /// Adds one, unless a file cannot be read: others would only follow from that.
    pub(crate) fn add(&mut self, place: &str, what: impl std::fmt::Display) {
        if !self.1 {
            self.0.push(format!("{place}: {what}"));
        }
    }

    fn add_unreadable(&mut self, place: &str, what: &str) {
        if !std::mem::replace(&mut self.1, true) {
            self.0.clear();
        }
        self.0.push(format!("{place}: {what}"));
    }

    /// The first mistake: others may follow from it.
    fn or<T>(self, good: T) -> Result<T, String> {
        self.0.into_iter().next().map_or(Ok(good), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_hides_the_mistakes_that_follow() {
        let file = Text { path: "spec/a.toml".to_owned(), text: "a = 1\nb =\n".to_owned() };
        let mut mistakes = Mistakes::default();
        mistakes.add("spec/b.toml:1", "names no a");
        assert!(file.parsed::<toml::Table>(&mut mistakes).is_none());
        mistakes.add("spec/c.toml:1", "names no a");
        let mistake = mistakes.or(()).unwrap_err();
        assert!(
            mistake.starts_with("spec/a.toml:2: ") && mistake.lines().count() == 1,
            "{mistake}"
        );
        assert_eq!(Mistakes::default().or(1), Ok(1));
    }
}
