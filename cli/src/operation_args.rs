//! The subcommands of the operations, made from the library's table.
//!
//! Every operation takes its request as JSON, from a file or from standard
//! input. One whose members are all plain values takes them as options too,
//! and the first of them, the payment hash, without a name.

use clap::{Arg, ArgMatches, Command};
use payments_core::Operation;
use payments_core::operation::{EXTRA, Field, Presence, Shape};

const INPUT: &str = "input";

/// The arguments of an operation's subcommand.
#[derive(Debug)]
pub(crate) struct OperationArgs {
    /// A file, `-`, JSON text, or the value of the first member.
    pub(crate) input: Option<String>,
    /// Members given as options: name on the wire, and value.
    pub(crate) members: Vec<(&'static str, String)>,
    /// JSON text of members that are in no table.
    pub(crate) extra: Option<String>,
}

/// The subcommands, in the order of the table.
pub(crate) fn commands() -> impl Iterator<Item = Command> {
    const FIRST_PLACE: usize = 10;
    let operations = Operation::ALL.into_iter().filter(|operation| takes_json(*operation));
    operations
        .enumerate()
        .map(|(place, operation)| command(operation).display_order(FIRST_PLACE + place))
}

/// The operation of the subcommand `name`.
pub(crate) fn operation_of(name: &str) -> Option<Operation> {
    Operation::ALL
        .into_iter()
        .find(|operation| takes_json(*operation) && name_of(*operation) == name)
}

/// The name of an operation's subcommand, for example `create-payment`.
pub(crate) fn name_of(operation: Operation) -> String {
    in_kebab_case(operation.name())
}

/// The member that may be given without a name: the first of those that are
/// all plain values.
pub(crate) fn nameless_member(operation: Operation) -> Option<&'static Field> {
    let fields = operation.fields();
    let are_plain = fields.iter().all(|field| field.shape.fields().is_empty());
    fields.first().filter(|_| are_plain)
}

impl OperationArgs {
    pub(crate) fn from_matches(operation: Operation, matches: &ArgMatches) -> Self {
        let given = |name: &str| matches.try_get_one::<String>(name).ok().flatten().cloned();
        let members = operation
            .fields()
            .iter()
            .filter_map(|field| given(field.name).map(|value| (field.name, value)));
        Self { input: given(INPUT), members: members.collect(), extra: given(EXTRA) }
    }
}

/// `send` has a subcommand of its own form.
pub(crate) fn takes_json(operation: Operation) -> bool {
    operation.request().is_some() && operation != Operation::Send
}

fn in_kebab_case(name: &str) -> String {
    name.replace('_', "-")
}

fn command(operation: Operation) -> Command {
    let nameless = nameless_member(operation);
    let (value_name, help) = match nameless {
        Some(field) => {
            let name = field.name.to_ascii_uppercase();
            let help = format!(
                "{}; or the request as JSON, FILE or - (standard input)",
                in_capital(field.meaning)
            );
            (format!("{name}|FILE|-"), help)
        }
        None => {
            ("FILE|-".to_owned(), "The request as JSON: a file, or - (standard input)".to_owned())
        }
    };
    let mut command = Command::new(name_of(operation))
        .about(in_capital(operation.meaning()))
        .arg(Arg::new(INPUT).value_name(value_name).help(help))
        .after_help(members_help(operation));
    if nameless.is_some() {
        for field in operation.fields() {
            let option = Arg::new(field.name)
                .long(in_kebab_case(field.name))
                .value_name(value_name_of(&field.shape))
                .help(in_capital(field.meaning));
            command = command.arg(option);
        }
        command = command.arg(
            Arg::new(EXTRA)
                .long(EXTRA)
                .value_name("JSON")
                .help("Members that are in no table, as a JSON object"),
        );
    }
    command
}

fn in_capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

fn value_name_of(shape: &Shape) -> &'static str {
    if matches!(shape, Shape::Amount) { "AMOUNT" } else { "TEXT" }
}

/// The members of the request, one a line.
fn members_help(operation: Operation) -> String {
    let mut help = format!(
        "Members of the request ({} {}), * required:\n",
        operation.method(),
        operation.path()
    );
    push_members(&mut help, operation.fields(), 1);
    let extra = if operation == Operation::CreatePayment {
        "Others pass, unless they resemble one of these. Each object may hold an object `extra`, \
         whose members follow the others as they are."
    } else {
        "Others are refused. Each object may hold an object `extra`, whose members follow the \
         others as they are."
    };
    help.push_str(&crate::output::wrapped(extra, 79).join("\n"));
    help
}

fn push_members(help: &mut String, fields: &[Field], depth: usize) {
    for field in fields {
        let mark = if field.presence == Presence::Required { '*' } else { ' ' };
        let name = format!("{}{mark} {}", "  ".repeat(depth), field.name);
        let mut meaning = field.meaning.to_owned();
        match field.presence {
            Presence::RequiredForCountry(country) => {
                meaning.push_str(&format!("; required for {country:?}"));
            }
            Presence::OneOf => meaning.push_str("; give one"),
            Presence::Required | Presence::Optional => {}
        }
        if !field.is_stated {
            meaning.push_str("; not stated in the interface");
        }
        help.push_str(&line_of(&name, &meaning));
        push_members(help, field.shape.fields(), depth + 1);
    }
}

/// Name and meaning; a meaning that is too long goes on below itself.
fn line_of(name: &str, meaning: &str) -> String {
    const COLUMN: usize = 29;
    let mut text = String::new();
    for (index, part) in crate::output::wrapped(meaning, 79 - COLUMN).iter().enumerate() {
        let start = if index == 0 { name } else { "" };
        text.push_str(&format!("{start:<COLUMN$}{part}\n"));
    }
    text
}
