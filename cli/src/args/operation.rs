//! Subcommands of the operations, built from the library's table.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use payments_core::Operation;
use payments_core::operation::{Others, Presence, RequestMember, RequestShape};
use payments_host::commands::wrapped;

use crate::args::examples;
use crate::args::members::{self, MemberOption};

const INPUT: &str = "input";
const QR: &str = "qr";
const QR_MODULE_SIZE: &str = "qr-module-size";
const YES: &str = "yes";
const ENSURE_WAIT_MS: &str = "ensure-wait-ms";
/// The maximum width of help text.
const HELP_WIDTH: usize = 79;

/// The arguments of an operation's subcommand.
#[derive(Debug)]
pub(crate) struct OperationArgs {
    /// A file, `-`, JSON text, or the value of the first member.
    pub(crate) input: Option<String>,
    /// Members given as options, with their values.
    pub(crate) members: Vec<(MemberOption, Vec<String>)>,
    /// Where to write the QR code of the payment.
    pub(crate) qr: Option<QrFile>,
    /// Whether a whole payment may be refunded without a question.
    pub(crate) is_confirmed: bool,
    /// How long to wait for a payment that may exist, in milliseconds.
    pub(crate) ensure_wait_ms: Option<u64>,
}

/// Where the code is written to as a picture.
#[derive(Debug)]
pub(crate) struct QrFile {
    pub(crate) file: PathBuf,
    /// For a PNG file, the side of a module in pixels.
    pub(crate) module_size: Option<u32>,
}

/// The subcommands of `program`, in table order. `sends` says whether they send
/// their input.
pub(crate) fn commands(program: &'static str, sends: bool) -> impl Iterator<Item = Command> {
    const FIRST_PLACE: usize = 10;
    let operations = Operation::ALL.into_iter().filter(|operation| takes_json(*operation));
    let ensure = sends.then(|| ensure_command(program).display_order(FIRST_PLACE));
    let of_operations = operations.enumerate().map(move |(place, operation)| {
        command(operation, program, sends).display_order(FIRST_PLACE + place)
    });
    of_operations.chain(ensure)
}

/// The subcommand that finds a payment or creates it.
pub(crate) const ENSURE_PAYMENT: &str = "ensure-payment";

/// It takes the request of `create-payment`.
fn ensure_command(program: &str) -> Command {
    let operation = Operation::CreatePayment;
    let options = members::options_of(operation);
    let examples =
        examples::of_operation(operation, &format!("{program} {ENSURE_PAYMENT}"), &options);
    command(operation, program, true)
        .name(ENSURE_PAYMENT)
        .about("Finds the payment with a reference, or creates it once")
        .long_about(
            "Finds the payment with a reference, or creates it once\n\nA new attempt needs a new \
             reference: a payment that is found is printed in any state, also cancelled. One call \
             sends at most one creation. Two calls at a time create one payment if they share a \
             journal; without one, that depends on the service. \"is_created\" says whether this \
             is the response to the creation, \"unchecked\" what could not be compared with a \
             payment that was found, and \"other_hash\" names a cancelled payment if the payer \
             tried again and this one is paid.",
        )
        .arg(
            Arg::new(ENSURE_WAIT_MS)
                .long(ENSURE_WAIT_MS)
                .value_name("N")
                .value_parser(clap::value_parser!(u64))
                .help("Wait this long for a payment that may exist and is not found, in ms"),
        )
        .after_help(format!("{examples}\n\n{}", members_help(operation)))
}

/// The operation of the subcommand `name`.
pub(crate) fn operation_of(name: &str) -> Option<Operation> {
    Operation::ALL
        .into_iter()
        .find(|operation| takes_json(*operation) && name_of(*operation) == name)
}

/// The subcommand of an operation, for example `create-payment`.
pub(crate) fn name_of(operation: Operation) -> String {
    operation.name().replace('_', "-")
}

impl OperationArgs {
    pub(crate) fn from_matches(operation: Operation, matches: &ArgMatches) -> Self {
        let given = |name: &str| -> Vec<String> {
            let values = matches.try_get_many::<String>(name).ok().flatten();
            values.into_iter().flatten().cloned().collect()
        };
        let members = members::options_of(operation).into_iter().filter_map(|option| {
            let values = given(&option.name);
            (!values.is_empty()).then_some((option, values))
        });
        let module_size = matches.try_get_one(QR_MODULE_SIZE).ok().flatten().copied();
        let qr = given(QR).pop().map(|file| QrFile { file: PathBuf::from(file), module_size });
        let yes = matches.try_get_one::<bool>(YES).ok().flatten();
        Self {
            input: given(INPUT).pop(),
            members: members.collect(),
            qr,
            is_confirmed: yes.copied().unwrap_or(false),
            ensure_wait_ms: matches.try_get_one(ENSURE_WAIT_MS).ok().flatten().copied(),
        }
    }
}

/// Whether the subcommand takes a JSON request. `send` has its own arguments.
pub(crate) fn takes_json(operation: Operation) -> bool {
    operation.request().is_some() && operation != Operation::Send
}

fn command(operation: Operation, program: &str, sends: bool) -> Command {
    let (value_name, help) = match members::nameless_member(operation) {
        Some(field) => {
            let name = field.name.to_ascii_uppercase();
            let help = format!(
                "{}; or the request as JSON: a file, or - (standard input)",
                in_capital(field.meaning)
            );
            (format!("{name}|FILE|-"), help)
        }
        None => {
            ("FILE|-".to_owned(), "The request as JSON: a file, or - (standard input)".to_owned())
        }
    };
    let options = members::options_of(operation);
    let name = name_of(operation);
    let examples = examples::of_operation(operation, &format!("{program} {name}"), &options);
    Command::new(name)
        .about(in_capital(operation.meaning()))
        .arg(Arg::new(INPUT).value_name(value_name).help(help))
        .args(options.iter().map(argument))
        .args(
            (operation.definition().shows_qr_code && sends)
                .then(qr_arguments)
                .into_iter()
                .flatten(),
        )
        .args((operation == Operation::RefundPayment && sends).then(|| {
            let help = "Refund the whole payment without asking, if no amount is given";
            Arg::new(YES).long(YES).action(ArgAction::SetTrue).help(help)
        }))
        .after_help(format!("{examples}\n\n{}", members_help(operation)))
}

fn qr_arguments() -> [Arg; 2] {
    let help = "Write the QR code of the payment to this file, as an SVG picture, or as a PNG \
                picture if its name ends in .png";
    let file = Arg::new(QR).long(QR).value_name("FILE").help(help);
    let help = "The side of a module of the PNG picture, in pixels [default: 6]";
    let size = Arg::new(QR_MODULE_SIZE).long(QR_MODULE_SIZE).value_name("PIXELS").help(help);
    [file, size.requires(QR).value_parser(clap::value_parser!(u32).range(1..=64))]
}

fn argument(option: &MemberOption) -> Arg {
    let argument = Arg::new(option.name.clone()).long(option.name.clone());
    let action = if option.is_list() { ArgAction::Append } else { ArgAction::Set };
    let Some(field) = option.field else {
        let help = "More members of the request, as a JSON object";
        let inner = option
            .name
            .strip_suffix("-extra")
            .map(|object| format!("More members of {object}, as a JSON object"));
        return argument.value_name("JSON").help(inner.unwrap_or_else(|| help.to_owned()));
    };
    let is_amount = matches!(field.shape, RequestShape::Amount);
    let value_name = match field.shape {
        RequestShape::Amount => "AMOUNT",
        RequestShape::Open => "JSON",
        _ => "TEXT",
    };
    argument
        .action(action)
        .allow_negative_numbers(is_amount)
        .value_name(value_name)
        .value_parser(OpenValues(field.examples))
        .hide_possible_values(true)
        .help(in_capital(&meaning_of(field)))
}

/// Takes any text. Shells complete the values that are known.
#[derive(Clone)]
struct OpenValues(&'static [&'static str]);

impl TypedValueParser for OpenValues {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        if self.0.is_empty() {
            return None;
        }
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

fn in_capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

/// The meaning of a member, and when it is required.
fn meaning_of(field: &RequestMember) -> String {
    let mut meaning = field.meaning.to_owned();
    let needed = match field.presence {
        Presence::Required => "required",
        Presence::OneOf => "give one",
        Presence::AtLeastOne => "give at least one",
        Presence::Optional => return meaning,
    };
    let condition = field.condition.map(|it| format!(" {}", it.words())).unwrap_or_default();
    meaning.push_str(&format!(" ({needed}{condition})"));
    meaning
}

/// Describes the JSON form of the request. The options already have the
/// meanings of the members.
fn members_help(operation: Operation) -> String {
    let mut help =
        format!("The request as JSON ({} {}), * required:\n", operation.method(), operation.path());
    push_object(&mut help, "", operation.fields());
    let others = match operation.request().map(|object| object.others) {
        Some(Others::Pass) => "Other members pass, unless they resemble one of these.",
        _ => "Other members are refused.",
    };
    let rest = "Each object may contain an object `extra`, whose members are appended unchanged. \
                Options win over the members of a file, of standard input or of JSON text.";
    help.push_str(&wrapped(&format!("{others} {rest}"), HELP_WIDTH).join("\n"));
    help
}

/// Appends the member names of an object, followed by those of inner objects.
/// Members of list elements have no options, so their meanings are added.
fn push_object(help: &mut String, name: &str, fields: &'static [RequestMember]) {
    const INDENT: &str = "  ";
    let names: Vec<_> = fields.iter().map(name_in_list).collect();
    let start = if name.is_empty() { String::new() } else { format!("{name}: ") };
    let text = format!("{start}{}", names.join(", "));
    for (index, line) in wrapped(&text, HELP_WIDTH - 2 * INDENT.len()).iter().enumerate() {
        let more = if index == 0 { "" } else { INDENT };
        help.push_str(&format!("{INDENT}{more}{line}\n"));
    }
    for field in fields {
        match &field.shape {
            RequestShape::Object(object) => push_object(help, field.name, object.fields),
            RequestShape::Objects(object) | RequestShape::TextsOrObjects(object) => {
                help.push_str(&format!("{INDENT}{}, each an object of:\n", field.name));
                push_members(help, object.fields, 2);
            }
            _ => {}
        }
    }
}

fn name_in_list(field: &RequestMember) -> String {
    let mark = if field.is_required() { "*" } else { "" };
    format!("{}{mark}", field.name)
}

fn push_members(help: &mut String, fields: &[RequestMember], depth: usize) {
    for field in fields {
        let name = format!("{}{}", "  ".repeat(depth), field.name);
        help.push_str(&line_of(&name, &meaning_of(field)));
        push_members(help, field.shape.fields(), depth + 1);
    }
}

/// Name and meaning; a long meaning wraps within its column.
fn line_of(name: &str, meaning: &str) -> String {
    const COLUMN: usize = 29;
    let mut text = String::new();
    for (index, part) in wrapped(meaning, HELP_WIDTH - COLUMN).iter().enumerate() {
        let start = if index == 0 { name } else { "" };
        text.push_str(&format!("{start:<COLUMN$}{part}\n"));
    }
    text
}
