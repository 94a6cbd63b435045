//! Stages one after the other, with the time that each took.

use std::time::{Duration, Instant};

use crate::{Failure, sh};

/// A stage: its name, and its command lines.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    pub name: &'static str,
    pub lines: &'static [&'static [&'static str]],
}

/// What a stage took.
struct Took {
    name: &'static str,
    wall: Duration,
    cpu: Option<Duration>,
}

/// Runs stages until one fails, and prints a table of what each took.
pub(crate) fn run(stages: &[Stage]) -> Result<(), Failure> {
    let mut table = Vec::new();
    let mut result = Ok(());
    for stage in stages {
        println!("\n######## {} ########", stage.name);
        let (started, cpu) = (Instant::now(), cpu_of_children());
        result = stage.lines.iter().try_for_each(|line| sh::run(line));
        let took = Took {
            name: stage.name,
            wall: started.elapsed(),
            cpu: cpu_of_children().zip(cpu).map(|(after, before)| after.saturating_sub(before)),
        };
        println!("{}: {}", stage.name, seconds(Some(took.wall)));
        table.push(took);
        if let Err(failure) = result {
            result = Err(format!("{} failed: {failure}", stage.name));
            break;
        }
    }
    print(&table);
    result
}

fn print(table: &[Took]) {
    println!("\n{:<28}{:>10}{:>10}", "stage", "time", "CPU");
    for took in table {
        println!("{:<28}{:>10}{:>10}", took.name, seconds(Some(took.wall)), seconds(took.cpu));
    }
    let wall = table.iter().map(|took| took.wall).sum();
    let cpu = table.iter().map(|took| took.cpu).sum();
    println!("{:<28}{:>10}{:>10}", "in all", seconds(Some(wall)), seconds(cpu));
}

fn seconds(time: Option<Duration>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| format!("{:.1} s", time.as_secs_f64()))
}

/// The processor time of all children that have ended, where Linux tells it.
/// What a server of a test used counts when that server was waited for.
fn cpu_of_children() -> Option<Duration> {
    /// Linux shows times in hundredths of a second on every architecture.
    const TICK: Duration = Duration::from_millis(10);
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program stands in parentheses and may hold anything.
    let (_, members) = stat.rsplit_once(')')?;
    let mut times = members.split_whitespace().skip(13).map(str::parse::<u32>);
    let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
    Some(TICK * (user + system))
}
