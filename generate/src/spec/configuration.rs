//! `spec/configuration.toml`: the members of a configuration.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use toml::Value;

use super::{Mistakes, Text};
use crate::filters::without_links;

#[derive(Serialize)]
pub(crate) struct Configuration {
    /// The members, each with its name in files: one more for a member that may be in a file.
    pub(crate) entries: Vec<Member>,
    pub(crate) parts: Vec<Group>,
}

/// The members of one part of the library.
#[derive(Serialize)]
pub(crate) struct Group {
    name: Part,
    members: Vec<Member>,
}

/// A member. The head of the file explains the keys.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Member {
    #[serde(skip_deserializing)]
    name: String,
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default)]
    required: bool,
    default: Option<Value>,
    default_in_words: Option<String>,
    #[serde(default)]
    values: IndexMap<String, String>,
    #[serde(default)]
    forms: Vec<String>,
    file: Option<String>,
    least: Option<i64>,
    most: Option<i64>,
    because: Option<String>,
    #[serde(default)]
    requires: Vec<String>,
    #[serde(default)]
    excludes: Vec<String>,
    doc: String,
    more: Option<String>,
    #[serde(default)]
    part: Part,
    checked_by: Option<String>,
    set_by: Option<String>,

    /// The member that this one is the file of.
    #[serde(skip_deserializing)]
    file_of: Option<String>,
    /// `name` without its part and its unit.
    #[serde(skip_deserializing)]
    field: String,
    /// `doc` with unit and range.
    #[serde(skip_deserializing)]
    phrase: String,
    /// The kind of value that all languages know.
    #[serde(skip_deserializing)]
    shape: &'static str,
    /// The default as an environment variable has it.
    #[serde(skip_deserializing)]
    default_text: Option<String>,
    /// `phrase` and the default.
    #[serde(skip_deserializing)]
    purpose: String,
    /// `more` without links.
    #[serde(skip_deserializing)]
    remarks: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Text,
    Url,
    Choice,
    Secret,
    #[serde(rename = "private key")]
    PrivateKey,
    #[serde(rename = "public key")]
    PublicKey,
    Path,
    Certificates,
    Integer,
    Milliseconds,
    Switch,
    List,
    Object,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    Inputs,
    Pkcs11,
    #[default]
    Options,
    Rules,
}

impl Kind {
    fn shape(self) -> &'static str {
        match self {
            Self::Text | Self::Url | Self::Choice | Self::PublicKey => "text",
            Self::Secret | Self::PrivateKey => "secret",
            Self::Path | Self::Certificates => "path",
            Self::Integer | Self::Milliseconds => "integer",
            Self::Switch => "switch",
            Self::List => "list",
            Self::Object => "object",
        }
    }

    /// Whether a member may be given as the path of a file.
    fn may_be_a_file(self) -> bool {
        matches!(self, Self::Secret | Self::PrivateKey | Self::PublicKey)
    }

    /// Whether the library reads it before it is used.
    fn needs_reading(self) -> bool {
        self.may_be_a_file() || matches!(self, Self::Url | Self::Certificates)
    }

    fn takes(self, value: &Value) -> bool {
        match self.shape() {
            "integer" => value.is_integer(),
            "switch" => value.is_bool(),
            "list" => value.as_array().is_some_and(|list| list.iter().all(Value::is_str)),
            "object" => value.is_table(),
            _ => value.is_str(),
        }
    }
}

/// The members in this file.
pub(super) fn read(file: &Text, mistakes: &mut Mistakes) -> Configuration {
    let written: IndexMap<String, Member> = file.parsed(mistakes).unwrap_or_default();
    let mut members = Vec::new();
    for (name, member) in &written {
        let mut problems = problems(name, member);
        let others = member.requires.iter().chain(&member.excludes);
        let is_near = |other| written.get(other).is_some_and(|it: &Member| it.part == member.part);
        for other in others.filter(|other| !is_near(*other)) {
            problems.push(format!("{other} is no member of the same part"));
        }
        let files = written.iter().filter(|(_, other)| other.file.is_some());
        for (other, _) in files.filter(|(other, _)| *name == format!("{other}_file")) {
            problems.push(format!("{name} is the file of {other} already"));
        }
        for problem in problems {
            mistakes.add(&file.place(&format!("[{name}]")), format!("{name}: {problem}"));
        }
        members.push(described(Member { name: name.clone(), ..member.clone() }));
    }
    let parts = [Part::Inputs, Part::Pkcs11, Part::Options, Part::Rules].map(|name| {
        let members = members.iter().filter(|member| member.part == name);
        Group { name, members: members.cloned().collect() }
    });
    let entries = members.into_iter().flat_map(|member| {
        let file = file_of(&member);
        std::iter::once(member).chain(file)
    });
    Configuration { entries: entries.collect(), parts: parts.into() }
}

/// The mistakes of one member.
fn problems(name: &str, member: &Member) -> Vec<String> {
    let kind = member.kind;
    let part = member.part;
    let is_number = kind.shape() == "integer";
    let number = member.default.as_ref().and_then(Value::as_integer);
    let out_of_range = number.is_some_and(|number| {
        member.least.is_some_and(|least| number < least)
            || member.most.is_some_and(|most| number > most)
    });
    let default = member.default.as_ref();
    let is_known = |text: &str| member.values.contains_key(text);
    let is_used_as_it_is = matches!(part, Part::Options | Part::Rules);
    let is_made = |function: &&String| is_function(function);
    let sentence = |text: &String| text.ends_with(['.', ':']);
    let phrase = !member.doc.is_empty() && !member.doc.ends_with('.');
    let checks = [
        (default.is_some_and(|it| !kind.takes(it)), "the default is not of its type"),
        (out_of_range, "the default is out of its range"),
        (default.is_some() && member.default_in_words.is_some(), "has two defaults"),
        (member.required && default.is_some(), "has a default and is required"),
        (is_number != member.least.is_some(), "a number, and nothing else, has a `least`"),
        (member.most.is_some() && member.most < member.least, "`most` is below `least`"),
        (
            (kind == Kind::Milliseconds) != name.ends_with("_ms"),
            "the name of a number of milliseconds, and no other, ends in _ms",
        ),
        ((kind == Kind::Choice) == member.values.is_empty(), "a choice has `values`, nothing else"),
        (
            kind == Kind::Choice && !default.and_then(Value::as_str).is_some_and(is_known),
            "the default of a choice is one of its `values`",
        ),
        (
            member.file.is_some() && !kind.may_be_a_file(),
            "only secrets and keys are given as files",
        ),
        (
            kind.needs_reading() && is_used_as_it_is,
            "secrets, files and addresses are not used as they are: `part` is given or pkcs11",
        ),
        (kind == Kind::Choice && !is_used_as_it_is, "the `part` of a choice is options or rules"),
        (
            member.least.is_some_and(|least| least > 1) && member.most.is_none(),
            "a `least` above 1 needs a `most`",
        ),
        ((part == Part::Pkcs11) != name.starts_with("pkcs11_"), "`part` and name do not agree"),
        (!phrase, "`doc` is no phrase"),
        (member.more.as_ref().is_some_and(|it| !sentence(it)), "`more` is no sentence"),
        (
            [&member.checked_by, &member.set_by].into_iter().flatten().any(|it| !is_made(&it)),
            "the core has no function of that name",
        ),
    ];
    let wrong = checks.into_iter().filter(|(is_wrong, _)| *is_wrong);
    wrong.map(|(_, problem)| problem.to_owned()).collect()
}

/// Whether the configuration of the core has a function of this name.
fn is_function(name: &str) -> bool {
    let mut files = super::folder("core/src/config");
    files
        .extend(super::folder("core/src/model").into_iter().filter(|it| it.path.contains("rules")));
    let heads = [format!("fn {name}("), format!("fn {name}<")];
    files.iter().any(|file| heads.iter().any(|head| file.text.contains(head)))
}

/// The member with the texts made from its description.
fn described(mut member: Member) -> Member {
    member.shape = member.kind.shape();
    if member.kind == Kind::Switch {
        member.default.get_or_insert(false.into());
    }
    member.default_text = member.default.as_ref().map(|default| match default {
        Value::String(text) => text.clone(),
        Value::Array(texts) => {
            texts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        Value::Integer(number) => number.to_string(),
        other => other.as_bool().unwrap_or_default().to_string(),
    });
    let unit = if member.kind == Kind::Milliseconds { ", in milliseconds" } else { "" };
    let range = member.least.zip(member.most);
    let range = range.map(|(least, most)| format!("; {least} to {most}")).unwrap_or_default();
    member.phrase = format!("{}{unit}{range}", member.doc);
    let phrase = &member.phrase;
    member.purpose = match (&member.default_text, &member.default_in_words) {
        _ if member.required => format!("{phrase}; required"),
        (Some(text), _) => format!("{phrase} (default: `{text}`)"),
        (None, Some(words)) => format!("{phrase} (default: {words})"),
        (None, None) => phrase.clone(),
    };
    if member.field.is_empty() {
        let field = member.name.strip_prefix("pkcs11_").unwrap_or(&member.name);
        member.field = field.strip_suffix("_ms").unwrap_or(field).to_owned();
    }
    let more = member.more.as_deref().unwrap_or_default();
    let (more, _) = more.split_once("See [").unwrap_or((more, ""));
    member.remarks = without_links(more.trim_end());
    member
}

/// The member that holds the path of a file with the value of this one.
fn file_of(member: &Member) -> Option<Member> {
    let doc = member.file.clone()?;
    let of = Member {
        name: format!("{}_file", member.name),
        kind: Kind::Path,
        file_of: Some(member.name.clone()),
        file: None,
        more: None,
        default_in_words: None,
        doc,
        ..member.clone()
    };
    Some(described(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<String> {
        let mut mistakes = Mistakes::default();
        read(&Text { path: "it.toml".to_owned(), text: text.to_owned() }, &mut mistakes);
        mistakes.0
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        let good = "[one]\ntype = 'integer'\ndefault = 2\nleast = 1\ndoc = 'number of ones'\n";
        assert_eq!(mistakes(good), [""; 0]);
        for (from, to, problem) in [
            ("= 2", "= 'x'", "the default is not of its type"),
            ("= 2", "= 0", "the default is out of its range"),
            ("= 2", "= 2\nmost = 0", "the default is out of its range"),
            ("least = 1", "", "a number, and nothing else, has a `least`"),
            ("of ones", "of ones.", "`doc` is no phrase"),
            ("'integer'", "'integer'\nset_by = 'nobody'", "the core has no function of that name"),
            ("'integer'", "'integer'\nrequires = ['two']", "two is no member of the same part"),
        ] {
            let found = mistakes(&good.replace(from, to));
            assert_eq!(found.first(), Some(&format!("it.toml:1: one: {problem}")));
        }
        assert!(
            mistakes(&good.replace("least", "leest"))[0]
                .starts_with("it.toml:4: unknown field `leest`")
        );
        assert!(mistakes(&format!("{good}{good}"))[0].starts_with("it.toml:6: duplicate key"));
        let key = "[k]\ntype = 'secret'\npart = 'inputs'\ndoc = 'd'\nfile = 'f'\n";
        assert_eq!(mistakes(key), [""; 0]);
        let twice = format!("{key}[k_file]\ntype = 'path'\ndoc = 'd'\n");
        assert_eq!(mistakes(&twice), ["it.toml:6: k_file: k_file is the file of k already"]);
    }
}
