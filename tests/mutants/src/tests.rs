//! The tests of core and host: how long each takes, and which mutants it reaches.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::build::{BuiltTests, Folders, Program, Source, read};
use crate::lanes;
use crate::log::Log;
use crate::rule;

/// How long a test may take without a mutant, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(900);

pub struct Test {
    pub program: Arc<Program>,
    pub name: String,
    /// Changes with the file of the test, and with shared files of tests.
    pub key: u64,
    pub seconds: f64,
    /// The numbers of the mutants it reaches.
    pub reaches: BTreeSet<usize>,
}

/// All tests, the fastest first.
pub fn measured(
    folders: &Folders,
    sources: &[Source],
    built: &BuiltTests,
) -> Result<Vec<Test>, String> {
    let mut tests = listed(folders, built)?;
    let product: Vec<_> = product_texts(&folders.root)?;
    let known = Log::open(&folders.work.join("reached.jsonl"), "test")?;
    let names: BTreeMap<u64, usize> =
        built.numbers.iter().map(|(name, number)| (hash(name), *number)).collect();
    // Code that is not compiled in cannot be reached.
    let mutants: Vec<_> = sources.iter().flat_map(Source::mutants).map(|it| &it.name).collect();
    let all = hash(&(product, mutants, &built.unviable));
    let missing: Vec<usize> = (0..tests.len())
        .filter(|at| {
            let test = &mut tests[*at];
            let kept = known
                .get(&test.whole_name())
                .filter(|it| it["key"] == json!(hash(&(all, test.key))));
            let Some(kept) = kept else { return true };
            test.seconds = kept["seconds"].as_f64().unwrap_or_default();
            let reached = kept["reaches"].as_array().into_iter().flatten();
            test.reaches = reached.filter_map(|it| names.get(&it.as_u64()?)).copied().collect();
            false
        })
        .collect();
    if !missing.is_empty() {
        println!("measuring {} tests", missing.len());
    }
    let numbers: BTreeMap<usize, u64> =
        names.iter().map(|(hash, number)| (*number, *hash)).collect();
    let results = lanes::map(&missing, |lane, at| {
        let (seconds, reaches) = measure(folders, lane, &tests[*at])?;
        let hashes: Vec<u64> = reaches.iter().filter_map(|it| numbers.get(it)).copied().collect();
        let test = &tests[*at];
        let line = json!({
            "test": test.whole_name(), "key": hash(&(all, test.key)),
            "seconds": seconds, "reaches": hashes,
        });
        known.add(&test.whole_name(), line)?;
        Ok((seconds, reaches))
    })?;
    for (at, (seconds, reaches)) in missing.into_iter().zip(results) {
        (tests[at].seconds, tests[at].reaches) = (seconds, reaches);
    }
    tests.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    Ok(tests)
}

/// Runs a test without a mutant: it must pass, alone or at the second attempt.
fn measure(folders: &Folders, lane: usize, test: &Test) -> Result<(f64, BTreeSet<usize>), String> {
    let reached = folders.work.join(format!("reached-{lane}"));
    for _ in 0..2 {
        let _ = fs::remove_file(&reached);
        let began = Instant::now();
        let run = run(folders, lane, &[test], PATIENCE, |command| {
            command.env("MUTANTS_REACHED", &reached);
        })?;
        if run.status.success() {
            let text = fs::read_to_string(&reached).unwrap_or_default();
            let numbers = text.lines().filter_map(|line| line.parse().ok()).collect();
            return Ok((began.elapsed().as_secs_f64(), numbers));
        }
    }
    Err(format!("{} fails without a mutant:\n{}", test.whole_name(), output(folders, lane)))
}

pub struct Run {
    pub status: ExitStatus,
    /// The test that failed, if it said so.
    pub failed: Option<String>,
    pub passed: BTreeSet<String>,
}

/// Runs tests of one program until the first fails. Those that hang are killed
/// with all that they started.
pub fn run(
    folders: &Folders,
    lane: usize,
    tests: &[&Test],
    patience: Duration,
    change: impl FnOnce(&mut Command),
) -> Result<Run, String> {
    let Some(first) = tests.first() else { return Err("no test to run".to_owned()) };
    let log = File::create(log_of(folders, lane)).map_err(|error| error.to_string())?;
    let copy = log.try_clone().map_err(|error| error.to_string())?;
    let mut command = Command::new("timeout");
    command
        .args(["--signal", "KILL", &patience.as_secs().to_string()])
        .arg(&first.program.path)
        .args(["--exact", "-Zunstable-options", "--fail-fast"])
        .args(tests.iter().map(|test| &test.name))
        .current_dir(folders.tree().join(&first.program.krate))
        // The option to stop early is not stable.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUST_TEST_THREADS", "4")
        // A panic would look up the names of all functions.
        .env("RUST_BACKTRACE", "0")
        .stdout(log)
        .stderr(copy);
    change(&mut command);
    let status = command.status().map_err(|error| format!("timeout: {error}"))?;
    let text = output(folders, lane);
    let named = |line: &str, end: &str| {
        line.strip_prefix("test ")?.split_once(end).map(|(name, _)| name.to_owned())
    };
    let failed = text.lines().find_map(|line| named(line, " ... FAILED"));
    let passed = text.lines().filter_map(|line| named(line, " ... ok")).collect();
    Ok(Run { status, failed, passed })
}

fn log_of(folders: &Folders, lane: usize) -> PathBuf {
    folders.work.join(format!("lane-{lane}.log"))
}

fn output(folders: &Folders, lane: usize) -> String {
    let bytes = fs::read(log_of(folders, lane)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The tests that `make test-core` runs of these programs.
fn listed(folders: &Folders, built: &BuiltTests) -> Result<Vec<Test>, String> {
    let files = rule::tracked(&folders.root)?;
    let shared = files.iter().filter(|file| {
        file.contains("/tests/it/support/")
            || (file.starts_with("tests/") && file.ends_with(".json"))
    });
    let shared: Result<Vec<_>, _> = shared.map(|it| read(&folders.root.join(it))).collect();
    let shared = hash(&shared?);
    let mut tests = vec![];
    for program in &built.programs {
        let output = Command::new(&program.path)
            .args(["--list", "--format", "terse"])
            .output()
            .map_err(|error| format!("{}: {error}", program.path.display()))?;
        let is_unit = program.folder.ends_with("/src");
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Some(name) = line.strip_suffix(": test") else { continue };
            if name.contains("fleet") {
                continue;
            }
            let text = text_of(&folders.root.join(&program.folder), name);
            let key = hash(&(text, (!is_unit).then_some(shared)));
            tests.push(Test {
                program: Arc::clone(program),
                name: name.to_owned(),
                key,
                seconds: 0.0,
                reaches: BTreeSet::new(),
            });
        }
    }
    Ok(tests)
}

/// The text of the file that has a test, by the path of its modules.
fn text_of(folder: &Path, name: &str) -> String {
    let mut path = folder.to_owned();
    let mut text = String::new();
    for part in name.split("::") {
        path.push(part);
        for file in [path.with_extension("rs"), path.join("mod.rs")] {
            text = fs::read_to_string(file).unwrap_or(text);
        }
    }
    text
}

/// The files of base, transport, core and host without the tests at their feet.
fn product_texts(root: &Path) -> Result<Vec<String>, String> {
    let files = rule::tracked(root)?;
    let is_product = |it: &&String| {
        let crates = ["base/src/", "transport/src/", "core/src/", "host/src/"];
        crates.iter().any(|krate| it.starts_with(krate)) && !it.ends_with("tests.rs")
    };
    let files = files.iter().filter(is_product);
    files.map(|file| Ok(product(&read(&root.join(file))?).to_owned())).collect()
}

/// A file without the tests at its foot.
pub fn product(text: &str) -> &str {
    let foot = ["\n#[cfg(test)]\nmod tests", "\n#[cfg(test)]\n#[path"];
    foot.iter().find_map(|foot| text.split_once(foot)).map_or(text, |(product, _)| product)
}

pub fn hash(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Test {
    /// The name with the folder: tests of two programs may have one name.
    pub fn whole_name(&self) -> String {
        format!("{} {}", self.program.folder, self.name)
    }

    /// As JSON keeps it.
    pub fn key(&self) -> Value {
        json!(hash(&(self.whole_name(), self.key)))
    }
}
