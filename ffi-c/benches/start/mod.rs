//! How long programs take to start: medians of five.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

/// Medians of how long the start of a program took.
pub struct StartTimes {
    /// From the start of its process to its first response.
    pub whole: Duration,
    /// Loading the library, as the program says.
    pub loading: Duration,
    /// Making a client, as the program says.
    pub client: Duration,
}

/// Starts a program a few times. When it has its first response, it prints how
/// many nanoseconds it took to load the library, and to make a client.
pub fn measure(command: impl Fn() -> Command) -> StartTimes {
    // The first one reads the files from the disk.
    let turns: Vec<_> = (0..=ROUNDS).map(|_| first_line(command())).skip(1).collect();
    let median = |part| median(turns.iter().map(|turn| turn[part]).collect());
    StartTimes { whole: median(0), loading: median(1), client: median(2) }
}

fn first_line(mut command: Command) -> [Duration; 3] {
    let started = Instant::now();
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let whole = started.elapsed();
    assert!(child.wait().unwrap().success(), "{command:?}");
    let (loading, client) = line.trim().split_once(' ').unwrap();
    let took = |nanoseconds: &str| Duration::from_nanos(nanoseconds.parse().unwrap());
    [whole, took(loading), took(client)]
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
