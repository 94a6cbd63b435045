//! Mutation tests of base, transport, core and host. All mutants are compiled into the tests, which run
//! one of them at a time; tests/README.md describes it.
//!
//! Usage: payments-mutants [--list] [--minutes N] [--part K/N] [PREFIX]...
//!
//! With prefixes, only files that begin with one of them are judged; with a part, the
//! k-th of every n files. After the minutes, no mutant is begun; the next run resumes.

mod build;
mod find;
mod judge;
mod lanes;
mod log;
mod report;
mod rewrite;
mod rule;
mod tests;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use build::{BuiltTests, Folders, Source};
use judge::{Judge, Question, Verdict};
use log::Log;

/// How many seconds of tests each mutant gets, in turn.
const BUDGETS: [f64; 3] = [3.0, 30.0, f64::INFINITY];

#[derive(Default)]
struct Options {
    lists: bool,
    minutes: Option<u64>,
    part: Option<Part>,
    prefixes: Vec<String>,
}

/// The k-th of every n files, counted from 1.
struct Part {
    number: usize,
    of: usize,
}

impl Part {
    fn read(text: &str) -> Option<Self> {
        let (number, of) = text.split_once('/')?;
        let part = Self { number: number.parse().ok()?, of: of.parse().ok()? };
        (1..=part.of).contains(&part.number).then_some(part)
    }

    fn has(&self, index: usize) -> bool {
        index % self.of + 1 == self.number
    }
}

impl Options {
    fn read() -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            if argument == "--list" {
                options.lists = true;
            } else if argument == "--minutes" {
                let number = arguments.next().and_then(|it| it.parse().ok());
                options.minutes = Some(number.ok_or("--minutes needs a number")?);
            } else if argument == "--part" {
                let part = arguments.next().and_then(|it| Part::read(&it));
                options.part = Some(part.ok_or("--part needs one like 3/7")?);
            } else {
                options.prefixes.push(argument);
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    match Options::read().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("mutants: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let folders = folders()?;
    let files = rule::chosen(&folders.root)?;
    let sources = files.iter().map(|file| Source::read(&folders.root, file));
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    if options.lists {
        for mutant in sources.iter().flat_map(Source::mutants) {
            println!("{}", mutant.name);
        }
        return Ok(());
    }
    let log = Log::open(&folders.work.join("results.jsonl"), "mutant")?;
    let built = folders.build(&sources, known_unviable(&sources, &log))?;
    keep_unviable(&sources, &built, &log)?;
    let tests = tests::measured(&folders, &sources, &built)?;
    let end = options.minutes.map(|it| Instant::now() + Duration::from_secs(60 * it));
    let judge = Judge::new(&folders, &tests, &log, end);
    let verdicts = judged(&judge, &sources, &built, options)?;
    let accepted = build::read(&folders.root.join("tests/mutants/equivalent.txt"))?;
    let accepted = report::accepted(&accepted)?;
    let is_whole = options.prefixes.is_empty() && options.part.is_none();
    let open = report::print(&verdicts, &accepted, is_whole)?;
    if open > 0 && options.part.is_none() {
        return Err(format!("{open} mutants are left to judge: run it again"));
    }
    Ok(())
}

/// Judges the mutants of the chosen files: first all by the tests that probably
/// notice them or are fast, and then the rest by the others.
fn judged(
    judge: &Judge<'_>,
    sources: &[Source],
    built: &BuiltTests,
    Options { part, prefixes, .. }: &Options,
) -> Result<BTreeMap<String, Verdict>, String> {
    let is_chosen = |(index, source): &(usize, &Source)| {
        part.as_ref().is_none_or(|it| it.has(*index))
            && (prefixes.is_empty() || prefixes.iter().any(|it| source.file.starts_with(it)))
    };
    let (mut verdicts, mut open) = (BTreeMap::new(), vec![]);
    for (_, source) in sources.iter().enumerate().filter(is_chosen) {
        for mutant in source.mutants().filter(|it| !built.unviable.contains(&it.name)) {
            let (name, number) = (&mutant.name, built.numbers[&mutant.name]);
            let question = Question { name, number, file: &source.file, key: source.key() };
            match judge.kept(&question) {
                Some(verdict) => _ = verdicts.insert(name.clone(), verdict),
                None => open.push(question),
            }
        }
    }
    println!("{} mutants, of which {} are kept", verdicts.len() + open.len(), verdicts.len());
    for budget in BUDGETS {
        println!("{} mutants, at most {budget} s of tests for each", open.len());
        let done = AtomicUsize::new(0);
        let judged = lanes::map(&open, |lane, question| {
            let verdict = judge.judge(lane, question, budget)?;
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            if matches!(verdict, Verdict::Missed | Verdict::Unreached) || done.is_multiple_of(50) {
                println!("{done}/{} {}: {}", open.len(), verdict.name(), question.name);
            }
            Ok((question.name.to_owned(), verdict))
        })?;
        verdicts.extend(judged);
        open.retain(|question| verdicts[question.name] == Verdict::Open);
    }
    Ok(verdicts)
}

fn folders() -> Result<Folders, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    let work = root.join(target).join("mutants");
    fs::create_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()))?;
    Ok(Folders { root, work })
}

fn known_unviable(sources: &[Source], log: &Log) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for source in sources {
        let (key, mutants) = (json!(source.key()), source.mutants());
        let is_known = |name: &str| {
            log.get(name).is_some_and(|it| it["verdict"] == "unviable" && it["file"] == key)
        };
        names.extend(mutants.map(|it| it.name.clone()).filter(|it| is_known(it)));
    }
    names
}

fn keep_unviable(sources: &[Source], built: &BuiltTests, log: &Log) -> Result<(), String> {
    let before = known_unviable(sources, log);
    for source in sources {
        let names = source.mutants().map(|it| &it.name);
        for name in names.filter(|it| built.unviable.contains(*it) && !before.contains(*it)) {
            let line = json!({ "mutant": name, "verdict": "unviable", "file": source.key() });
            log.add(name, line)?;
        }
    }
    Ok(())
}
