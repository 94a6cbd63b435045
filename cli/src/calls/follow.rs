//! `payments follow`.

use std::process::ExitCode;

use payments_host::commands::{
    exit_code_if_interrupted, exit_code_of_ends, line_of_end, references_in,
};
use payments_host::follow::{FollowEnd, FollowOptions, SharedFollower};

use crate::args::Global;
use crate::args::tool::FollowArgs;
use crate::process::failure::Failure;
use crate::process::interruption::Interruption;
use crate::process::startup;
use crate::{output, settings};

/// Prints each end, and counts it as reported when it is written, and on the disk if
/// standard output is a file.
///
/// # Errors
/// Those of the client's iterator; `usage` if standard output is closed, `io`
/// if an end cannot be written.
pub(crate) fn run(global: &Global, args: &FollowArgs) -> Result<ExitCode, Failure> {
    startup::check_output("what it reports")?;
    let client = settings::client(global)?;
    let interruption = Interruption::watched()?;
    let context = interruption.context(&client);
    let follow = payments_host::follow::begin(&client, options(args)?, &context)?;
    let is_for_people = output::is_for_people(global);
    let print = |ends: &[FollowEnd]| -> Result<(), Failure> {
        let lines = ends.iter().map(|end| line_of_end(end, is_for_people));
        output::write_lasting(&lines.collect::<String>())
    };
    match work(&follow, args.parallel, print) {
        Ok(()) => Ok(ExitCode::from(exit_code_of_ends(follow.counts()))),
        // Reported ends are marked, and the rest continues in the next run.
        Err(failure) if failure.is_of_kind("cancelled") && interruption.has_come() => {
            match exit_code_if_interrupted(follow.counts()) {
                Some(code) => Ok(ExitCode::from(code)),
                None => {
                    drop(follow);
                    interruption.end()
                }
            }
        }
        Err(failure) => Err(failure),
    }
}

/// Makes `parallel` queries at a time.
fn work(
    follow: &SharedFollower<'_>,
    parallel: u16,
    print: impl Fn(&[FollowEnd]) -> Result<(), Failure> + Copy + Send + Sync,
) -> Result<(), Failure> {
    std::thread::scope(|scope| {
        let work = || follow.work(print);
        let threads: Vec<_> = (0..parallel).map(|_| scope.spawn(work)).collect();
        let ended = threads.into_iter().filter_map(|thread| thread.join().ok());
        ended.collect()
    })
}

fn options(args: &FollowArgs) -> Result<FollowOptions, Failure> {
    let mut references = args.references.clone();
    if let Some(path) = &args.from {
        references.extend(references_in(path)?);
    }
    let is_listed = args.from.is_some() || !args.references.is_empty();
    Ok(FollowOptions {
        references: is_listed.then_some(references),
        by_hash: args.hash,
        by_external_reference: args.external_reference,
        by_uid: args.uid,
        state: args.state.clone(),
        since: args.since,
        give_up_after: args.give_up_after,
        per_second: args.per_second,
        forget_after: args.forget,
    })
}
