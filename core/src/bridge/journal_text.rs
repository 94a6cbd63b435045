//! Entries of a journal as people read them.

use crate::base::utc::{about, iso_8601, wait};
use crate::client::recovery::{OpenEntry, Pruned, Recovery};
use crate::journal::{Entry, Found, Needs};
use crate::model::figures::shown_amount;
use crate::model::json::Json;

const HEADINGS: [&str; 7] = ["AGE", "STATE", "NEEDS", "OPERATION", "AMOUNT", "REFERENCE", "ID"];

/// One line for each entry, and what to do next. `program` is the command's name,
/// such as `payments`.
pub fn list_text(found: &Found, program: &str) -> String {
    if found.entries.is_empty() {
        return "No entries.\n".to_owned();
    }
    let needs: Vec<_> =
        found.entries.iter().filter_map(|it| Some((it, it.needs(found.now)?))).collect();
    table(&found.entries, found.now) + &next_steps(&needs, found.now, program)
}

/// All members of each entry, with times in ISO 8601.
pub fn show_text(found: &Found, program: &str) -> String {
    let mut text = String::new();
    for entry in &found.entries {
        let Json::Object(members) = entry.to_json() else { continue };
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let value = value.as_text_or_number().unwrap_or_default();
            let value = match value.parse() {
                Ok(moment) if name.ends_with("_at") => iso_8601(moment),
                _ if name == "amount" => amount_of(entry),
                _ => without_controls(value),
            };
            text.push_str(&format!("{name:13}  {value}\n"));
        }
        if let Some(needs) = entry.needs(found.now) {
            text.push_str(&format!("{:13}  {}\n", "needs", needs.as_str()));
            text.push_str(&next_steps(&[(entry, needs)], found.now, program));
        }
        text.push('\n');
    }
    text
}

/// What a recovery found, and what to do next.
pub fn recovery_text(recovery: &Recovery, program: &str) -> String {
    let mut text = String::new();
    if !recovery.recovered.is_empty() {
        text.push_str(&table(&recovery.recovered, recovery.now));
    }
    for OpenEntry { entry, needs, reason } in &recovery.open {
        let needs = needs.as_str();
        let line = format!("{}  {}  needs {needs}: {reason}", entry.id, entry.reference);
        text.push_str(&(without_controls(&line) + "\n"));
    }
    let (recovered, open) = (recovery.recovered.len(), recovery.open.len());
    text.push_str(&format!("{recovered} recovered, {open} open\n"));
    let needs: Vec<_> = recovery.open.iter().map(|it| (&it.entry, it.needs)).collect();
    text + &next_steps(&needs, recovery.now, program)
}

/// How a person's decision was recorded.
pub fn resolve_text(entry: &Entry, program: &str) -> String {
    let (id, state) = (&entry.id, entry.state.as_str());
    match &entry.rival {
        None => format!("{id} is {state}\n"),
        Some(rival) => format!(
            "{id} was executed, but the entry {rival} has taken its reference, so it stays {state}; \
             look at both on the provider's platform, then run `{program} journal resolve {id} \
             --executed yes --note TEXT` to settle it\n"
        ),
    }
}

/// How many entries were deleted, or would be.
pub fn prune_text(pruned: &Pruned, program: &str) -> String {
    let Pruned { is_dry_run, done, failed, open } = *pruned;
    let would = if is_dry_run { "would be deleted" } else { "deleted" };
    let mut text = format!("{done} done and {failed} failed {would}; {open} open kept\n");
    if open > 0 {
        text.push_str(&format!("See `{program} journal list --open`.\n"));
    }
    text
}

fn table(entries: &[Entry], now: u64) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(entries.iter().map(|entry| {
        let currency = entry.currency.as_deref().unwrap_or_default();
        [
            about(now.saturating_sub(entry.created_at)),
            entry.state.as_str().to_owned(),
            entry.needs(now).map_or("-", Needs::as_str).to_owned(),
            entry.operation.name().to_owned(),
            format!("{} {currency}", amount_of(entry)).trim_end().to_owned(),
            entry.reference.clone(),
            entry.id.clone(),
        ]
        .map(|cell| without_controls(&cell))
    }));
    let widths: [usize; HEADINGS.len()] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    });
    let line = |row: &[String; HEADINGS.len()]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// The amount of an entry for people; a hyphen if it has none.
fn amount_of(entry: &Entry) -> String {
    let currency = entry.currency.as_deref().unwrap_or_default();
    let amount = entry.amount.as_deref();
    amount
        .map_or_else(|| "-".to_owned(), |amount| shown_amount(&without_controls(amount), currency))
}

/// The commands to run next, and when.
fn next_steps(entries: &[(&Entry, Needs)], now: u64, program: &str) -> String {
    let of = |needs| entries.iter().filter(move |it| it.1 == needs).map(|it| it.0);
    let mut text = String::new();
    if of(Needs::Query).next().is_some() {
        text.push_str(&format!("Run `{program} journal recover` to query what became of them.\n"));
    }
    if let Some(until) = of(Needs::Time).map(|it| it.waits_until(now)).min() {
        let until = wait(until, now);
        text.push_str(&format!("Wait, and run `{program} journal recover` after {until}.\n"));
    }
    if let Some(entry) = of(Needs::Person).next() {
        text.push_str(&format!(
            "Look each one that needs a person up on the provider's platform, then run\n  {program} \
             journal resolve {} --executed yes|no --note 'how you found out'\n",
            entry.id
        ));
    }
    text
}

/// Replaces control characters, which a terminal would interpret, with spaces.
pub fn without_controls(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
