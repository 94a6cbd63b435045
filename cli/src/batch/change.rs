//! How a line differs from the payout sent under its reference.

use payments_core::amount::same_amount;
use payments_core::journal::Entry;

use super::file::{Line, Problem};

const UNKNOWN_MEMBER: &str = "another member than amount and currency_code differs, of which the \
                              journal keeps only a hash";

/// The columns that differ, with the sent values. Empty if another member
/// differs: the journal has only a hash of those.
#[derive(Clone, Debug)]
pub(super) struct Change(Vec<(&'static str, String)>);

impl Change {
    /// Compares a line with the entry of its reference, which has another body.
    pub(super) fn of(line: &Line, entry: &Entry) -> Self {
        let sent = |value: &Option<String>, is_same: &dyn Fn(&str) -> bool| {
            value.clone().filter(|sent| !is_same(sent))
        };
        let differences = [
            ("amount", sent(&entry.amount, &|sent| same_amount(sent, &line.amount))),
            ("currency_code", sent(&entry.currency, &|sent| sent == line.currency)),
        ];
        Self(differences.into_iter().filter_map(|(column, sent)| Some((column, sent?))).collect())
    }

    /// The message for the line `number`.
    pub(super) fn problems(&self, number: u64) -> Vec<Problem> {
        let problem = |column: Option<&str>, message| Problem {
            line: number,
            column: column.map(str::to_owned),
            message,
        };
        if self.0.is_empty() {
            return vec![problem(None, UNKNOWN_MEMBER.to_owned())];
        }
        let named = self.0.iter();
        named
            .map(|(column, sent)| problem(Some(column), format!("the journal has {sent}")))
            .collect()
    }

    /// The same in a few words.
    pub(super) fn summary(&self) -> String {
        if self.0.is_empty() {
            return UNKNOWN_MEMBER.to_owned();
        }
        let named = self.0.iter().map(|(column, sent)| format!("there, {column} is {sent}"));
        named.collect::<Vec<_>>().join(", ")
    }
}
