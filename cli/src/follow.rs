//! `payments follow`.

use std::process::ExitCode;

use payments_core::bridge::{exit_code_of_ends, line_of_end, references_in};
use payments_core::follow::FollowOptions;

use crate::args::Global;
use crate::failure::Failure;
use crate::tool_args::FollowArgs;
use crate::{interruption, output, settings};

/// Prints each end, and counts it as reported when it is written.
///
/// # Errors
/// As the iterator of the client; `io` if an end cannot be written.
pub(crate) fn run(global: &Global, args: &FollowArgs) -> Result<ExitCode, Failure> {
    let client = settings::client(global)?;
    let context = interruption::context(&client)?;
    let mut follow = client.follow(options(args)?, &context)?;
    for end in &mut follow {
        output::write_text(&line_of_end(&end?, output::is_for_people(global)))?;
    }
    Ok(ExitCode::from(exit_code_of_ends(follow.counts())))
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
        state: args.state.clone(),
        since: args.since,
        give_up_after: args.give_up_after,
        per_second: args.per_second,
        forget_after: args.forget,
    })
}
