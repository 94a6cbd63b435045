//! Timing figures from the client's observer.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use payments_core::Operation;
use payments_core::observer::{Event, EventKind, Observer};

use super::checks::expect;
use super::narrator::{Narrator, in_words, print};
use crate::process::failure::Failure;

/// An observer that collects figures for every call.
#[derive(Default)]
pub(super) struct Figures(Mutex<Collected>);

#[derive(Clone, Default)]
struct Collected {
    calls: Vec<TimedCall>,
    tokens_fetched: u64,
    tokens_reused: u64,
}

#[derive(Clone, Copy)]
struct TimedCall {
    operation: Operation,
    duration: Duration,
    signing: Duration,
}

impl Observer for Figures {
    fn on_event(&self, event: &Event<'_>) {
        let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event.kind {
            EventKind::RequestEnded { operation, duration, signing, .. } => {
                let call =
                    TimedCall { operation: *operation, duration: *duration, signing: *signing };
                collected.calls.push(call);
            }
            EventKind::TokenFetched { .. } => collected.tokens_fetched += 1,
            EventKind::TokenReused { .. } => collected.tokens_reused += 1,
            _ => {}
        }
    }
}

/// Prints the steps, their times, and how many tokens they used. The sandbox was
/// asked for `asked` tokens.
pub(super) fn print_all(
    figures: &Figures,
    narrator: &Narrator,
    asked: u64,
    tokens_of_others: u64,
) -> Result<(), Failure> {
    let collected = figures.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let style = narrator.style();
    print("");
    print(&style.bold("What was done"));
    for (index, step) in narrator.steps().iter().enumerate() {
        let took = in_words(step.took);
        print(&format!("{:>3}  {:<48} {:<14}{took:>9}", index + 1, step.title, "ok"));
    }
    print("");
    print(&style.bold("How long it took"));
    print(&format!(
        "     {:<20}{:>8}{:>16}{:>24}",
        "operation", "calls", "mean time", "of which signing"
    ));
    for operation in Operation::ALL {
        print_operation(operation, &collected.calls);
    }
    print("     A request without a body is signed once; the client caches the signature.");
    print("");
    print(&format!(
        "Tokens requested: {}, which served {} requests.",
        collected.tokens_fetched, collected.tokens_reused
    ));
    print(&format!("Total time: {}.", in_words(narrator.elapsed())));
    expect("tokens that the sandbox was asked for", asked, 1 + tokens_of_others)?;
    expect("tokens that the client fetched", collected.tokens_fetched, 1)
}

fn print_operation(operation: Operation, calls: &[TimedCall]) {
    let mut calls_of_it = 0_u32;
    let (mut duration, mut signing) = (Duration::ZERO, Duration::ZERO);
    for call in calls.iter().filter(|call| call.operation == operation) {
        calls_of_it += 1;
        duration += call.duration;
        signing += call.signing;
    }
    if calls_of_it > 0 {
        let mean = in_words(duration / calls_of_it);
        let signing = in_words(signing / calls_of_it);
        print(&format!("     {:<20}{calls_of_it:>8}{mean:>16}{signing:>24}", operation.name()));
    }
}
