//! Finds circles of files: of two files in a circle, none can be read, tested or
//! moved without the other.
//!
//! A file uses another one if it names an item that the other one defines, through
//! an import or a path. A name that a module only re-exports leads to the file that
//! defines it. Not counted are:
//!
//! - `mod` lines and re-exports, by which a parent shows its children, unless its
//!   own code names what it re-exports;
//! - the items of a file's own ancestors: a child is a part of its parent, as a
//!   function is of its file, so `super::` leads to what surrounds it. Children of
//!   one parent that use each other in a circle are found, and so is a parent that a
//!   circle of others leads through;
//! - code for tests alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::rust_code::{self, Module};
use crate::{Failure, sh};

const CRATES: [&str; 6] = ["base", "transport", "core", "host", "cli", "sandbox"];
/// The most re-exports of one name in turn.
const MOST_STEPS: usize = 16;

type Path = Vec<String>;
/// For each file, the names that it uses of others.
type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The circles, one text for each.
pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    for name in CRATES {
        let folder = format!("{name}/src/");
        let sources = sh::sources(&[&format!("{folder}*.rs")])?;
        let uses = Crate::of(&folder, &sources).uses();
        problems.extend(circles(&uses).iter().map(shown));
    }
    Ok(problems)
}

/// The modules of a crate by their paths, each with its file.
struct Crate<'a>(BTreeMap<Path, (&'a str, Module)>);

enum Resolution {
    Module(Path),
    /// An item of this module.
    Item(Path, String),
}

impl<'a> Crate<'a> {
    /// Modules that are for tests alone are left out.
    fn of(folder: &str, sources: &'a [(String, String)]) -> Self {
        let mut modules = BTreeMap::new();
        for (file, text) in sources {
            let own = rust_code::module_of(&file[folder.len()..]);
            for module in rust_code::modules(text) {
                modules.insert([&*own, &*module.inline].concat(), (file.as_str(), module));
            }
        }
        let declared = |path: &[String], modules: &BTreeMap<Path, (&str, Module)>| {
            (0..path.len()).all(|at| {
                modules.get(&path[..at]).is_some_and(|(_, it)| it.children.contains(&path[at]))
            })
        };
        let tests: Vec<_> =
            modules.keys().filter(|path| !declared(path, &modules)).cloned().collect();
        tests.iter().for_each(|path| {
            modules.remove(path);
        });
        Self(modules)
    }

    fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (path, (file, module)) in &self.0 {
            for (of, name) in self.used_by(path, module) {
                let other = self.0[&of].0;
                if other != *file && !path.starts_with(&of) {
                    let names = uses.entry((*file).to_owned()).or_default();
                    names.entry(other.to_owned()).or_default().insert(name);
                }
            }
        }
        uses
    }

    /// The items that a module uses, each with its module.
    fn used_by(&self, path: &Path, module: &Module) -> Vec<(Path, String)> {
        let imports = module
            .imports
            .iter()
            .filter(|it| !it.is_public || (it.name != "*" && module.words.contains(&it.name)));
        let imported = imports.filter_map(|it| match self.resolve(path, &it.path, 0)? {
            Resolution::Item(of, name) => Some((of, name)),
            Resolution::Module(of) => (it.name == "*").then(|| (of, it.name.clone())),
        });
        let named = module.paths.iter().filter_map(|it| match self.resolve(path, it, 0)? {
            Resolution::Item(of, name) => Some((of, name)),
            Resolution::Module(_) => None,
        });
        imported.chain(named).collect()
    }

    /// The meaning of `path` in a module; `None` if it leads out of the crate.
    fn resolve(&self, module: &Path, path: &[String], steps: usize) -> Option<Resolution> {
        if steps > MOST_STEPS {
            return None;
        }
        if let Some(path) = rust_code::from_root(module, path) {
            return self.walk(Vec::new(), &path, steps);
        }
        let (_, it) = self.0.get(module)?;
        let name = path.first()?;
        let is_known =
            it.children.contains(name) || it.imports.iter().any(|import| import.name == *name);
        is_known.then(|| self.walk(module.clone(), path, steps))?
    }

    /// Follows `path` from the module `at`.
    fn walk(&self, mut at: Path, path: &[String], steps: usize) -> Option<Resolution> {
        let mut rest = path;
        while let Some((name, after)) = rest.split_first() {
            let (_, module) = self.0.get(&at)?;
            if module.children.contains(name) {
                at.push(name.clone());
                rest = after;
                continue;
            }
            if module.items.contains(name) {
                return Some(Resolution::Item(at, name.clone()));
            }
            if let Some(import) = module.imports.iter().find(|it| it.name == *name) {
                return self.resolve(&at, &[&*import.path, after].concat(), steps + 1);
            }
            let all = module.imports.iter().filter(|it| it.name == "*");
            let through =
                all.filter_map(|it| self.resolve(&at, &[&*it.path, rest].concat(), steps + 1));
            let is_defined = |found: &Resolution| match found {
                Resolution::Item(of, item) => {
                    self.0.get(of).is_some_and(|(_, it)| it.items.contains(item))
                }
                Resolution::Module(_) => true,
            };
            let found = through.into_iter().find(is_defined);
            return Some(found.unwrap_or_else(|| Resolution::Item(at.clone(), name.clone())));
        }
        self.0.contains_key(&at).then_some(Resolution::Module(at))
    }
}

/// The files of a circle, each with the names that it uses of the others.
type Circle<'a> = Vec<(&'a str, Vec<(&'a str, &'a BTreeSet<String>)>)>;

fn circles(uses: &Uses) -> Vec<Circle<'_>> {
    let reached: BTreeMap<&str, _> =
        uses.keys().map(|file| (file.as_str(), reached_from(file, uses))).collect();
    let leads_to = |from: &str, to: &str| reached.get(from).is_some_and(|it| it.contains(to));
    let circle_of = |file: &&str| -> BTreeSet<&str> {
        let others = reached[file].iter().copied();
        others.filter(|other| leads_to(other, file)).collect()
    };
    let circles: BTreeSet<_> = reached.keys().map(circle_of).filter(|it| !it.is_empty()).collect();
    let with_names = |circle: &BTreeSet<&'_ str>| {
        let files = circle.iter().map(|file| {
            let (file, others) = uses.get_key_value(*file)?;
            let others = others.iter().filter(|(other, _)| circle.contains(other.as_str()));
            Some((file.as_str(), others.map(|(other, names)| (other.as_str(), names)).collect()))
        });
        files.flatten().collect()
    };
    circles.iter().map(with_names).collect()
}

/// The files that `start` leads to. It is one of them if it is in a circle.
fn reached_from<'a>(start: &'a str, uses: &'a Uses) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(file) = open.pop() {
        let others = uses.get(file).into_iter().flat_map(BTreeMap::keys).map(String::as_str);
        open.extend(others.filter(|other| reached.insert(*other)));
    }
    reached
}

fn shown(circle: &Circle<'_>) -> String {
    let files: Vec<_> = circle.iter().map(|(file, _)| *file).collect();
    let mut text = format!("a circle of files: {}", files.join(", "));
    for (file, others) in circle {
        for (other, names) in others {
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            text.push_str(&format!("\n  {file} uses {other}: {}", names.join(", ")));
        }
    }
    text.push_str("\n  move what both need into a file below them, or into their parent");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The circles of a crate, each with its files.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<_> = files
            .iter()
            .map(|(file, text)| (format!("x/src/{file}"), (*text).to_owned()))
            .collect();
        let uses = Crate::of("x/src/", &sources).uses();
        let name = |file: &&str| file.trim_start_matches("x/src/").to_owned();
        let names = |circle: Circle<'_>| {
            circle.iter().map(|(file, _)| name(file)).collect::<Vec<_>>().join(" ")
        };
        circles(&uses).into_iter().map(names).collect()
    }

    #[test]
    fn circles_are_found_through_every_kind_of_path() {
        let b = ("b.rs", "pub struct B;\nfn back() { crate::a::f() }\n");
        for a in [
            "use crate::b::B;\npub fn f() {}\n",
            "use super::b::{self};\npub fn f(it: b::B) {}\n",
            "use crate::b as c;\npub fn f(it: c::B) {}\n",
            "use crate::b::*;\npub fn f() {}\n",
            "pub fn f() { super::b::B; }\n",
            "mod inner { fn g() { super::super::b::B; } }\npub fn f() {}\n",
            "use crate::B;\npub fn f() {}\n",
        ] {
            let root = ("lib.rs", "mod a;\nmod b;\npub use b::B;\n");
            assert_eq!(found(&[root, ("a.rs", a), b]), ["a.rs b.rs"], "{a}");
        }
    }

    #[test]
    fn a_re_export_leads_to_the_definition() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\n"),
            ("a/mod.rs", "mod c;\nmod d;\npub use c::C;\npub use d::*;\n"),
            ("a/c.rs", "use crate::b::B;\npub struct C;\n"),
            ("a/d.rs", "pub struct D;\n"),
            ("b.rs", "use crate::a::{C, D};\npub struct B;\n"),
        ];
        assert_eq!(found(&files), ["a/c.rs b.rs"]);
    }

    #[test]
    fn a_parent_and_its_child_are_no_circle_but_children_may_be() {
        let root = ("main.rs", "mod a;\n");
        let a = "mod b;\nmod c;\npub fn f() { b::g(c::h) }\n";
        let b = ("a/b.rs", "use super::f;\npub fn g() {}\n");
        let c = ("a/c.rs", "pub fn h() {}\n");
        assert!(found(&[root, ("a/mod.rs", a), b, c]).is_empty());
        let back = ("a/c.rs", "use super::b::g;\npub fn h() {}\n");
        let b = ("a/b.rs", "use super::{c, f};\npub fn g() { c::h() }\n");
        assert_eq!(found(&[root, ("a.rs", a), b, back]), ["a/b.rs a/c.rs"]);
    }

    #[test]
    fn a_parent_in_a_circle_of_others_is_found() {
        let files = [
            ("lib.rs", "mod a;\nmod d;\n"),
            ("a/mod.rs", "mod b;\npub fn f() { b::g() }\n"),
            ("a/b.rs", "use crate::d::D;\npub fn g() {}\n"),
            ("d.rs", "pub struct D;\nfn e() { crate::a::f() }\n"),
        ];
        assert_eq!(found(&files), ["a/b.rs a/mod.rs d.rs"]);
    }

    #[test]
    fn re_exports_and_tests_are_no_uses() {
        let root = ("lib.rs", "mod a;\nmod b;\n#[cfg(test)]\nmod c;\n");
        let a = ("a.rs", "pub use crate::b::B;\npub fn f() {}\n");
        let b = (
            "b.rs",
            "pub struct B(fn() -> crate::a::A);\n#[cfg(test)]\nmod tests { use super::*; }\n",
        );
        let c = ("c.rs", "use crate::a::f;\n");
        assert!(found(&[root, a, b, c]).is_empty());
        let named = ("a.rs", "pub use crate::b::B;\npub fn f() -> B {}\n");
        assert_eq!(found(&[root, named, b, c]), ["a.rs b.rs"]);
    }
}
