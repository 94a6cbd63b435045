//! `payments demo`: pays at its own sandbox, and narrates each step. Each step checks
//! its results; the first mismatch ends the run.

mod keep;
mod narrator;
// Elsewhere, a journal cannot be a file.
#[cfg(unix)]
mod shop;
mod steps;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use payments_core::ErrorCode;

use self::narrator::{Narrator, in_words, print};
use self::steps::Stage;
use crate::keys::keygen;
use crate::process::failure::Failure;

/// How many folders of earlier runs to skip before giving up.
const MOST_FOLDERS: u32 = 1000;

/// Runs the demo; with `keep`, the sandbox stays up afterwards, and with `open` a
/// browser shows the shop.
///
/// # Errors
/// A step did not get the expected result.
pub(crate) fn run(keep: bool, open: bool) -> Result<ExitCode, Failure> {
    let mut narrator = Narrator::new();
    let folder = new_folder()?;
    let played = play(&mut narrator, &folder);
    if keep {
        keep::keep(&played?, &folder, open)?;
        return Ok(ExitCode::SUCCESS);
    }
    // The rest is in the folder for temporary files, and opens nothing but the sandbox.
    let _ = std::fs::remove_dir_all(&folder);
    played?;
    print("");
    narrator.say(
        "The sandbox has a page that shows every request, with the bytes that differ if its \
         signature is refused. payments demo --keep leaves it open, with a shop that uses it, \
         and payments sandbox --open starts an empty one.",
    );
    Ok(ExitCode::SUCCESS)
}

/// Plays all steps.
fn play(narrator: &mut Narrator, folder: &Path) -> Result<Stage, Failure> {
    narrator.headline(
        "payments demo",
        "A sandbox of the payments service runs inside this process, on loopback. It verifies \
         every signature and every token. No money moves.",
    );
    let stage = Stage::set(narrator, folder)?;
    let hash = stage.sign_and_send(narrator)?;
    stage.query_once_paid(narrator, &hash)?;
    let lost = stage.lose_a_response(narrator)?;
    stage.send_again(narrator, &lost)?;
    stage.change_the_body(narrator)?;
    #[cfg(unix)]
    stage.read_the_journal(narrator)?;
    print("");
    print(&format!(
        "Tokens requested: {}. Total time: {}.",
        stage.sandbox.token_requests(),
        in_words(narrator.elapsed())
    ));
    Ok(stage)
}

/// Creates a new folder that only the owner can access.
fn new_folder() -> Result<PathBuf, Failure> {
    let base = std::env::temp_dir();
    let candidates = (1..=MOST_FOLDERS).map(|number| base.join(format!("payments-demo-{number}")));
    for folder in candidates {
        if keygen::make_new_folder(&folder)? {
            return Ok(folder);
        }
    }
    let message = format!("delete the folders payments-demo-* in {}", base.display());
    Err(Failure::io(ErrorCode::FILE_UNWRITABLE, message))
}
