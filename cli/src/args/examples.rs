//! The examples in help texts. A test parses each one.

use payments_core::Operation;
use payments_core::operation::{Presence, RequestMember, RequestShape};

use crate::args::members::{MemberOption, nameless_member};

/// Longer examples continue on the next line.
const WIDTH: usize = 76;

pub(crate) const DEMO: &str = "\
Examples:
  payments demo
  payments demo --keep --open";

pub(crate) const SANDBOX: &str = "\
Examples:
  payments sandbox --open
  payments sandbox --config-out merchant
  payments sandbox --port 8080 --public-key public_key.pem";

pub(crate) const KEYGEN: &str = "\
Example:
  payments keygen --out keys";

pub(crate) const SIGN: &str = "\
Examples:
  payments sign --key private_key.pem --kid KID body.json
  printf '{}' | payments sign --key private_key.pem --kid KID -";

pub(crate) const VERIFY: &str = "\
Example:
  payments verify --public-key public_key.pem --token @token.txt body.json";

pub(crate) const DOCTOR: &str = "\
Examples:
  payments doctor --public-key KID=public_key.pem --public-key old.pem \\
    --token @token.txt body.json
  payments doctor --key private_key.pem --token @token.txt body.json
  payments doctor --key private_key.pem --token @token.txt --url @url.txt
  payments doctor --bearer @bearer.txt --client-id CLIENT_ID";

pub(crate) const EXPLAIN: &str = "\
Examples:
  payments explain payment_not_found
  payments explain unknown
  payments explain timeout_ms
  payments explain";

pub(crate) const CREATE_PAYOUTS: &str = "\
Examples:
  payments create-payouts payouts.csv --dry-run
  payments create-payouts payouts.csv > report.csv
  payments create-payouts payouts.csv --decimal comma
  payments create-payouts payouts.csv --yes --lint strict \\
    --expect-lines 120 --expect-total BRL=4560.00
  payments create-payouts payouts.jsonl --journal journal/payments.db";

pub(crate) const FOLLOW: &str = "\
Examples:
  payments follow --state follow.state
  payments follow --state follow.state --give-up-after 2d --per-second 10
  payments follow order-1001 order-1002
  payments follow --external-reference payout-17
  payments follow --from orders.txt --state orders.state";

pub(crate) const JOURNAL: &str = "\
Examples:
  payments journal create journal/payments.db
  payments journal list --open
  payments journal recover
  payments journal resolve payout-17 --executed yes --note 'on the platform'";

pub(crate) const JOURNAL_CREATE: &str = "\
Example:
  payments journal create journal/payments.db";

pub(crate) const JOURNAL_UPGRADE: &str = "\
Example:
  payments journal upgrade journal/payments.db";

pub(crate) const JOURNAL_ADOPT: &str = "\
Example:
  payments journal adopt journal/payments.db";

pub(crate) const JOURNAL_LIST: &str = "\
Examples:
  payments journal list --open
  payments journal list --export journal.csv";

pub(crate) const JOURNAL_SHOW: &str = "\
Example:
  payments journal show payout-17";

pub(crate) const JOURNAL_RECOVER: &str = "\
Examples:
  payments journal recover --json
  payments journal recover --parallel 8";

pub(crate) const JOURNAL_PRUNE: &str = "\
Examples:
  payments journal prune --before 2026-01-31 --dry-run
  payments journal prune --before 2026-01-31T00:00:00-03:00";

pub(crate) const JOURNAL_RESOLVE: &str = "\
Examples:
  payments journal resolve payout-17 --executed no \\
    --note 'not listed at noon, asked support'
  payments journal resolve --from decisions.csv";

pub(crate) const SEND: &str = "\
Examples:
  payments send POST /ws/transfer/create body.json --reference order-1
  payments send GET /ws/reports --query day=2026-01-31";

pub(crate) const TOKEN: &str = "\
Examples:
  payments token --status
  payments token --plain
  payments token --forget";

pub(crate) const PREPARE: &str = "\
Examples:
  payments prepare query-payment HASH
  payments prepare create-payment payment.json --show-secrets";

pub(crate) const CHECK: &str = "\
Examples:
  payments check
  payments check --online --config live.json --json";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  payments completions bash \\
    > ~/.local/share/bash-completion/completions/payments
  payments completions zsh > ~/.zfunc/_payments
  payments completions fish > ~/.config/fish/completions/payments.fish
  payments completions powershell >> $PROFILE";

pub(crate) const MAN: &str = "\
Examples:
  payments man --out man1
  payments man --out /usr/local/share/man/man1";

/// A sample value for a member whose shape alone does not suggest one.
const TEXTS: [(&str, &str); 9] = [
    ("description", "returned"),
    ("name", "'Maria Souza'"),
    ("email", "maria@example.com"),
    ("document", "853.513.468-93"),
    ("merchant_payment_code", "order-1001"),
    ("external_reference", "payout-1"),
    ("order_number", "order-1001"),
    ("target_account", "maria@example.com"),
    ("tracking_code", "AA123456785BR"),
];

/// The examples of an operation's subcommand: by options, and the other ways to
/// give its request.
pub(crate) fn of_operation(
    operation: Operation,
    command: &str,
    options: &[MemberOption],
) -> String {
    let amount = options.iter().find(|it| is_amount(it)).map(|it| format!("--{} 50.00", it.name));
    let examples = match (nameless_member(operation), amount) {
        // Some services require all three of a refund.
        (Some(field), Some(amount)) => {
            let named = |name| options.iter().find(|it| it.name == name).map(words);
            let others = ["operation", "description"].into_iter().filter_map(named).flatten();
            let all = [sample(field), amount].into_iter().chain(others).collect();
            [Some(all), Some(vec!["request.json".to_owned()])]
        }
        (Some(field), None) => {
            let other = options.iter().filter(|it| presence(it) == Some(Presence::OneOf)).nth(1);
            [Some(vec![sample(field)]), other.map(words)]
        }
        (None, amount) => {
            let required = options.iter().filter(|it| is_in_example(it, options)).flat_map(words);
            let file = ["request.json".to_owned()].into_iter().chain(amount).collect();
            [Some(required.collect()), Some(file)]
        }
    };
    let mut text = "Examples:".to_owned();
    for words in examples.into_iter().flatten() {
        text.push_str(&in_lines(command, &words));
    }
    text
}

fn is_amount(option: &MemberOption) -> bool {
    option.field.is_some_and(|field| matches!(field.shape, RequestShape::Amount))
}

fn presence(option: &MemberOption) -> Option<Presence> {
    option.field.map(|field| field.presence)
}

/// Whether an example gives it: a required member, also by a condition; the
/// member of the condition; and the first of a choice that needs at least one.
fn is_in_example(option: &MemberOption, options: &[MemberOption]) -> bool {
    let Some(field) = option.field else { return false };
    let fields = || options.iter().filter_map(|it| it.field);
    let decides = |it: &RequestMember| it.condition.is_some_and(|it| it.member == field.name);
    match field.presence {
        Presence::Required => true,
        Presence::OneOf => false,
        Presence::AtLeastOne => {
            let first = fields().find(|it| it.presence == Presence::AtLeastOne);
            first.is_some_and(|it| it.name == field.name)
        }
        Presence::Optional => fields().any(decides),
    }
}

/// An option with its value, as one word so that no line break splits it.
fn words(option: &MemberOption) -> Vec<String> {
    let value = option.field.map(sample).unwrap_or_default();
    vec![format!("--{} {value}", option.name)]
}

fn sample(field: &RequestMember) -> String {
    let known = TEXTS.iter().find(|(name, _)| *name == field.name).map(|(_, text)| *text);
    match (&field.shape, field.examples.first().copied().or(known)) {
        (RequestShape::LowerCountry, _) => "br".to_owned(),
        (RequestShape::UpperCountry, _) => "BR".to_owned(),
        (RequestShape::Currency, _) => "BRL".to_owned(),
        (_, Some(text)) => text.to_owned(),
        (RequestShape::Amount, None) => "100.10".to_owned(),
        (RequestShape::Integer, None) => "1".to_owned(),
        _ => field.name.to_ascii_uppercase(),
    }
}

fn in_lines(command: &str, words: &[String]) -> String {
    let mut text = format!("\n  {command}");
    let mut used = command.len() + 2;
    for word in words {
        if used + 1 + word.len() > WIDTH {
            text.push_str(" \\\n   ");
            used = 3;
        }
        text.push(' ');
        text.push_str(word);
        used += 1 + word.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use crate::args::Cli;

    /// The examples of a help text, as words.
    fn examples(command: &clap::Command) -> Vec<Vec<String>> {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let (_, examples) = help.split_once("Example").unwrap_or_default();
        let examples = examples.replace("\\\n", " ");
        let lines = examples.lines().skip(1).take_while(|line| line.starts_with("  "));
        lines.map(words).collect()
    }

    /// The words of the last command of a pipe, without where its output goes.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(" | ").last().unwrap_or(line);
        let line = line.split(" >").next().unwrap_or(line);
        let mut words = vec![String::new()];
        for (index, part) in line.split('\'').enumerate() {
            for (index, word) in part.split(if index % 2 == 0 { ' ' } else { '\0' }).enumerate() {
                if index > 0 {
                    words.push(String::new());
                }
                words.last_mut().unwrap().push_str(word);
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    fn assert_examples_parse(command: &clap::Command, name: &str) {
        let examples = examples(command);
        assert!(!examples.is_empty(), "{name} has no example");
        // Longer lines would be broken anywhere.
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines() {
            assert!(line.chars().count() <= payments_host::commands::WIDTH, "{name}: {line}");
        }
        for words in examples {
            let text = words.join(" ");
            assert!(text.starts_with(name), "{name}: {text}");
            Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{text}: {error}"));
        }
        for inner in command.get_subcommands().filter(|it| it.get_name() != "help") {
            assert_examples_parse(inner, &format!("{name} {}", inner.get_name()));
        }
    }

    #[test]
    fn every_help_text_has_examples_that_parse() {
        assert_examples_parse(&Cli::command(), "payments");
    }

    /// The Markdown files under a folder of the repository.
    fn pages(folder: &str) -> Vec<std::path::PathBuf> {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let entries = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap());
        let is_page = |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "md");
        entries.map(|entry| entry.path()).filter(is_page).collect()
    }

    #[test]
    fn every_command_of_the_pages_parses() {
        let folders = [".", "docs", "docs/getting-started", "sandbox", "ffi-c"];
        let mut parsed = 0;
        for page in folders.into_iter().flat_map(pages) {
            let text = std::fs::read_to_string(&page).unwrap().replace("\\\n", " ");
            let blocks = text.split("\n```sh\n").skip(1).filter_map(|it| it.split("\n```").next());
            for line in blocks.flat_map(str::lines).filter(|line| line.starts_with("payments ")) {
                let command = line.split(" #").next().and_then(|it| it.split(" &").next());
                Cli::try_parse_from(words(command.unwrap_or(line)))
                    .unwrap_or_else(|error| panic!("{}: {line}: {error}", page.display()));
                parsed += 1;
            }
        }
        assert!(parsed >= 10, "only {parsed} commands were found");
    }
}
