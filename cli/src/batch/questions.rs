//! Questions that a person confirms before a batch is sent.

use payments_core::ErrorCode;
use payments_core::inside::shown_amount;

use super::file::Batch;
use super::plan::Plan;
use super::totals;
use crate::args::journal::BatchArgs;
use crate::output;
use crate::output::confirm::{can_ask, is_confirmed};
use crate::process::failure::Failure;

/// Asks whether the last line of a file is complete if it has no line end: if
/// `1000.00` was cut, `1000.0` would be paid.
///
/// # Errors
/// `usage` without an answer.
pub(super) fn confirm_last_line(
    args: &BatchArgs,
    batch: &Batch,
    plan: &Plan<'_>,
) -> Result<(), Failure> {
    let (Some(column), Some(last)) = (&batch.open_end, batch.lines.last()) else {
        return Ok(());
    };
    let is_new = plan.new_lines().last().is_some_and(|line| line.number == last.number);
    if args.last_line_complete || !is_new {
        return Ok(());
    }
    let finding = format!(
        "line {} of {} has no line end, so column {column} or what follows it may be missing",
        last.number,
        args.file.display()
    );
    let advice = "get the whole file, or give --last-line-complete if it is whole";
    if !args.yes && args.dry_run {
        output::note(&format!("{finding}; {advice}"));
        return Ok(());
    }
    if !args.yes && can_ask() {
        output::note(&finding);
        let (reference, currency) = (&last.reference, &last.currency);
        let amount = shown_amount(&last.amount, currency);
        if is_confirmed(&format!("Is the line with {reference}, {currency} {amount} complete?")) {
            return Ok(());
        }
    }
    Err(Failure::usage(ErrorCode::BATCH_INVALID, format!("{finding}; nothing was sent; {advice}")))
}

/// Asks on a terminal whether to send the new lines.
///
/// # Errors
/// `usage` without a confirmation.
pub(super) fn confirm(args: &BatchArgs, plan: &Plan<'_>) -> Result<(), Failure> {
    let (count, all) = (plan.new_lines().count(), plan.lines.len());
    if args.yes || count == 0 {
        return Ok(());
    }
    if !can_ask() {
        let message = "nobody can confirm the payouts here; check them with --dry-run, and give \
                       --yes";
        return Err(Failure::usage(ErrorCode::NOT_CONFIRMED, message));
    }
    let of_all = if count == all { String::new() } else { format!("{count} of ") };
    let (all, totals) = (totals::counted(all), totals::shown(plan.new_lines()));
    if is_confirmed(&format!("Send {of_all}{all}: {totals}?")) {
        Ok(())
    } else {
        Err(Failure::usage(ErrorCode::NOT_CONFIRMED, "not confirmed; nothing was sent"))
    }
}
