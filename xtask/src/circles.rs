//! circles
use std::collections::{BTreeMap, BTreeSet};

use crate::rust_code::{self, Module};
use crate::{Failure, sh};

const CRATES: [&str; 5] = ["base", "core", "host", "cli", "sandbox"];

pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    for name in CRATES {
        let folder = format!("{name}/src/");
        let list = ["git", "ls-files", "--cached", "--others", "--exclude-standard", &folder];
        let listed = sh::output(&list)?;
        let files = listed.lines().filter(|file| file.ends_with(".rs")).filter_map(|file| {
            let text = std::fs::read_to_string(file).ok()?;
            Some((file.to_owned(), module_of(&file[folder.len()..]), text))
        });
        let house = House::new(files.collect());
        problems.extend(circles(&house.arrows()));
    }
    Ok(problems)
}

fn module_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if matches!(path, "lib" | "main") {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}

type Path = Vec<String>;
type Arrows = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

struct House {
    modules: BTreeMap<Path, (String, Module)>,
}

enum Found {
    Module(Path),
    Item(Path, String),
}

impl House {
    fn new(files: Vec<(String, Path, String)>) -> Self {
        let mut modules = BTreeMap::new();
        for (file, path, text) in files {
            for module in rust_code::modules(&text) {
                let path = [path.clone(), module.inline.clone()].concat();
                modules.insert(path, (file.clone(), module));
            }
        }
        Self { modules }
    }

    fn is_reached(&self, path: &Path) -> bool {
        (0..path.len()).all(|at| {
            self.modules.get(&path[..at]).is_some_and(|(_, it)| it.children.contains(&path[at]))
        })
    }

    fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (path, (file, module)) in &self.modules {
            if !self.is_reached(path) {
                continue;
            }
            let mut add = |found: Option<Found>| {
                if let Some(Found::Item(of, name)) = found {
                    let other = &self.modules[&of].0;
                    if other != file && !path.starts_with(&of) {
                        arrows
                            .entry(file.clone())
                            .or_default()
                            .entry(other.clone())
                            .or_default()
                            .insert(name);
                    }
                }
            };
            for import in &module.imports {
                let is_used = !import.is_public || module.words.contains(&import.name);
                if is_used && import.name != "*" {
                    add(self.resolve(path, &import.path, 0));
                } else if import.name == "*" && !import.is_public {
                    match self.resolve(path, &import.path, 0) {
                        Some(Found::Module(of)) => add(Some(Found::Item(of, "*".into()))),
                        other => add(other),
                    }
                }
            }
            for used in &module.paths {
                add(self.resolve(path, used, 0));
            }
        }
        arrows
    }

    fn resolve(&self, module: &Path, path: &[String], depth: usize) -> Option<Found> {
        if depth > 16 {
            return None;
        }
        match rust_code::from_root(module, path) {
            Some(path) => self.walk(Vec::new(), &path, depth),
            None => {
                let (_, it) = self.modules.get(module)?;
                let name = &path[0];
                let known = it.children.contains(name)
                    || it.imports.iter().any(|import| import.name == *name && import.path != path);
                if known { self.walk(module.clone(), path, depth) } else { None }
            }
        }
    }

    fn walk(&self, mut at: Path, path: &[String], depth: usize) -> Option<Found> {
        let mut rest = path;
        while let Some((name, after)) = rest.split_first() {
            let (_, module) = self.modules.get(&at)?;
            if module.children.contains(name) {
                let child = [at.clone(), vec![name.clone()]].concat();
                if self.modules.contains_key(&child) {
                    at = child;
                    rest = after;
                    continue;
                }
                return None;
            }
            if module.items.contains(name) {
                return Some(Found::Item(at, name.clone()));
            }
            let named = module.imports.iter().find(|it| it.name == *name);
            if let Some(import) = named {
                let target = [import.path.clone(), after.to_vec()].concat();
                return self.resolve(&at, &target, depth + 1);
            }
            for import in module.imports.iter().filter(|it| it.name == "*") {
                let target = [import.path.clone(), rest.to_vec()].concat();
                if let Some(found @ Found::Item(..)) = self.resolve(&at, &target, depth + 1) {
                    let Found::Item(of, item) = &found else { continue };
                    if self.modules[of].1.items.contains(item) {
                        return Some(found);
                    }
                }
            }
            return Some(Found::Item(at, name.clone()));
        }
        Some(Found::Module(at))
    }
}

fn reach(arrows: &Arrows, start: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![start.to_owned()];
    while let Some(file) = open.pop() {
        for other in arrows.get(&file).into_iter().flat_map(|it| it.keys()) {
            if seen.insert(other.clone()) {
                open.push(other.clone());
            }
        }
    }
    seen
}

fn circles(arrows: &Arrows) -> Vec<String> {
    let reached: BTreeMap<_, _> = arrows.keys().map(|file| (file, reach(arrows, file))).collect();
    let mut circles = BTreeMap::<BTreeSet<&String>, ()>::new();
    for (file, others) in &reached {
        if others.contains(*file) {
            let circle =
                others.iter().filter(|it| reached.get(it).is_some_and(|back| back.contains(*file)));
            circles.insert(circle.collect(), ());
        }
    }
    circles
        .keys()
        .map(|circle| {
            let mut text = format!("a circle of {} files:", circle.len());
            for file in circle {
                for (other, names) in arrows[*file].iter().filter(|(it, _)| circle.contains(it)) {
                    let names: Vec<_> = names.iter().map(String::as_str).collect();
                    text += &format!("\n  {file} uses {other}: {}", names.join(", "));
                }
            }
            text
        })
        .collect()
}
