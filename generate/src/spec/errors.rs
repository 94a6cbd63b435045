//! `spec/errors`: each page in one file or more, of one kind or several.

#[cfg(test)]
mod occurrences;

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::members::ErrorMembers;
use super::operations::Operation;
use super::outcomes::Outcomes;
use super::{Mistakes, Text};

/// The default outcome of a kind.
const NOT_EXECUTED: &str = "not_executed";
const UNKNOWN: &str = "unknown";

/// The most codes without a sentence that says who acts on them, and how: the
/// current number.
const CODES_WITHOUT_ACTS: usize = 99;

/// Kinds of errors that are made before anything is sent.
const NEVER_SEND: [&str; 3] = ["config", "validation", "usage"];

/// One file of `spec/errors`: a kind of error, and its codes.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorPage {
    /// The first kind of the page that these sections belong to, if it is in another file.
    page: Option<String>,
    /// The heading of the page.
    #[serde(default)]
    title: String,
    about: Option<String>,
    #[serde(default)]
    kind: Vec<Kind>,
    section: Vec<Section>,
}

/// A kind of error.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kind {
    name: String,
    /// The languages that have it, unless all do.
    only: Option<Only>,
    /// Its number in C, which never changes. It decides the order of kinds.
    number: Option<u32>,
    /// Its meaning, in one sentence.
    #[serde(default)]
    meaning: String,
    /// Further sentences. Members of an error are in backticks.
    #[serde(default)]
    more: String,
    /// The outcomes that an error can have.
    #[serde(default)]
    outcomes: Vec<String>,
    /// The outcomes in words, or the name of the only one.
    #[serde(default)]
    outcome: String,
    /// The command's exit code if it was not executed, unless the usual one.
    exit: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Only {
    C,
    Command,
}

/// A kind with an outcome that it can have.
#[derive(Serialize)]
pub(super) struct Failure {
    kind: String,
    outcome: String,
}

/// Codes under one heading.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Section {
    title: Option<String>,
    about: Option<String>,
    /// The kind of its codes that name none, on a page of several kinds.
    kind: Option<String>,
    code: IndexMap<String, Code>,
}

/// A code: one for all situations in which a program or an operator acts alike.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Code {
    /// The situations that it is for.
    cause: String,
    /// The steps to take.
    remedy: String,
    /// The text below the table of the section.
    more: Option<String>,
    /// The kinds of its errors with the outcomes that each of them has, unless they
    /// are the section's kind with all its outcomes. The first is its main one.
    #[serde(default)]
    kinds: IndexMap<String, Vec<String>>,
    /// Whether money may have moved: its outcome in words, unless its kinds say it.
    outcome: Option<String>,
    /// The person or program that acts on this code alone, and how.
    acts: Option<String>,
    /// Messages that are always the same, by their names.
    #[serde(default)]
    messages: IndexMap<String, Message>,
    /// Messages that are made where the error is made, as examples. After reading,
    /// those of `messages` come first.
    #[serde(default)]
    examples: Vec<String>,
}

/// A message of a code.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Message {
    /// The finding, and its remedy. `{name}` is filled in where the error is made.
    text: String,
    /// The kind of the error, unless it is the code's main one.
    kind: Option<String>,
    /// The member at fault, unless the message is for several.
    path: Option<String>,
    /// The return codes of C_Login of PKCS#11 in this case.
    #[serde(default)]
    ckr: Vec<String>,
    /// The names that the message has places for.
    #[serde(skip_deserializing)]
    fills: Vec<String>,
}

impl ErrorPage {
    /// The first kind of the whole page.
    fn name(&self) -> &str {
        let first = self.kind.first().map(|kind| &kind.name);
        self.page.as_ref().or(first).map_or("", String::as_str)
    }
}

impl Code {
    /// Fills in derived values, and returns the mistakes.
    fn complete(&mut self, code: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        let acts = self.acts.as_ref().map(|acts| ("acts", acts));
        for (key, sentence) in
            [("cause", &self.cause), ("remedy", &self.remedy)].into_iter().chain(acts)
        {
            if !sentence.ends_with('.') {
                wrong.push(format!("the {key} of {code} is no sentence"));
            }
        }
        let mut examples = Vec::new();
        for message in self.messages.values_mut() {
            examples.push(message.complete());
        }
        examples.append(&mut self.examples);
        self.examples = examples;
        if self.examples.is_empty() {
            wrong.push(format!("{code} has no message"));
        }
        if self.examples.iter().any(|text| text.ends_with('.')) {
            wrong.push(format!("a message of {code} ends with a full stop"));
        }
        wrong
    }

    /// Fills in its kinds and its outcome in words. `main` is the kind of its
    /// section.
    fn complete_kinds(&mut self, main: Option<&Kind>, all: &[Kind]) -> Result<(), String> {
        if self.kinds.is_empty() {
            let main = main.ok_or("has no kind")?;
            self.kinds.insert(main.name.clone(), main.outcomes.clone());
        }
        let mut words = BTreeSet::new();
        for (name, outcomes) in &self.kinds {
            let kind = all.iter().find(|kind| kind.name == *name);
            let kind = kind.ok_or_else(|| format!("names no kind {name}"))?;
            match outcomes.iter().find(|it| !kind.outcomes.contains(it)) {
                Some(other) => return Err(format!("has {other}, which kind {name} has not")),
                None if outcomes.is_empty() => return Err(format!("has no outcome as {name}")),
                None if outcomes.len() == kind.outcomes.len() => words.insert(kind.outcome.clone()),
                None if outcomes.len() == 1 => words.insert(format!("`{}`", outcomes[0])),
                None => words.insert(String::new()),
            };
        }
        let words: Vec<_> = words.into_iter().collect();
        match (&self.outcome, &words[..]) {
            (None, [only]) if !only.is_empty() => self.outcome = Some(only.clone()),
            (None, _) => return Err("needs its outcome in words".to_owned()),
            (Some(said), [only]) if said == only => {
                return Err("has the outcome of its kind in words".to_owned());
            }
            (Some(_), _) => {}
        }
        let main = self.kinds.keys().next().cloned().unwrap_or_default();
        for message in self.messages.values_mut() {
            let kind = message.kind.get_or_insert_with(|| main.clone());
            if !self.kinds.contains_key(kind) {
                return Err(format!("has a message of kind {kind}, which is none of its kinds"));
            }
            let is_filled = message.path.is_some() || !message.fills.is_empty();
            if kind != "config" && (is_filled || !message.ckr.is_empty()) {
                return Err("has a message with places, path or ckr, not of kind config".to_owned());
            }
        }
        match self.sends_never_and_perhaps() {
            Some((never, perhaps)) => Err(format!(
                "is of kind {never}, which never sends, and of kind {perhaps}, after which \
                 something may have been sent"
            )),
            None => Ok(()),
        }
    }

    /// A kind that never sends, and one after which something may have been sent.
    fn sends_never_and_perhaps(&self) -> Option<(&str, &str)> {
        let never = self.kinds.keys().find(|kind| NEVER_SEND.contains(&&***kind))?;
        let has_more = |outcomes: &Vec<String>| outcomes.iter().any(|it| it != NOT_EXECUTED);
        let (perhaps, _) = self.kinds.iter().find(|(_, outcomes)| has_more(outcomes))?;
        Some((never, perhaps))
    }
}

impl Message {
    /// Fills in derived values, and returns the text as an example.
    fn complete(&mut self) -> String {
        let mut parts = self.text.split('{');
        let mut example = parts.next().unwrap_or_default().to_owned();
        for (name, rest) in parts.filter_map(|part| part.split_once('}')) {
            if !self.fills.iter().any(|it| it == name) {
                self.fills.push(name.to_owned());
            }
            example += "…";
            example += rest;
        }
        example
    }
}

/// The pages in these files.
pub(super) fn read(
    files: &[Text],
    outcomes: &Outcomes,
    members: &ErrorMembers,
    mistakes: &mut Mistakes,
) -> Vec<ErrorPage> {
    let mut pages: Vec<(&Text, ErrorPage)> = Vec::new();
    for file in files {
        pages.extend(file.parsed(mistakes).map(|page| (file, page)));
    }
    let codes = codes(&mut pages, mistakes);
    let all = pages.iter().flat_map(|(_, page)| &page.section).flat_map(|it| &it.code);
    let without_acts = all.filter(|(_, code)| code.acts.is_none()).count();
    if without_acts > CODES_WITHOUT_ACTS {
        mistakes.add(
            "spec/errors",
            format!(
                "{without_acts} codes have no `acts`, and {CODES_WITHOUT_ACTS} may: a new code \
                 says who acts how, or its situation is a message of another"
            ),
        );
    }
    let mut kinds = Kinds { outcomes, members, codes, places: BTreeMap::new() };
    for (file, page) in &mut pages {
        for kind in &mut page.kind {
            kinds.check(kind, file, mistakes);
        }
    }
    let of_page = |page: &ErrorPage| (page.name().to_owned(), page.kind.clone());
    let whole = pages.iter().map(|(_, page)| page).filter(|page| page.page.is_none());
    let kinds: BTreeMap<_, _> = whole.map(of_page).collect();
    let all: Vec<Kind> = kinds.values().flatten().cloned().collect();
    for (file, page) in &mut pages {
        match kinds.get(page.name()) {
            Some(kinds) => complete(page, kinds, &all, file, mistakes),
            None => mistakes.add(&file.place("page = "), "no page has this kind first"),
        }
    }
    let mut pages = joined(pages.into_iter().map(|(_, page)| page));
    let number = |page: &ErrorPage| {
        page.kind.iter().filter(|kind| kind.only.is_none()).find_map(|kind| kind.number)
    };
    pages.sort_by_key(|page| number(page).unwrap_or(u32::MAX));
    pages
}

/// The whole pages.
fn joined(files: impl Iterator<Item = ErrorPage>) -> Vec<ErrorPage> {
    let mut pages: Vec<ErrorPage> = Vec::new();
    for file in files {
        match pages.iter_mut().find(|page| file.page.as_deref() == Some(page.name())) {
            Some(page) => page.section.extend(file.section),
            None => pages.push(file),
        }
    }
    pages
}

/// The places of all codes.
fn codes(pages: &mut [(&Text, ErrorPage)], mistakes: &mut Mistakes) -> BTreeMap<String, String> {
    let mut places = BTreeMap::new();
    for (file, page) in pages {
        for (code, entry) in page.section.iter_mut().flat_map(|section| &mut section.code) {
            let place = file.place(&format!("[section.code.{code}]"));
            for wrong in entry.complete(code) {
                mistakes.add(&place, wrong);
            }
            if let Some(other) = places.insert(code.clone(), place.clone()) {
                mistakes.add(&place, format!("{code} stands at {other} already"));
            }
        }
    }
    places
}

/// Checks that each operation names errors, by codes that there are.
pub(super) fn check_named(
    pages: &[ErrorPage],
    operations: &[Operation],
    files: &[Text],
    mistakes: &mut Mistakes,
) {
    let sections = || pages.iter().flat_map(|page| &page.section);
    for operation in operations {
        let is_of = |file: &&Text| file.name().trim_end_matches(".toml") == operation.name;
        let Some(file) = files.iter().find(is_of) else { continue };
        let place = file.place_of("", "errors");
        if operation.errors.is_empty() {
            mistakes.add(&place, "needs errors: the codes that its callers handle");
        }
        for code in &operation.errors {
            if !sections().any(|section| section.code.contains_key(code)) {
                mistakes.add(&place, format!("there is no code {code}"));
            }
        }
    }
}

/// Gives each code the kinds and the outcome that its section or page says. `all`
/// are the kinds of all pages.
fn complete(
    page: &mut ErrorPage,
    kinds: &[Kind],
    all: &[Kind],
    file: &Text,
    mistakes: &mut Mistakes,
) {
    let only = match kinds {
        [only] => Some(&only.name),
        _ => None,
    };
    for section in &mut page.section {
        let named = section.kind.as_ref().or(only);
        let main = kinds.iter().find(|kind| Some(&kind.name) == named);
        for (name, code) in &mut section.code {
            if let Err(wrong) = code.complete_kinds(main, all) {
                let place = file.place(&format!("[section.code.{name}]"));
                mistakes.add(&place, format!("{name} {wrong}"));
            }
        }
    }
}

/// The context in which kinds are checked.
struct Kinds<'a> {
    outcomes: &'a Outcomes,
    members: &'a ErrorMembers,
    codes: BTreeMap<String, String>,
    /// The place of each name and each number.
    places: BTreeMap<String, String>,
}

impl Kinds<'_> {
    /// Checks a kind, and fills in its defaults.
    fn check(&mut self, kind: &mut Kind, file: &Text, mistakes: &mut Mistakes) {
        let place = file.place(&format!("name = \"{}\"", kind.name));
        let mut wrong = |what: String| mistakes.add(&place, format!("kind {}: {what}", kind.name));
        let number = kind.number.map(|number| number.to_string());
        for unique in [Some(kind.name.clone()), number].into_iter().flatten() {
            if let Some(other) = self.places.insert(unique.clone(), place.clone()) {
                wrong(format!("{unique} stands at {other} already"));
            }
        }
        let is_command = kind.only == Some(Only::Command);
        if kind.number.is_none_or(|number| number == 0) != is_command {
            wrong("it has a number above 0, or is of the command only".to_owned());
        }
        if kind.meaning.ends_with('.') == is_command {
            wrong("its meaning is a sentence, unless it is of the command only".to_owned());
        }
        for name in kind.more.split('`').skip(1).step_by(2) {
            if !self.members.has(name) && !self.codes.contains_key(name) {
                wrong(format!("`{name}` is neither a member of an error nor a code"));
            }
        }
        if kind.outcomes.is_empty() {
            kind.outcomes.push(NOT_EXECUTED.to_owned());
        }
        for outcome in kind.outcomes.iter().filter(|it| !self.outcomes.outcome.contains_key(*it)) {
            wrong(format!("there is no [outcome.{outcome}]"));
        }
        match (&*kind.outcomes, kind.outcome.is_empty()) {
            ([only], true) => kind.outcome = format!("`{only}`"),
            ([_], false) => wrong("it has one outcome, which needs no words".to_owned()),
            (_, true) => wrong("its outcome in words is missing".to_owned()),
            _ => {}
        }
        if let Some(exit) = kind.exit.as_ref().filter(|it| !self.outcomes.exit.contains_key(*it)) {
            wrong(format!("there is no [exit] {exit}"));
        }
    }
}

/// Whether there is such a code.
pub(super) fn has_code(pages: &[ErrorPage], code: &str) -> bool {
    pages.iter().flat_map(|page| &page.section).any(|section| section.code.contains_key(code))
}

/// The kinds that every language has, or `only` one, by their numbers. Any error of
/// `ensure_payment` may be `unknown`: its outcome is that of the reference.
pub(super) fn kinds(pages: &[ErrorPage], only: Option<Only>) -> Vec<Kind> {
    let all = pages.iter().flat_map(|page| &page.kind);
    let mut kinds: Vec<_> = all.filter(|kind| kind.only == only).cloned().collect();
    for kind in kinds.iter_mut().filter(|_| only.is_none()) {
        if !kind.outcomes.iter().any(|it| it == UNKNOWN) {
            kind.outcomes.push(UNKNOWN.to_owned());
        }
    }
    kinds.sort_by_key(|kind| kind.number);
    kinds
}

/// The kinds with the outcomes after which nothing may be sent again.
pub(super) fn failures(kinds: &[Kind]) -> Vec<Failure> {
    let of = |kind: &Kind| {
        let name = kind.name.clone();
        let outcomes = kind.outcomes.clone().into_iter().filter(|outcome| outcome != NOT_EXECUTED);
        outcomes.map(move |outcome| Failure { kind: name.clone(), outcome }).collect::<Vec<_>>()
    };
    kinds.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{members, outcomes};

    const KIND: &str = "title = 'One'\n[[kind]]\nname = \"one\"\nnumber = 1\nmeaning = 'It is.'\n";
    const CODE: &str = "[[section]]\n[section.code.one]\ncause = 'It is.'\nremedy = 'Do.'\n\
                        examples = ['it is']\n";

    fn text(path: impl Into<String>, text: impl Into<String>) -> Text {
        Text { path: path.into(), text: text.into() }
    }

    fn mistakes(texts: &[String]) -> Vec<String> {
        let mut mistakes = Mistakes::default();
        let known = "[outcome.not_executed]\nnumber = 0\nmeaning = ''\nexit = 'bad'\n\
                     [outcome.unknown]\nnumber = 1\nmeaning = ''\nexit = 'bad'\n\
                     [exit]\nbad = { code = 1, meaning = '' }\n";
        let outcomes = outcomes::read(&text("outcomes", known), &mut mistakes);
        let members = "explain = { command = '', python = '', node = '', php = '' }\n\
                       [members]\nhelp = { type = 'text', doc = 'it' }\n[details]\nbody = { doc = 'it' }\n";
        let members = members::read(&text("members", members), &mut mistakes);
        let files: Vec<_> = (0..).zip(texts).map(|(n, it)| text(format!("{n}.toml"), it)).collect();
        read(&files, &outcomes, &members, &mut mistakes);
        mistakes.0
    }

    #[test]
    fn a_mistake_is_named_with_its_file_and_line() {
        let code = |old: &str, new: &str| mistakes(&[KIND.to_owned() + &CODE.replace(old, new)]);
        assert_eq!(code("", ""), [""; 0]);
        assert_eq!(code("Do.", "do"), ["0.toml:7: the remedy of one is no sentence"]);
        assert_eq!(
            code("remedy", "remdy"),
            ["0.toml:9: unknown field `remdy`, expected one of `cause`, `remedy`, `more`, \
                 `kinds`, `outcome`, `acts`, `messages`, `examples`"]
        );
        let add = |lines: &str| code("remedy", &format!("{lines}\nremedy"));
        assert_eq!(add("messages.a = { text = 'it is' }"), [""; 0]);
        let stop = ["0.toml:7: a message of one ends with a full stop"];
        assert_eq!(add("messages.a = { text = 'It is.' }"), stop);
        assert_eq!(code("it is'", "It is.'"), stop);
        let none = code("examples = ['it is']", "");
        assert_eq!(none, ["0.toml:7: one has no message"]);
        assert_eq!(add("acts = 'we'"), ["0.toml:7: the acts of one is no sentence"]);
        assert_eq!(code("remedy = 'Do.'", ""), ["0.toml:7: missing field `remedy`"]);
        let more = |page: &str| {
            mistakes(&[
                format!("{KIND}{CODE}"),
                format!("page = '{page}'\n{}", CODE.replace("code.one", "code.two")),
            ])
        };
        assert_eq!(more("one"), [""; 0]);
        assert_eq!(more("two"), ["1.toml:1: no page has this kind first"]);
        let twice = mistakes(&[format!("{KIND}{CODE}"), format!("{KIND}{CODE}")]);
        let again =
            |line, what: &str| format!("1.toml:{line}: {what} stands at 0.toml:{line} already");
        assert_eq!(twice, [again(7, "one"), again(3, "kind one: one"), again(3, "kind one: 1")]);
    }

    #[test]
    fn a_code_beyond_the_limit_says_who_acts_and_how() {
        let code = |n: usize, acts: &str| {
            format!(
                "[section.code.c{n}]\ncause = 'It is.'\nremedy = 'Do.'\n{acts}examples = ['it']\n"
            )
        };
        let with = |last: &str| {
            let most: String = (0..CODES_WITHOUT_ACTS).map(|n| code(n, "")).collect();
            mistakes(&[format!("{KIND}[[section]]\n{most}{last}")])
        };
        assert_eq!(with(""), [""; 0]);
        assert_eq!(with(&code(100, "acts = 'A person decides.'\n")), [""; 0]);
        let wrong = with(&code(100, ""));
        assert!(wrong[0].starts_with("spec/errors: 100 codes have no `acts`"), "{wrong:?}");
    }

    #[test]
    fn a_code_has_kinds_that_send_alike() {
        let sent = "[[kind]]\nname = \"sent\"\nnumber = 2\nmeaning = 'It is.'\n\
                    outcomes = ['not_executed', 'unknown']\noutcome = 'it'\n";
        let kind = KIND.replace("\"one\"", "\"config\"");
        let code = CODE.replace("[[section]]", "[[section]]\nkind = 'config'");
        let with = |lines: &str| mistakes(&[format!("{kind}{sent}{code}{lines}\n")]);
        let wrong = |what: &str| vec![format!("0.toml:14: one {what}")];
        assert_eq!(with("messages.a = { text = 'it is {what}', path = 'a' }"), [""; 0]);
        assert_eq!(with("kinds = { sent = ['unknown'] }"), [""; 0]);
        assert_eq!(with("kinds = { two = ['unknown'] }"), wrong("names no kind two"));
        assert_eq!(with("kinds = { config = [] }"), wrong("has no outcome as config"));
        let outcome = with("kinds = { config = ['unknown'] }");
        assert_eq!(outcome, wrong("has unknown, which kind config has not"));
        let other = with("messages.a = { text = 'it is', kind = 'sent' }");
        assert_eq!(other, wrong("has a message of kind sent, which is none of its kinds"));
        let known = with("outcome = '`not_executed`'");
        assert_eq!(known, wrong("has the outcome of its kind in words"));
        let filled = "messages.a = { text = 'it is {what}' }\nkinds = { sent = ['unknown'] }";
        let filled = with(filled);
        assert_eq!(filled, wrong("has a message with places, path or ckr, not of kind config"));
        let both = "kinds = { config = ['not_executed'], sent = ['unknown'] }";
        assert_eq!(with(both), wrong("needs its outcome in words"));
        assert_eq!(
            with(&format!("outcome = 'it'\n{both}")),
            wrong(
                "is of kind config, which never sends, and of kind sent, after which something \
                 may have been sent"
            )
        );
    }

    #[test]
    fn a_kind_points_to_what_is_there() {
        let kind = |line: &str| mistakes(&[format!("{KIND}{line}\n{CODE}")]);
        let wrong = |what: &str| vec![format!("0.toml:3: kind one: {what}")];
        assert_eq!(kind("more = '`help`, `body` and `one`.'\nexit = 'bad'"), [""; 0]);
        assert_eq!(kind("more = '`x`.'"), wrong("`x` is neither a member of an error nor a code"));
        assert_eq!(kind("outcomes = ['no']"), wrong("there is no [outcome.no]"));
        assert_eq!(kind("exit = 'no'"), wrong("there is no [exit] no"));
        assert_eq!(kind("outcome = 'it'"), wrong("it has one outcome, which needs no words"));
        let two = kind("outcomes = ['not_executed', 'not_executed']");
        assert_eq!(two[..1], wrong("its outcome in words is missing"));
        assert_eq!(kind("only = 'command'").len(), 2);
    }
}
