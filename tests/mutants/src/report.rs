//! The results of a run, by file.

use std::collections::BTreeMap;

use crate::judge::Verdict;

/// The share of mutants that tests must notice.
const GOAL: f64 = 0.95;

/// Survivors that are as good as the original: names, each followed by a line with
/// the reason.
pub fn accepted(text: &str) -> Result<BTreeMap<&str, &str>, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<_> = lines.collect();
    let pairs = lines.chunks(2).map(|pair| match pair {
        [name, reason] if reason.starts_with("    ") => Ok((*name, reason.trim())),
        _ => Err(format!("equivalent.txt: no reason follows \"{}\"", pair[0])),
    });
    pairs.collect()
}

/// Prints the table, the survivors and the accepted ones that are noticed; fails
/// below the goal, and if an accepted one is gone. Gives the number of mutants that are
/// not judged yet.
pub fn print(
    verdicts: &BTreeMap<String, Verdict>,
    accepted: &BTreeMap<&str, &str>,
    is_whole: bool,
) -> Result<usize, String> {
    let mut files: BTreeMap<&str, Row> = BTreeMap::new();
    let mut all = Row::default();
    let mut survivors = vec![];
    for (name, verdict) in verdicts {
        let is_accepted = accepted.contains_key(name.as_str());
        let file = name.split(": ").next().unwrap_or_default();
        files.entry(file).or_default().count(*verdict, is_accepted);
        all.count(*verdict, is_accepted);
        if matches!(verdict, Verdict::Missed | Verdict::Unreached) && !is_accepted {
            survivors.push(format!("{}: {name}", verdict.name()));
        }
    }
    println!("{}", Row::head());
    for (file, row) in &files {
        println!("{}", row.line(file));
    }
    println!("{}\n", all.line("in all"));
    for survivor in &survivors {
        println!("{survivor}");
    }
    let mut gone = vec![];
    for name in accepted.keys() {
        match verdicts.get(*name) {
            Some(verdict) if verdict.is_noticed() => {
                println!("accepted, but noticed, if not by chance: {name}");
            }
            None if is_whole => gone.push(name),
            _ => {}
        }
    }
    if !gone.is_empty() {
        return Err(format!("accepted, but gone: {gone:#?}"));
    }
    if all.share() < GOAL {
        return Err(format!("less than {} % of the mutants are noticed", GOAL * 100.0));
    }
    Ok(all.open)
}

#[derive(Default)]
struct Row {
    noticed: usize,
    hung: usize,
    missed: usize,
    unreached: usize,
    accepted: usize,
    open: usize,
}

impl Row {
    fn head() -> String {
        let columns = ["mutants", "caught", "hung", "missed", "unreached", "accepted", "open"];
        let columns = columns.map(|it| format!("{it:>10}")).concat();
        format!("{:<42}{columns}{:>10}", "file", "noticed")
    }

    fn count(&mut self, verdict: Verdict, is_accepted: bool) {
        *match verdict {
            Verdict::Caught => &mut self.noticed,
            Verdict::Hung => &mut self.hung,
            _ if is_accepted => &mut self.accepted,
            Verdict::Open => &mut self.open,
            Verdict::Missed => &mut self.missed,
            Verdict::Unreached => &mut self.unreached,
        } += 1;
    }

    /// The noticed share of those that are judged and not accepted.
    fn share(&self) -> f64 {
        let noticed = self.noticed + self.hung;
        let all = noticed + self.missed + self.unreached;
        if all == 0 { 1.0 } else { noticed as f64 / all as f64 }
    }

    fn line(&self, name: &str) -> String {
        let unnoticed = [self.missed, self.unreached, self.accepted, self.open];
        let all = self.noticed + self.hung + unnoticed.iter().sum::<usize>();
        let counts = [all, self.noticed, self.hung].into_iter().chain(unnoticed);
        let counts: String = counts.map(|it| format!("{it:>10}")).collect();
        format!("{name:<42}{counts}{:>8.1} %", self.share() * 100.0)
    }
}
