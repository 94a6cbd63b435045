//! `payments demo`: exercises the client against its own sandbox, and narrates
//! each step. Each step checks its results; the first mismatch ends the run.

mod checks;
mod figures;
mod http;
mod keep;
#[cfg(unix)]
mod killed;
mod lost_response;
mod narrator;
mod payments;
mod payout;
mod raw_request;
mod refusals;
// Elsewhere, a journal cannot be a file.
#[cfg(unix)]
mod shop;
mod stage;
mod tracking;

use std::process::ExitCode;

use crate::process::failure::Failure;
#[cfg(unix)]
use killed::recover as recover_of_killed;
use narrator::Narrator;
use stage::Stage;

/// Runs the demo; with `keep`, the sandbox stays up afterwards, and with `open` a
/// browser shows the shop.
///
/// # Errors
/// A step did not get the expected result.
pub(crate) fn run(keep: bool, open: bool) -> Result<ExitCode, Failure> {
    let mut narrator = Narrator::new();
    narrator.headline(
        "payments demo",
        "A sandbox of the payments service runs inside this process, on loopback. It verifies \
         every signature and every token. No money moves.",
    );
    let stage = Stage::set(&mut narrator)?;
    let paid = payments::pay_by_pix(&stage, &mut narrator)?;
    payments::cancel_a_voucher(&stage, &mut narrator)?;
    payout::pay_out(&stage, &mut narrator)?;
    tracking::register(&stage, &mut narrator, &paid)?;
    raw_request::send(&stage, &mut narrator)?;
    refusals::provoke(&stage, &mut narrator)?;
    lost_response::find_out(&stage, &mut narrator)?;
    let tokens_of_others = recover_of_killed(&stage, &mut narrator)?;
    let asked = stage.sandbox.token_requests();
    figures::print_all(&stage.figures, &narrator, asked, tokens_of_others)?;
    if keep {
        keep::keep(&stage, &narrator, &paid, open)?;
    } else {
        narrator::print("");
        narrator.say(
            "The sandbox has a page that shows all of this: every request, with the bytes that \
             differ. payments demo --keep leaves it open, with a shop that uses it, and payments \
             sandbox --open starts an empty one.",
        );
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(not(unix))]
fn recover_of_killed(_: &Stage, narrator: &mut Narrator) -> Result<u64, Failure> {
    narrator::print("");
    narrator.say(
        "Elsewhere, a process is killed in mid-call, and its payment is found by the journal. On \
         Windows, a journal cannot be a file, so this part is left out.",
    );
    Ok(0)
}
