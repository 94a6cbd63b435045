//! `spec/levels.toml`: the levels of a language, with the shared tests of each.

use std::collections::BTreeSet;
use std::path::Path;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Mistakes, Text, folder};
use crate::file::ROOT;

/// The languages of this project, which offer everything.
const COMPLETE: [&str; 5] = ["c", "node", "php", "python", "rust"];

/// Files of `tests/` without cases: this list, and requests that scenarios start from.
const NO_CASES: [&str; 2] = ["manifest.json", "samples.json"];

/// The levels, from the lowest, and the level of each language.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Levels {
    level: IndexMap<String, Level>,
    language: IndexMap<String, Language>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Level {
    /// Its use to a program, as a phrase.
    about: String,
    /// Functions besides the operations.
    #[serde(default)]
    functions: IndexMap<String, Function>,
    #[serde(default)]
    scenarios: Vec<String>,
    #[serde(default)]
    vectors: Vec<String>,
    /// Other files, each with its lists of cases.
    #[serde(default)]
    cases: IndexMap<String, Vec<String>>,
    /// Members of steps that no lower level has.
    #[serde(default)]
    members: Vec<String>,
    /// The names of all scenarios.
    #[serde(skip_deserializing)]
    names: Vec<String>,
    /// How many cases each of the other files has.
    #[serde(skip_deserializing)]
    counts: IndexMap<String, usize>,
}

/// A function of every package, or of that of one language.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Function {
    /// Where it is.
    #[serde(default)]
    of: Holder,
    /// A phrase.
    purpose: String,
    /// The page that has more, from the root of the repository.
    page: Option<String>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Holder {
    #[default]
    Client,
    Class,
    Package,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Language {
    /// Names of functions that do not follow from its form.
    #[serde(default)]
    names: IndexMap<String, String>,
    /// The functions that other languages lack.
    #[serde(default)]
    functions: IndexMap<String, Function>,
    title: String,
    level: String,
    /// The databases in which its package keeps a journal.
    databases: Vec<String>,
    command: String,
}

/// The shared files of tests, with their texts.
struct Shared {
    scenarios: Vec<Text>,
    vectors: Vec<Text>,
    cases: Vec<Text>,
}

pub(super) fn read(file: &Text, mistakes: &mut Mistakes) -> Levels {
    let json = |path: &str| {
        let files = folder(path).into_iter();
        files.filter(|it| it.path.ends_with(".json") && Path::new(ROOT).join(&it.path).is_file())
    };
    let shared = Shared {
        scenarios: json("tests/scenarios").collect(),
        vectors: json("tests/vectors").collect(),
        cases: json("tests").filter(|it| !NO_CASES.contains(&it.name())).collect(),
    };
    read_with(file, &shared, mistakes)
}

fn read_with(file: &Text, shared: &Shared, mistakes: &mut Mistakes) -> Levels {
    let mut levels: Levels = file.parsed(mistakes).unwrap_or_default();
    check_languages(file, &levels, mistakes);
    check_functions(file, &levels, mistakes);
    check_files(file, &levels, shared, mistakes);
    let members: Vec<_> = levels.level.values().map(|it| it.members.clone()).collect();
    for (own, (level, it)) in levels.level.iter_mut().enumerate() {
        let mut check = |text: &Text, item: &Value| {
            let actual = level_of(item, &members);
            if actual != own {
                let problem = if actual < own {
                    format!("no step has a member of the level {level}, so it belongs below")
                } else {
                    format!("a step has a member that the level {level} lacks")
                };
                let name = item["name"].as_str().unwrap_or_default();
                mistakes.add(&text.path, format!("{name}: {problem} (members, in {})", file.path));
            }
        };
        for text in shared
            .scenarios
            .iter()
            .filter(|text| it.scenarios.iter().any(|name| name == text.name()))
        {
            for scenario in items(text, "scenarios") {
                check(text, &scenario);
                it.names.extend(scenario["name"].as_str().map(str::to_owned));
            }
        }
        it.names.sort();
        for text in &shared.cases {
            let Some(lists) = it.cases.get(text.name()) else { continue };
            let cases: Vec<_> = lists.iter().flat_map(|list| items(text, list)).collect();
            cases.iter().for_each(|case| check(text, case));
            it.counts.insert(text.name().to_owned(), cases.len());
        }
    }
    levels
}

/// Reports a language of this project that lacks a level, and a language at no
/// level.
fn check_languages(file: &Text, levels: &Levels, mistakes: &mut Mistakes) {
    let highest = levels.level.keys().last().map(String::as_str).unwrap_or_default();
    for name in COMPLETE {
        let place = file.place(&format!("[language.{name}]"));
        match levels.language.get(name) {
            Some(it) if it.level == highest => {}
            Some(it) => mistakes.add(
                &place,
                format!("{name} is at the level {}, and must be at {highest}", it.level),
            ),
            None => mistakes.add(&place, format!("the language {name} is missing")),
        }
    }
    for (name, it) in &levels.language {
        if !levels.level.contains_key(&it.level) {
            let place = file.place(&format!("[language.{name}]"));
            mistakes.add(&place, format!("there is no level {}", it.level));
        }
    }
}

/// Reports a purpose that is not a phrase, and another name of a missing function.
fn check_functions(file: &Text, levels: &Levels, mistakes: &mut Mistakes) {
    let all = || levels.level.values().flat_map(|it| &it.functions);
    for (name, it) in all().chain(levels.language.values().flat_map(|it| &it.functions)) {
        if it.purpose.is_empty() || it.purpose.ends_with('.') {
            let place = file.place(&format!("{name} = "));
            mistakes.add(&place, format!("the purpose of {name} is no phrase"));
        }
    }
    for (language, it) in &levels.language {
        let table = format!("language.{language}.names");
        let known = |name: &&String| all().chain(&it.functions).any(|(it, _)| it == *name);
        for name in it.names.keys().filter(|name| !known(name)) {
            mistakes.add(&file.place_of(&table, name), format!("there is no function {name}"));
        }
    }
}

/// Reports a shared file that belongs to no level or to several, or that is gone.
fn check_files(file: &Text, levels: &Levels, shared: &Shared, mistakes: &mut Mistakes) {
    let level = || levels.level.values();
    let kinds = [
        (&shared.scenarios, level().flat_map(|it| it.scenarios.clone()).collect::<Vec<_>>()),
        (&shared.vectors, level().flat_map(|it| it.vectors.clone()).collect()),
        (&shared.cases, level().flat_map(|it| it.cases.keys().cloned()).collect()),
    ];
    for (files, listed) in kinds {
        for text in files {
            let levels = listed.iter().filter(|it| *it == text.name()).count();
            if levels != 1 {
                let problem = format!("belongs to {levels} levels: list it once in {}", file.path);
                mistakes.add(&text.path, problem);
            }
        }
        let names: BTreeSet<_> = files.iter().map(Text::name).collect();
        for gone in listed.iter().filter(|it| !names.contains(it.as_str())) {
            mistakes.add(&file.path, format!("there is no file {gone} of tests: remove it"));
        }
    }
}

/// The highest level of which a step has a member.
fn level_of(item: &Value, members: &[Vec<String>]) -> usize {
    let steps = item["steps"].as_array().into_iter().flatten().filter_map(Value::as_object);
    let names: BTreeSet<_> = steps.flat_map(|step| step.keys()).collect();
    members.iter().rposition(|it| it.iter().any(|name| names.contains(name))).unwrap_or(0)
}

fn items(text: &Text, list: &str) -> Vec<Value> {
    let parsed: Value = serde_json::from_str(&text.text).unwrap_or_default();
    parsed[list].as_array().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: &str = "[level.call]\nabout = 'call'\nscenarios = ['a.json']\n\
                          [level.host]\nabout = 'more'\nscenarios = ['b.json']\nmembers = ['run']\n";

    fn text(path: &str, text: &str) -> Text {
        Text { path: path.to_owned(), text: text.to_owned() }
    }

    fn languages(php: &str) -> String {
        let one = |name: &str| {
            let level = if name == "php" { php } else { "host" };
            format!(
                "[language.{name}]\ntitle = 'T'\nlevel = '{level}'\ndatabases = []\ncommand = 'c'\n"
            )
        };
        COMPLETE.map(one).concat()
    }

    fn mistakes(levels: &str, a: &str, b: &str) -> Vec<String> {
        let of = |path: &str, step: &str| {
            text(path, &format!("{{\"scenarios\":[{{\"name\":\"n\",\"steps\":[{step}]}}]}}"))
        };
        let shared = Shared {
            scenarios: vec![of("tests/a.json", a), of("tests/b.json", b)],
            vectors: Vec::new(),
            cases: Vec::new(),
        };
        let mut mistakes = Mistakes::default();
        read_with(&text("file", levels), &shared, &mut mistakes);
        mistakes.0
    }

    #[test]
    fn a_language_of_the_project_offers_everything() {
        let found = |php: &str| mistakes(&(LEVELS.to_owned() + &languages(php)), "", "{\"run\":1}");
        assert_eq!(found("host"), [""; 0]);
        assert_eq!(found("call"), ["file:18: php is at the level call, and must be at host"]);
        assert_eq!(found("none")[1], "file:18: there is no level none");
        let without =
            LEVELS.to_owned() + &languages("host").replace("language.php", "language.perl");
        assert_eq!(mistakes(&without, "", "{\"run\":1}"), ["file:0: the language php is missing"]);
    }

    #[test]
    fn only_functions_that_exist_have_a_purpose_and_a_name() {
        let found = |purpose: &str, name: &str| {
            let functions = format!("[level.host.functions]\ncall = {{ purpose = '{purpose}' }}\n");
            let names = format!("[language.c.names]\n{name} = 'x'\n");
            mistakes(
                &(LEVELS.to_owned() + &functions + &languages("host") + &names),
                "",
                "{\"run\":1}",
            )
        };
        assert_eq!(found("calls", "call"), [""; 0]);
        assert_eq!(found("Calls.", "call"), ["file:9: the purpose of call is no phrase"]);
        assert_eq!(found("calls", "cal"), ["file:36: there is no function cal"]);
    }

    #[test]
    fn a_scenario_cannot_change_its_level() {
        let levels = LEVELS.to_owned() + &languages("host");
        let below = &mistakes(&levels, "", "{\"call\":1}")[0];
        assert!(below.starts_with("tests/b.json: n: no step has a member of the level host"));
        let above = &mistakes(&levels, "{\"run\":1}", "{\"run\":1}")[0];
        assert!(above.starts_with("tests/a.json: n: a step has a member that the level call"));
    }

    #[test]
    fn a_file_belongs_to_one_level() {
        let levels = (LEVELS.to_owned() + &languages("host")).replace("'b.json'", "'a.json'");
        let found = mistakes(&levels, "", "");
        assert!(found[0].starts_with("tests/a.json: belongs to 2 levels"), "{found:?}");
        assert!(found[1].starts_with("tests/b.json: belongs to 0 levels"), "{found:?}");
        let levels = (LEVELS.to_owned() + &languages("host")).replace("'b.json'", "'b.json', 'c'");
        assert_eq!(
            mistakes(&levels, "", "{\"run\":1}"),
            ["file: there is no file c of tests: remove it"]
        );
    }
}
