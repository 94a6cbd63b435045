//! Entries of a journal as people read them.

use payments_base::utc::{about, iso_8601, wait};
use payments_core::inside::shown_amount;
use payments_core::journal::{Entry, Found, Needs};
use payments_core::json::Json;
use payments_core::rules::Rules;

use crate::journal::Pruned;
use crate::recovery::{OpenEntry, Recovery, way_to_query};

const HEADINGS: [&str; 7] = ["AGE", "STATE", "NEEDS", "OPERATION", "AMOUNT", "REFERENCE", "ID"];

/// One line for each entry, and the next step. `program` is the command,
/// such as `payments journal`.
pub fn list_text(found: &Found, rules: &Rules, program: &str) -> String {
    let mut list = ListText::at(found.now, rules);
    list.measure(&found.entries);
    list.head() + &list.lines(&found.entries) + &list.end(program)
}

/// A list that is read twice, a page at a time: to measure it, and to print it.
pub struct ListText<'r> {
    now: u64,
    rules: &'r Rules,
    is_empty: bool,
    widths: [usize; HEADINGS.len()],
    next_steps: NextSteps,
}

impl<'r> ListText<'r> {
    /// A list of the journal's entries at `now`, by its clock, for a client with
    /// these rules.
    pub fn at(now: u64, rules: &'r Rules) -> Self {
        let widths = HEADINGS.map(|heading| heading.len());
        Self { now, rules, is_empty: true, widths, next_steps: NextSteps::default() }
    }

    /// Measures some of the entries.
    pub fn measure(&mut self, entries: &[Entry]) {
        self.is_empty &= entries.is_empty();
        for entry in entries {
            for (width, cell) in self.widths.iter_mut().zip(cells_of(entry, self.now, self.rules)) {
                *width = (*width).max(cell.chars().count());
            }
            if let Some(needs) = entry.needs(self.now, self.rules) {
                self.next_steps.add(entry, needs, self.now);
                self.next_steps.add_query(entry, self.rules);
            }
        }
    }

    /// The headings, once everything is measured.
    pub fn head(&self) -> String {
        if self.is_empty { "No entries.\n".to_owned() } else { self.line(&HEADINGS) }
    }

    /// A line for each of these entries.
    pub fn lines(&self, entries: &[Entry]) -> String {
        entries.iter().map(|entry| self.line(&cells_of(entry, self.now, self.rules))).collect()
    }

    /// The next step.
    pub fn end(&self, program: &str) -> String {
        self.next_steps.text(self.now, program)
    }

    fn line(&self, cells: &[impl AsRef<str>]) -> String {
        let padded = |(cell, width): (_, &usize)| format!("{:width$}", AsRef::<str>::as_ref(cell));
        let cells: Vec<_> = cells.iter().zip(&self.widths).map(padded).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    }
}

/// All members of each entry, with times in ISO 8601.
pub fn show_text(found: &Found, rules: &Rules, program: &str) -> String {
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
        if let Some(needs) = entry.needs(found.now, rules) {
            text.push_str(&format!("{:13}  {}\n", "needs", needs.as_str()));
            let mut steps = NextSteps::of([(entry, needs)], found.now);
            steps.add_query(entry, rules);
            text.push_str(&steps.text(found.now, program));
        }
        text.push('\n');
    }
    text
}

/// The results of a recovery, and the next step.
pub fn recovery_text(recovery: &Recovery, program: &str) -> String {
    let mut text = String::new();
    if !recovery.recovered.is_empty() {
        // The needs of a decided entry depend on no query.
        let rules = Rules::default();
        let mut list = ListText::at(recovery.now, &rules);
        list.measure(&recovery.recovered);
        text.push_str(&(list.head() + &list.lines(&recovery.recovered)));
    }
    for OpenEntry { entry, needs, reason } in &recovery.open {
        let needs = needs.as_str();
        let line = format!("{}  {}  needs {needs}: {reason}", entry.id, entry.reference);
        text.push_str(&(without_controls(&line) + "\n"));
    }
    let (recovered, open) = (recovery.recovered.len(), recovery.open.len());
    text.push_str(&format!("{recovered} recovered, {open} open\n"));
    let open = recovery.open.iter().map(|it| (&it.entry, it.needs));
    text + &NextSteps::of(open, recovery.now).text(recovery.now, program)
}

/// How a person's decision was recorded.
pub fn resolve_text(entry: &Entry, program: &str) -> String {
    let (id, state) = (&entry.id, entry.state.as_str());
    match &entry.rival {
        None => format!("{id} is {state}\n"),
        Some(rival) => format!(
            "{id} was executed, but the entry {rival} has taken its reference, so it stays {state}; \
             look at both on the provider's platform, then run `{program} resolve {id} \
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
        text.push_str(&format!("See `{program} list --open`.\n"));
    }
    text
}

/// The columns of an entry in a list.
fn cells_of(entry: &Entry, now: u64, rules: &Rules) -> [String; HEADINGS.len()] {
    let currency = entry.currency.as_deref().unwrap_or_default();
    [
        about(now.saturating_sub(entry.created_at)),
        entry.state.as_str().to_owned(),
        entry.needs(now, rules).map_or("-", Needs::as_str).to_owned(),
        entry.operation.name().to_owned(),
        format!("{} {currency}", amount_of(entry)).trim_end().to_owned(),
        entry.reference.clone(),
        entry.id.clone(),
    ]
    .map(|cell| without_controls(&cell))
}

/// The amount of an entry for people; a hyphen if it has none.
fn amount_of(entry: &Entry) -> String {
    let currency = entry.currency.as_deref().unwrap_or_default();
    let amount = entry.amount.as_deref();
    amount
        .map_or_else(|| "-".to_owned(), |amount| shown_amount(&without_controls(amount), currency))
}

/// The commands to run next, and when.
#[derive(Default)]
struct NextSteps {
    has_query: bool,
    /// The earliest moment at which one that needs time can be settled.
    until: Option<u64>,
    /// The first one that needs a person.
    of_person: Option<String>,
    /// How to turn on a query that could find one.
    way_to_query: Option<String>,
}

impl NextSteps {
    fn of<'e>(entries: impl IntoIterator<Item = (&'e Entry, Needs)>, now: u64) -> Self {
        let mut steps = Self::default();
        entries.into_iter().for_each(|(entry, needs)| steps.add(entry, needs, now));
        steps
    }

    fn add(&mut self, entry: &Entry, needs: Needs, now: u64) {
        match needs {
            Needs::Query => self.has_query = true,
            Needs::Time => {
                let until = entry.waits_until(now);
                self.until = Some(self.until.map_or(until, |earliest| earliest.min(until)));
            }
            Needs::Person => {
                self.of_person.get_or_insert_with(|| entry.id.clone());
            }
        }
    }

    fn add_query(&mut self, entry: &Entry, rules: &Rules) {
        if let Some(way) = way_to_query(entry, rules) {
            self.way_to_query.get_or_insert(way);
        }
    }

    fn text(&self, now: u64, program: &str) -> String {
        let mut text = String::new();
        if self.has_query {
            text.push_str(&format!("Run `{program} recover` to query what became of them.\n"));
        }
        if let Some(until) = self.until {
            let until = wait(until, now);
            text.push_str(&format!("Wait, and run `{program} recover` after {until}.\n"));
        }
        if let Some(id) = &self.of_person {
            text.push_str(&format!(
                "Look each one that needs a person up on the provider's platform, then run\n  \
                 {program} resolve {id} --executed yes|no --note 'how you found out'\n"
            ));
        }
        if let Some(way) = &self.way_to_query {
            text.push_str(&format!(
                "Payouts are not queried; {way}, and run `{program} recover`.\n"
            ));
        }
        text
    }
}

/// Replaces control characters, which a terminal would interpret, with spaces.
pub fn without_controls(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
