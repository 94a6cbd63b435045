//! `spec/operations`: one file for each operation, with the objects of its
//! request.

mod check;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::cancellation::Cancellation;
use super::codes::{self, Codes};
use super::requests::Object;
use super::samples::Sample;
use super::{Mistakes, Text, responses};

/// One operation. Its name is that of its file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Operation {
    /// Its name in every language: `create_payment`.
    #[serde(skip_deserializing)]
    pub(crate) name: String,
    /// The name of its type, and of its request: `CreatePayment`.
    #[serde(skip_deserializing)]
    pub(crate) type_name: String,
    /// Method and path, such as `POST /ws/direct`; none takes any.
    pub(crate) http: Option<String>,
    /// The method in `http`, or empty.
    #[serde(skip_deserializing)]
    pub(crate) method: String,
    /// The path in `http`, or empty.
    #[serde(skip_deserializing)]
    pub(crate) path: String,
    /// The member of the configuration with the address of the path.
    #[serde(default)]
    pub(crate) address: Address,
    pub(crate) changes: Changes,
    /// Whether it moves money, as far as anybody knows.
    #[serde(skip_deserializing)]
    pub(crate) moves_money: bool,
    /// Whether executing it twice changes nothing, so that it may be retried.
    #[serde(skip_deserializing)]
    pub(crate) is_read_only: bool,
    /// A sentence in the third person.
    pub(crate) summary: String,
    /// Further sentences.
    #[serde(default)]
    pub(crate) details: String,
    /// JSON Pointers into the request: the first text there is the merchant's
    /// own reference, which errors and the journal have.
    #[serde(default)]
    pub(crate) reference: Vec<String>,
    /// The name of its response object; none if the body is not read.
    pub(crate) response: Option<String>,
    /// For a query, the member of the configuration with the codes of a refusal
    /// that says that it finds nothing.
    pub(crate) not_found: Option<String>,
    /// The codes of errors that its callers handle, in the order of the reference.
    #[serde(default)]
    pub(crate) errors: Vec<String>,
    /// The member of the configuration that turns it on; none if it is always on.
    pub(crate) switch: Option<String>,
    /// Whether it takes a JSON object and reads a response, as most do.
    #[serde(skip_deserializing)]
    pub(crate) is_typed: bool,
    /// The file of `core/src/model/request` that makes its request by hand.
    pub(crate) by_hand: Option<String>,
    /// None for an operation that changes nothing, whose outcome is never unknown.
    pub(crate) when_unknown: Option<WhenUnknown>,
    pub(crate) when_executed: WhenExecuted,
    /// The advice where a query with a switch finds it and is on.
    pub(crate) when_queried: Option<WhenQueried>,
    /// The signs of a success; none if every 2xx is one.
    pub(crate) success: Option<Success>,
    /// The members that its response repeats.
    pub(crate) echo: Option<Echo>,
    /// The members of its request that the journal records.
    pub(crate) journal: Option<Journal>,
    /// The requests that cancel an earlier one instead of moving money.
    pub(crate) cancellation: Option<Cancellation>,
    /// The object that it takes: the body, the query, or for `send` the head.
    pub(crate) request: Option<Object>,
    /// The request of its programs in `examples/reference`; none if they are written by
    /// hand.
    pub(crate) sample: Option<Sample>,
    /// The objects inside its request, by name.
    #[serde(default)]
    pub(crate) object: IndexMap<String, Object>,
    /// The objects of responses that it defines, by name.
    #[serde(default, skip_serializing)]
    pub(crate) responses: IndexMap<String, responses::Object>,
}

/// The member of the configuration with an address.
#[derive(Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Address {
    #[default]
    BaseUrl,
    AuthUrl,
}

/// The effect of an operation.
#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Changes {
    /// It moves money.
    Money,
    /// It moves no money, but executing it twice may do something twice.
    Other,
    Nothing,
    /// Nobody knows, so it is taken to move money.
    Unknown,
}

/// The meaning of an unknown outcome, and the remedy.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhenUnknown {
    /// Sentences that follow "With the outcome unknown, ".
    pub(crate) sentence: String,
    /// The same as the advice of an error.
    pub(crate) advice: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhenExecuted {
    /// The advice of an error whose operation was executed.
    pub(crate) advice: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhenQueried {
    /// The name of the query.
    by: String,
    /// The advice of an error whose outcome is unknown.
    unknown: String,
    /// The advice of an error whose operation was executed.
    executed: String,
}

/// The members that a 2xx response must have to be a success of its operation.
/// Not stated in the interface, which shows few responses. So it is broad, and
/// the configuration extends it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Success {
    /// JSON Pointers: a value at one of them is enough.
    pub(crate) signs: Vec<String>,
    /// A top-level `status` that is enough, since it is the state of the
    /// operation's object. Other texts survive, and show nothing. The name of a
    /// set of codes stands for all of them.
    pub(crate) states: Vec<String>,
    /// Whether a `status` of `SUCCESS` is enough on its own.
    #[serde(default)]
    pub(crate) alone: bool,
    /// The top-level `type` of a success; any other is a failure.
    pub(crate) envelope: Option<String>,
}

/// Identifiers of the request that its response repeats.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Echo {
    /// The object of the response that has them; they may be at the top too.
    pub(crate) object: String,
    /// Each with its place in the request. The first one that the response has
    /// decides: a payment queried by its hash may have any reference.
    pub(crate) members: IndexMap<String, String>,
    /// Those of them that must be equal letter by letter; others may differ in case
    /// and surrounding white space.
    #[serde(default)]
    pub(crate) exact: Vec<String>,
}

/// JSON Pointers into the request.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Journal {
    pub(crate) amount: Option<String>,
    pub(crate) currency: Option<String>,
    /// The member that tells several refunds of one payment apart. Without it,
    /// an operation has one entry for each reference.
    pub(crate) refund_code: Option<String>,
    /// The member of a query that takes the reference of an entry; none if no query
    /// finds the operation.
    pub(crate) found_by: Option<String>,
    /// A member with which no entry is written and nothing is sent.
    pub(crate) refuses: Option<String>,
}

/// The name of the operation in a file.
pub(super) fn stem(file: &Text) -> String {
    file.name().trim_end_matches(".toml").to_owned()
}

impl Operation {
    /// Fills in derived values.
    fn complete(&mut self, file: &Text, mistakes: &mut Mistakes) {
        self.name = stem(file);
        self.type_name = crate::filters::in_pascal(&self.name);
        if let Some((method, path)) = self.http.as_deref().and_then(|it| it.split_once(' ')) {
            (self.method, self.path) = (method.to_owned(), path.to_owned());
        }
        self.moves_money = matches!(self.changes, Changes::Money | Changes::Unknown);
        self.is_read_only = self.changes == Changes::Nothing;
        self.is_typed = self.request.is_some() && self.response.is_some();
        if let Some(request) = &mut self.request {
            request.complete(&self.type_name, "request", file, mistakes);
        }
        for (name, object) in &mut self.object {
            object.complete(name, &format!("object.{name}"), file, mistakes);
        }
    }
}

/// `spec/order.toml`: the operations in the order of the documentation.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    operations: Vec<String>,
}

/// Sorts operations in the order of the documentation, which names each once.
pub(super) fn sort(operations: &mut [Operation], file: &Text, mistakes: &mut Mistakes) {
    let Order { operations: names } = file.parsed(mistakes).unwrap_or_default();
    let place_of = |name: &str| file.place(&format!("    \"{name}\""));
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            mistakes.add(&place_of(name), format!("{name} is here twice"));
        }
        if operations.iter().all(|it| it.name != *name) {
            mistakes.add(&place_of(name), format!("spec/operations/{name}.toml does not exist"));
        }
    }
    for operation in operations.iter().filter(|it| !names.contains(&it.name)) {
        let what = format!("{} is missing: add it at its place", operation.name);
        mistakes.add(&file.place("operations"), what);
    }
    operations.sort_by_key(|operation| names.iter().position(|name| *name == operation.name));
}

/// The operations in these files.
pub(super) fn read(files: &[Text], codes: &Codes, mistakes: &mut Mistakes) -> Vec<Operation> {
    let mut operations = Vec::new();
    let mut objects = BTreeMap::new();
    let mut queries = Vec::new();
    for file in files {
        let Some(mut operation) = file.parsed::<Operation>(mistakes) else { continue };
        operation.complete(file, mistakes);
        if let Some(Success { states, .. }) = &mut operation.success
            && let Err(what) = codes::resolve(codes, states)
        {
            mistakes.add(&file.place_of("success", "states"), what);
        }
        operation.check(file, mistakes);
        for name in operation.object.keys() {
            let place = file.place(&format!("[object.{name}]"));
            if let Some(other) = objects.insert(name.clone(), place.clone()) {
                mistakes.add(&place, format!("{name} stands at {other} already"));
            }
        }
        if let Some(by) = operation.journal.as_ref().and_then(|it| it.found_by.clone()) {
            queries.push((file.place_of("journal", "found_by"), by));
        }
        operations.push(operation);
    }
    let found = |by: &String| operations.iter().any(|it| it.not_found.is_some() && it.takes(by));
    for (place, by) in queries.iter().filter(|(_, by)| !found(by)) {
        mistakes.add(place, format!("no query with not_found has a member {by}"));
    }
    check::queries(&operations, files, mistakes);
    operations
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "errors = []
http = 'POST /x'
changes = 'money'
summary = 'Pays it.'
reference = ['/inner/code']
[when_unknown]
sentence = 'it may be. Do not send it again.'
advice = 'do not send it again: let a person decide'
[when_executed]
advice = 'do not send it again'
[request]
doc = 'It.'
section = 'It'
others = 'pass'
[request.members]
inner = { type = 'Inner', doc = 'that' }
[object.Inner]
doc = 'Inner.'
section = 'It'
others = 'pass'
[object.Inner.members]
code = { required = true, doc = 'the code' }
";

    fn mistakes(texts: &[&str]) -> Vec<String> {
        let file = |(index, text): (usize, &&str)| Text {
            path: format!("{index}.toml"),
            text: (*text).to_owned(),
        };
        let files: Vec<_> = texts.iter().enumerate().map(file).collect();
        let mut mistakes = Mistakes::default();
        read(&files, &Codes::new(), &mut mistakes);
        mistakes.0
    }

    #[test]
    fn a_mistake_is_named_with_its_file_and_line() {
        assert_eq!(mistakes(&[GOOD]), [""; 0]);
        for (right, wrong, expected) in [
            ("it.", "it", "0.toml:4: the summary is no sentence"),
            ("POST /x", "POST", "0.toml:2: is no method and path"),
            ("/inner/code", "/inner/cod", "0.toml:5: the request has no /inner/cod"),
            ("'money'", "'nothing'", "0.toml:7: forbids to send again what moves no money"),
            ("'money'", "'nothing'", "0.toml:6: an operation has [when_unknown] if it changes"),
            ("let a person", "let one", "0.toml:8: does not forbid to move money again"),
            ("'Inner', doc", "'Inne', doc", "0.toml:16: there is no [object.Inne]"),
            (
                "the code'",
                "the code.'",
                "0.toml:22: code needs a phrase without a full stop as doc",
            ),
            (
                "'the code'",
                "'x', one_of = true",
                "0.toml:22: code is required in more than one way",
            ),
            (
                "errors = []",
                "errors = []\nby_hand = 'x'",
                "0.toml:2: core/src/model/request/x.rs does",
            ),
            (
                "'Inner', doc",
                "'[text or Inner]', doc",
                "0.toml:17: a list has texts or Inner: name",
            ),
            ("reference = ['/inner/code']\n", "", "0.toml:3: what moves money needs a reference"),
            (
                "[request]",
                "[journal]\nfound_by = 'code'\n[request]",
                "0.toml:12: no query with not_found has",
            ),
            (
                "[when_unknown]",
                "not_found = 'x_codes'\n[when_unknown]",
                "0.toml:6: a query changes nothing",
            ),
        ] {
            let found = mistakes(&[&GOOD.replace(right, wrong)]);
            assert!(found.iter().any(|it| it.starts_with(expected)), "{expected}: {found:?}");
        }
        let found = mistakes(&[&GOOD.replace("required", "requred")]);
        assert!(found[0].starts_with("0.toml:22: unknown field `requred`"), "{found:?}");
        let found = mistakes(&[GOOD, GOOD]);
        assert_eq!(found, ["1.toml:17: Inner stands at 0.toml:17 already"]);
    }

    #[test]
    fn advice_names_a_query_and_an_exact_echo_its_member() {
        let queried = "[when_queried]\nby = 'ask'\nunknown = ''\nexecuted = ''\n[request]";
        let echo = "[echo]\nobject = 'x'\nmembers = {}\nexact = ['code']\n[request]";
        for (table, expected) in [
            (queried, "0.toml:11: ask is no query with a switch"),
            (queried, "0.toml:11: does not forbid to send it again"),
            (echo, "0.toml:14: code is no member of it"),
        ] {
            let found = mistakes(&[&GOOD.replace("[request]", table)]);
            assert!(found.iter().any(|it| it.starts_with(expected)), "{expected}: {found:?}");
        }
    }

    #[test]
    fn the_keys_for_types_in_rust_are_there_if_they_are_needed() {
        let typed = GOOD.replace("errors = []", "errors = []\nresponse = 'That'");
        let required = "'that', required = true }\nx = { required = true, doc = 'x' }";
        for (right, wrong, expected) in [
            ("[request.", "body = 'X'\n[request.", "0 has a body, and is no request of several"),
            (
                "[request.",
                "example = true\n[request.",
                "core/src/model/request/typed/0.md does not",
            ),
            ("'that' }", required, "0 requires several members: give their type in Rust a name"),
        ] {
            let found = mistakes(&[&typed.replace(right, wrong)]);
            let expected = format!("0.toml:12: {expected}");
            assert!(found.iter().any(|it| it.starts_with(&expected)), "{expected}: {found:?}");
        }
    }

    #[test]
    fn the_order_names_each_operation_once() {
        let file = |path: &str, text: String| Text { path: path.to_owned(), text };
        let files = ["ask.toml", "pay.toml"].map(|path| file(path, GOOD.to_owned()));
        let ordered = |names: &str| {
            let mut mistakes = Mistakes::default();
            let mut operations = read(&files, &Codes::new(), &mut Mistakes::default());
            let order = file("order.toml", format!("operations = [\n{names}]\n"));
            sort(&mut operations, &order, &mut mistakes);
            let names = operations.into_iter().map(|it| it.name).collect::<Vec<_>>();
            (names.join(" "), mistakes.0.join("; "))
        };
        let (names, mistakes) = ordered("    \"pay\",\n    \"ask\",\n");
        assert_eq!((names.as_str(), mistakes.as_str()), ("pay ask", ""));
        for (names, expected) in [
            ("    \"pay\",\n", "order.toml:1: ask is missing: add it at its place"),
            (
                "    \"pay\",\n    \"ask\",\n    \"pay\",\n    \"asks\",\n",
                "order.toml:2: pay is here twice; \
                 order.toml:5: spec/operations/asks.toml does not exist",
            ),
        ] {
            assert_eq!(ordered(names).1, expected);
        }
    }
}
