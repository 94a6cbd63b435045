//! Keeps more calls in flight than there are cores.

use std::time::{Duration, Instant};

use crate::rows::Row;

/// Calls in flight.
pub const THREADS: usize = 64;
const ROUNDS: usize = 8;
const WARM_UP: Duration = Duration::from_millis(500);
const MEASURED: Duration = Duration::from_millis(2500);

/// The results of the rounds of one side.
#[derive(Default)]
struct Load {
    calls: Vec<Duration>,
    /// Calls that ended in each round.
    ended: Vec<usize>,
    /// p99 / p50 of each round: what else runs on the machine may differ from
    /// one to the next.
    tails: Vec<f64>,
    /// How late a thread came back that slept for a millisecond.
    delays: Vec<Duration>,
}

impl Load {
    fn add(&mut self, call: &(dyn Fn() + Sync)) {
        let begin = Instant::now() + WARM_UP;
        let end = begin + MEASURED;
        let repeat = || {
            let mut took = Vec::new();
            while Instant::now() < end {
                let started = Instant::now();
                call();
                let ended = Instant::now();
                if (begin..end).contains(&ended) {
                    took.push(ended - started);
                }
            }
            took
        };
        let watch = || {
            const NAP: Duration = Duration::from_millis(1);
            std::thread::sleep(WARM_UP);
            let mut delays = Vec::new();
            while Instant::now() < end {
                let started = Instant::now();
                std::thread::sleep(NAP);
                delays.push(started.elapsed().saturating_sub(NAP));
            }
            delays
        };
        std::thread::scope(|scope| {
            let callers: Vec<_> = (0..THREADS).map(|_| scope.spawn(repeat)).collect();
            let watcher = scope.spawn(watch);
            let calls: Vec<_> =
                callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect();
            self.tails.push(milliseconds(&calls, 0.99) / milliseconds(&calls, 0.5));
            self.ended.push(calls.len());
            self.calls.extend(calls);
            self.delays.extend(watcher.join().unwrap());
        });
    }

    fn throughput(&self) -> f64 {
        self.calls.len() as f64 / (MEASURED.as_secs_f64() * ROUNDS as f64)
    }

    fn row(&self, what: String) -> Row {
        let (calls, delays) = (|part| milliseconds(&self.calls, part), &self.delays);
        let measured = format!(
            "{:.0}/s, p50 {:.0} ms, p99 {:.0} ms; delay of another thread p99, p99.9, max {:.1}, {:.1}, {:.1} ms",
            self.throughput(),
            calls(0.5),
            calls(0.99),
            milliseconds(delays, 0.99),
            milliseconds(delays, 0.999),
            milliseconds(delays, 1.0)
        );
        Row::new(what, measured, "—")
    }
}

fn milliseconds(times: &[Duration], part: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let place = (sorted.len() as f64 * part) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).map_or(0.0, Duration::as_secs_f64) * 1e3
}

fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<_> = figures.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Compares calls whose signatures take turns with calls that all sign at
/// once.
pub fn saturate(
    language: &str,
    in_turn: &(dyn Fn() + Sync),
    at_once: &(dyn Fn() + Sync),
) -> Vec<Row> {
    let (mut ours, mut others) = (Load::default(), Load::default());
    for _ in 0..ROUNDS {
        ours.add(in_turn);
        others.add(at_once);
    }
    let tail = median(ours.tails.clone());
    let faster = median(
        ours.ended.iter().zip(&others.ended).map(|(ours, others)| *ours as f64 / *others as f64),
    );
    let named = |what: &str| format!("{language}, {THREADS} threads{what}");
    vec![
        ours.row(named("")),
        others.row(named(", all of which sign at once")),
        Row::new(named(": p99 of a call / p50"), format!("{tail:.2}"), "≤ 1.5")
            .reached(tail <= 1.5),
        Row::new(named(": throughput / when all sign at once"), format!("{faster:.2}"), "≥ 0.97")
            .reached(faster >= 0.97),
    ]
}
