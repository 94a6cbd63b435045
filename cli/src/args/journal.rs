//! The arguments of `payments journal` and `payments create-payouts`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use payments_core::Amount;
use payments_core::inside::without_groups;

use crate::args::examples;

#[derive(Args, Debug)]
pub(crate) struct BatchArgs {
    /// CSV with a header line (external_reference, payee.name, …), or one JSON
    /// object per line
    #[arg(value_name = "FILE.csv|FILE.jsonl")]
    pub(crate) file: PathBuf,
    /// File made by payments journal create [default: the journal of the
    /// configuration]
    #[arg(long, value_name = "PATH")]
    pub(crate) journal: Option<PathBuf>,
    /// Check the file, and show what a run would do; send nothing, ask nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Refuse the file unless it has N payouts
    #[arg(long, value_name = "N")]
    pub(crate) expect_lines: Option<u64>,
    /// Refuse the file unless this is its total, as in BRL=1200.50; for each of
    /// its currencies once
    #[arg(long, value_name = "CURRENCY=TOTAL")]
    pub(crate) expect_total: Vec<ExpectedTotal>,
    /// How the column amount of a CSV file is written: 1250.90, or 1.250,90
    #[arg(long, value_name = "point|comma", default_value_t = Decimal::Point, value_enum)]
    pub(crate) decimal: Decimal,
    /// What to do about values that are probably wrong, such as Pix keys of no
    /// known form: refuse the file if that is certain, or in any case (strict)
    #[arg(long, value_name = "off|warn|refuse|strict", default_value_t = Lint::Refuse,
          value_enum)]
    pub(crate) lint: Lint,
    /// Accept a last line that has no line break
    #[arg(long)]
    pub(crate) last_line_complete: bool,
    /// Send without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Payouts in flight at a time
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) parallel: u16,
    /// Most payouts begun in a second
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) per_second: Option<u32>,
    /// Continue with new payouts after one whose outcome is unknown
    #[arg(long)]
    pub(crate) continue_after_unknown: bool,
}

/// A currency and the total that a file must have in it: `BRL=1200.50`.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedTotal {
    pub(crate) currency: String,
    pub(crate) total: Amount,
}

impl FromStr for ExpectedTotal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (currency, total) =
            text.split_once('=').ok_or("write currency and total, such as BRL=1200.50")?;
        if currency.len() != 3 || !currency.bytes().all(|it| it.is_ascii_alphabetic()) {
            return Err("the currency must be three letters, such as BRL=1200.50".to_owned());
        }
        let plain = without_groups(total).unwrap_or_else(|| total.to_owned());
        let total = Amount::parse(&plain).map_err(|error| error.to_string())?;
        Ok(Self { currency: currency.to_owned(), total })
    }
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Decimal {
    /// 1250.90
    Point,
    /// 1.250,90 or 1250,90
    Comma,
}

/// What to do about findings.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lint {
    /// Do not look
    Off,
    /// Warn on standard error
    Warn,
    /// Refuse the file if one is certain, and warn of others
    Refuse,
    /// Refuse the file
    Strict,
}

#[derive(Subcommand, Clone, Debug)]
pub(crate) enum JournalCommand {
    /// Creates the file of a journal
    #[command(after_help = examples::JOURNAL_CREATE)]
    Create {
        /// A new file, in a folder for this user alone
        path: PathBuf,
    },
    /// Gives a file the format of this version, and keeps every entry
    ///
    /// Calls may run meanwhile. Versions before this one do not open the file
    /// afterwards.
    #[command(after_help = examples::JOURNAL_UPGRADE)]
    Upgrade {
        /// The file of a journal, or a copy of one
        path: PathBuf,
    },
    /// Lets calls write to a copy, after you settled what it does not know
    ///
    /// A configuration, if there is one, says whether payouts are queried.
    #[command(after_help = examples::JOURNAL_ADOPT)]
    Adopt {
        /// The copy, in its place
        path: PathBuf,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Lists the entries of this scope, the oldest first
    #[command(after_help = examples::JOURNAL_LIST)]
    List {
        /// Open entries only: in progress or unknown
        #[arg(long)]
        open: bool,
        /// Write them into this new file, as CSV or, if it ends in .jsonl, as
        /// JSON
        #[arg(long, value_name = "FILE")]
        export: Option<PathBuf>,
    },
    /// Shows all entries of a reference, or the one with that id
    #[command(after_help = examples::JOURNAL_SHOW)]
    Show {
        /// The reference or the id
        reference: String,
    },
    /// Queries the outcomes of open entries; exit code 3 while any is open, or
    /// while another recovery runs
    #[command(after_help = examples::JOURNAL_RECOVER)]
    Recover {
        /// Entries that are queried at a time
        #[arg(long, value_name = "N", default_value_t = 1,
              value_parser = clap::value_parser!(u16).range(1..=64))]
        parallel: u16,
    },
    /// Deletes old entries that are not open
    #[command(after_help = examples::JOURNAL_PRUNE)]
    Prune {
        /// Those that were created before this date or time, in UTC
        #[arg(long, value_name = "DATE")]
        before: String,
        /// Count them by state; delete nothing
        #[arg(long)]
        dry_run: bool,
        /// Also delete entries of the last 30 days
        #[arg(long)]
        yes: bool,
    },
    /// Records what a person found out about an open entry, or about many
    #[command(after_help = examples::JOURNAL_RESOLVE)]
    Resolve {
        /// Its id, or its reference if no other entry of it is open
        #[arg(value_name = "ID|REFERENCE", required_unless_present = "from")]
        entry: Option<String>,
        /// Whether the operation was executed
        #[arg(long, value_name = "yes|no", required_unless_present = "from")]
        executed: Option<Executed>,
        /// How you found out
        #[arg(long, required_unless_present = "from")]
        note: Option<String>,
        /// Record the decisions of this file, all or none: CSV with the columns
        /// reference, executed and note, or one JSON object per line. A second
        /// run says what is recorded already
        #[arg(long, value_name = "FILE.csv|FILE.jsonl",
              conflicts_with_all = ["entry", "executed", "note"])]
        from: Option<PathBuf>,
    },
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Executed {
    /// It was executed: the entry is done
    Yes,
    /// It was not: its reference can be used again
    No,
}

impl Executed {
    pub(crate) fn is_yes(self) -> bool {
        matches!(self, Self::Yes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expected_total_has_a_currency_and_an_amount() {
        for wrong in
            ["", "BRL", "BRL=", "=1", "REAL=1", "BRL=1,00", "BRL=-1", "BRL 1.00", "BRL=12 00"]
        {
            assert!(wrong.parse::<ExpectedTotal>().is_err(), "{wrong}");
        }
        let expected: ExpectedTotal = "BRL=1200.50".parse().unwrap();
        assert_eq!((expected.currency.as_str(), expected.total.as_str()), ("BRL", "1200.50"));
        for shown in ["BRL=1\u{a0}200.50", "BRL=1 200.50"] {
            assert_eq!(shown.parse::<ExpectedTotal>().unwrap().total, expected.total, "{shown}");
        }
    }
}
