//! `payments follow` with its output in a file, cut at each system call that writes or
//! syncs: it is killed there, or the call fails. Then a power failure leaves of one of
//! its two files what was synced, and all of the other, in both orders. The next run must
//! report each end that was lost, and mark each that was not.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::rows::{Kind, Place, call};
use crate::tracer::is_change;

const NAME: &str = "follow";
const PAID: [&str; 3] = ["paid-1", "paid-2", "paid-3"];
const ENDS: &str = "ends.jsonl";
const STATE: &str = "state";
const CUTS: [&str; 3] = ["signal=KILL", "error=ENOSPC", "error=EIO"];

/// The file of which a power failure leaves only what was synced.
const LOSES: [Option<&str>; 3] = [None, Some(ENDS), Some(STATE)];

/// Returns the mistakes.
pub(crate) fn cut(place: &Place, folder: &Path) -> Vec<String> {
    let follow = Follow::new(place, folder);
    let base = follow.run(None);
    let mut names = BTreeMap::<String, usize>::new();
    for (name, _) in steps(&base).into_iter().filter(|(name, _)| is_change(name)) {
        *names.entry(name).or_default() += 1;
    }
    let (mut cuts, mut findings) = (0, Vec::new());
    for (name, count) in names {
        for how in CUTS {
            // Each thread is counted alone, so the last ones may not be reached.
            for number in 1..=count {
                let trace = follow.run(Some(&format!("--inject={name}:{how}:when={number}")));
                cuts += 1;
                let synced = follow.synced(&trace);
                for loses in LOSES {
                    let found = follow.finish(loses, &synced);
                    let about = format!("{NAME}: {how} at {name} {number}, {loses:?} lost");
                    findings.extend(found.into_iter().map(|it| format!("{about}: {it}")));
                }
            }
        }
    }
    println!("{NAME}: {cuts} cuts, each finished in {} ways", LOSES.len());
    findings
}

/// A folder with a configuration, and a state file of an earlier run.
struct Follow {
    folder: PathBuf,
}

impl Follow {
    fn new(place: &Place, folder: &Path) -> Self {
        let folder = folder.join(NAME);
        fs::create_dir_all(&folder).unwrap();
        let client = place.client();
        for name in PAID {
            call(&client, Kind::Payment, [name, ""], &client.context()).unwrap();
            place.sandbox.confirm_payment(name).unwrap();
        }
        let config = place.configuration(&place.tokens()).to_string();
        fs::write(folder.join("payments.json"), config).unwrap();
        let follow = Self { folder };
        let status = follow.command(&PAID[..1], "before", "ends-before").status();
        assert!(status.unwrap().success());
        follow
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn command(&self, names: &[&str], state: &str, ends: &str) -> Command {
        let program = std::env::current_exe().unwrap().with_file_name("payments");
        let output = OpenOptions::new().append(true).create(true).open(self.at(ends)).unwrap();
        let mut command = Command::new(program);
        command.args(["follow", "--parallel", "1", "--per-second", "1000", "--state", state]);
        command.args(names).current_dir(&self.folder).stdin(Stdio::null()).stdout(output);
        command
    }

    /// Follows from the state of the earlier run. Returns the trace.
    fn run(&self, inject: Option<&str>) -> String {
        fs::copy(self.at("before"), self.at(STATE)).unwrap();
        fs::write(self.at(ENDS), "").unwrap();
        let traced = self.command(&PAID, STATE, ENDS);
        let mut command = Command::new("strace");
        command.args(["-f", "-y", "-e", "signal=none", "-e", "trace=%desc,%file,%network"]);
        command.args(["-o", "trace"]).args(inject).arg(traced.get_program());
        command.args(traced.get_args()).current_dir(&self.folder).stdin(Stdio::null());
        let output = OpenOptions::new().append(true).open(self.at(ENDS)).unwrap();
        command.stdout(output).stderr(Stdio::null()).status().unwrap();
        fs::read_to_string(self.at("trace")).unwrap()
    }

    /// How long each file was when it was last synced.
    fn synced(&self, trace: &str) -> BTreeMap<&'static str, u64> {
        let before = fs::metadata(self.at("before")).unwrap().len();
        let mut written = BTreeMap::from([(ENDS, 0), (STATE, before)]);
        let mut synced = written.clone();
        for (name, text) in steps(trace) {
            let is_of = |file: &&&str| text.contains(&format!("/{NAME}/{file}>"));
            let Some(file) = [ENDS, STATE].iter().find(is_of).copied() else { continue };
            let result = text.rsplit_once(" = ").and_then(|(_, it)| it.trim().parse::<u64>().ok());
            match (&*name, result) {
                ("write", Some(count)) => *written.get_mut(file).unwrap() += count,
                ("fsync" | "fdatasync", Some(0)) => drop(synced.insert(file, written[file])),
                _ => {}
            }
        }
        synced
    }

    /// Follows again after a power failure. Returns the mistakes.
    fn finish(&self, loses: Option<&str>, synced: &BTreeMap<&str, u64>) -> Vec<String> {
        for file in [ENDS, STATE] {
            let copy = self.at(&format!("{file}-again"));
            fs::copy(self.at(file), &copy).unwrap();
            if loses == Some(file) {
                OpenOptions::new().write(true).open(copy).unwrap().set_len(synced[file]).unwrap();
            }
        }
        let ends = format!("{ENDS}-again");
        let status = self.command(&PAID, &format!("{STATE}-again"), &ends).status().unwrap();
        let mut findings = Vec::new();
        if !status.success() {
            findings.push(format!("the next run ends with {status}"));
        }
        let text = fs::read_to_string(self.at(&ends)).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap_or_default()).collect();
        for name in &PAID[1..] {
            let ends: Vec<_> = lines.iter().filter(|line| line["reference"] == *name).collect();
            let unmarked = ends.iter().filter(|end| end["repeated"] == json!(false)).count();
            if ends.is_empty() || ends.len() > 2 || unmarked > 1 {
                findings.push(format!("{name} was reported {} times: {text}", ends.len()));
            }
        }
        findings
    }
}

/// The system calls of a trace: their names, and all about them. strace has two lines for one
/// that another thread interrupts.
fn steps(trace: &str) -> Vec<(String, String)> {
    let (mut steps, mut begun) = (Vec::new(), BTreeMap::new());
    for (thread, text) in trace.lines().filter_map(|line| line.split_once(' ')) {
        let text = text.trim_start();
        let text = match (text.strip_suffix("<unfinished ...>"), text.split_once("resumed>")) {
            (Some(head), _) => {
                begun.insert(thread, head);
                continue;
            }
            (_, Some((_, rest))) => begun.remove(thread).unwrap_or_default().to_owned() + rest,
            _ => text.to_owned(),
        };
        if let Some((name, _)) = text.split_once('(') {
            steps.push((name.to_owned(), text));
        }
    }
    // The process was killed in these.
    let killed = begun.into_values().filter_map(|text| text.split_once('(').map(|it| (it.0, text)));
    steps.extend(killed.map(|(name, text)| (name.to_owned(), text.to_owned())));
    steps
}
