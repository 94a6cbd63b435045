//! Builds the tests with all mutants inside, in a copy of the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::{fs, str};

use serde_json::Value;

use crate::find::{self, Mutant, Site};
use crate::rewrite::{self, RewrittenFile};
use crate::{rule, tests};

const LIBS: [&str; 4] =
    ["base/src/lib.rs", "transport/src/lib.rs", "core/src/lib.rs", "host/src/lib.rs"];
/// The declaration of the switch, at the end of each.
const MODULE: &str = "\nmod mutant;\n";
/// The question of the rewritten files. Number 0 is not a mutant.
const SWITCH: &str = include_str!("switch.txt");

/// A chosen file with its places.
pub struct Source {
    pub file: String,
    pub text: String,
    pub sites: Vec<Site>,
}

/// A program of tests.
#[derive(PartialEq, Eq, Debug)]
pub struct Program {
    pub path: PathBuf,
    /// The folder of its crate.
    pub krate: String,
    /// The folder of its tests.
    pub folder: String,
}

/// The programs with the tests, and the numbers of the mutants in them.
pub struct BuiltTests {
    pub programs: Vec<Arc<Program>>,
    pub numbers: BTreeMap<String, usize>,
    pub unviable: BTreeSet<String>,
}

impl Source {
    pub fn read(root: &Path, file: &str) -> Result<Self, String> {
        let text = read(&root.join(file))?;
        let sites = find::sites(file, &text)?;
        Ok(Self { file: file.to_owned(), text, sites })
    }

    /// Changes with the file, but not with the tests at its end.
    pub fn key(&self) -> u64 {
        tests::hash(&tests::product(&self.text))
    }

    pub fn mutants(&self) -> impl Iterator<Item = &Mutant> {
        self.sites.iter().flat_map(|site| &site.mutants)
    }
}

/// The folders of a run.
pub struct Folders {
    pub root: PathBuf,
    /// `target/mutants`
    pub work: PathBuf,
}

impl Folders {
    pub fn tree(&self) -> PathBuf {
        self.work.join("tree")
    }

    /// Copies the repository, but for the mutated files.
    fn copy_tree(&self, mutated: &[Source]) -> Result<(), String> {
        let mutated: BTreeSet<_> = mutated.iter().map(|it| it.file.as_str()).collect();
        for file in rule::tracked(&self.root)? {
            if mutated.contains(file.as_str()) {
                continue;
            }
            let from = self.root.join(&file);
            let mut bytes = fs::read(&from).map_err(|error| format!("{file}: {error}"))?;
            if LIBS.contains(&&*file) {
                bytes.extend_from_slice(MODULE.as_bytes());
            }
            write(&self.tree().join(&file), &bytes)?;
            let permissions = from.metadata().map_err(|error| error.to_string())?.permissions();
            fs::set_permissions(self.tree().join(&file), permissions)
                .map_err(|error| format!("{file}: {error}"))?;
        }
        LIBS.iter().try_for_each(|lib| {
            let switch = self.tree().join(lib).with_file_name("mutant.rs");
            write(&switch, SWITCH.as_bytes())
        })
    }

    /// Builds until all remaining mutants compile.
    pub fn build(
        &self,
        sources: &[Source],
        unviable: BTreeSet<String>,
    ) -> Result<BuiltTests, String> {
        self.copy_tree(sources)?;
        let names = sources.iter().flat_map(Source::mutants).map(|it| it.name.clone());
        let numbers: BTreeMap<_, _> = names.zip(1..).collect();
        let mut built = BuiltTests { programs: vec![], numbers, unviable };
        loop {
            let mut rewritten = BTreeMap::new();
            for source in sources {
                let number = |it: &Mutant| {
                    let is_out = built.unviable.contains(&it.name);
                    (!is_out).then(|| built.numbers[&it.name])
                };
                let new = rewrite::rewritten(&source.text, &source.sites, &number);
                let module = if LIBS.contains(&&*source.file) { MODULE } else { "" };
                let text = [new.text.as_str(), module].concat();
                write(&self.tree().join(&source.file), text.as_bytes())?;
                rewritten.insert(source.file.as_str(), new);
            }
            let messages = self.cargo()?;
            let failed = blamed(&messages, &rewritten)?;
            if failed.is_empty() {
                built.programs = programs(&messages);
                return Ok(built);
            }
            println!("{} mutants do not compile", failed.len());
            built.unviable.extend(failed);
        }
    }

    /// The messages of one build.
    fn cargo(&self) -> Result<Vec<Value>, String> {
        let output = Command::new("cargo")
            .args(["test", "--locked", "--no-run", "--lib", "--test", "it"])
            .args(["-p", "payments-base", "-p", "payments-transport"])
            .args(["-p", "payments-core", "-p", "payments-host"])
            .args(["--features", "payments-core/pkcs11,payments-core/qr,payments-core/redis"])
            .args(["--features", "payments-core/tracing", "--message-format", "json"])
            .current_dir(self.tree())
            .env("CARGO_TARGET_DIR", self.work.join("build"))
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("cargo: {error}"))?;
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let messages: Result<Vec<Value>, _> = lines.map(serde_json::from_slice).collect();
        let messages = messages.map_err(|error| format!("cargo: {error}"))?;
        let has_errors = messages.iter().any(is_error);
        if output.status.success() || has_errors {
            Ok(messages)
        } else {
            Err("cargo test --no-run failed".to_owned())
        }
    }
}

fn is_error(message: &Value) -> bool {
    message["reason"] == "compiler-message" && message["message"]["level"] == "error"
}

/// The mutants to blame for the errors; an error without a mutant is an error
/// of this program.
fn blamed(
    messages: &[Value],
    rewritten: &BTreeMap<&str, RewrittenFile>,
) -> Result<BTreeSet<String>, String> {
    let mut all = BTreeSet::new();
    for message in messages.iter().filter(|it| is_error(it)) {
        let spans = message["message"]["spans"].as_array();
        let mut spans: Vec<&Value> = spans.into_iter().flatten().collect();
        if spans.is_empty() {
            continue; // "aborting due to 3 previous errors"
        }
        spans.sort_by_key(|span| span["is_primary"] != true);
        let found = |look: fn(&RewrittenFile, usize) -> Vec<&str>| {
            spans.iter().find_map(|span| {
                let file = rewritten.get(span["file_name"].as_str()?)?;
                let names = look(file, usize::try_from(span["byte_start"].as_u64()?).ok()?);
                (!names.is_empty()).then_some(names)
            })
        };
        let names = found(RewrittenFile::to_blame).or_else(|| found(RewrittenFile::before));
        let Some(names) = names else {
            return Err(message["message"]["rendered"].as_str().unwrap_or_default().to_owned());
        };
        all.extend(names.into_iter().map(str::to_owned));
    }
    Ok(all)
}

fn programs(messages: &[Value]) -> Vec<Arc<Program>> {
    let artifacts = messages.iter().filter(|it| it["reason"] == "compiler-artifact");
    artifacts.filter_map(program).map(Arc::new).collect()
}

/// Two crates have a program of the same name, so that only the folders tell them apart.
fn program(artifact: &Value) -> Option<Program> {
    let path = PathBuf::from(artifact["executable"].as_str()?);
    let package = Path::new(artifact["manifest_path"].as_str()?).parent()?;
    let krate = package.file_name()?.to_str()?.to_owned();
    let source = Path::new(artifact["target"]["src_path"].as_str()?).parent()?;
    let folder = format!("{krate}/{}", source.strip_prefix(package).ok()?.display());
    Some(Program { path, krate, folder })
}

pub fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Leaves a file alone if it is the same already: cargo then does so too.
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|it| it == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, bytes));
    written.map_err(|error| format!("{}: {error}", path.display()))
}
