//! Tables of operations in the documentation.

use payments_core::Operation;
use payments_core::operation::{Presence, RequestMember, RequestObject, RequestShape, Success};

use super::php_responses;
use crate::File;
use crate::requests::{fields, objects};
use crate::words::in_capital;

pub(super) fn files() -> Vec<File> {
    let requests = objects();
    let mut parts = vec![("operations", endpoints()), ("signs", signs())];
    parts.extend(requests.iter().map(|object| (object.name, members(object))));
    vec![
        File::with_parts("docs/introduction.md", &[("operations", introduction())]),
        File::with_parts("docs/interface.md", &parts),
        File::with_parts("bindings-php/README.md", &[("operations", php_responses::readme_rows())]),
    ]
}

fn introduction() -> String {
    let mut text = "\n| Operation | What it does | Moves money |\n|---|---|---|\n".to_owned();
    for operation in Operation::ALL {
        let (name, summary) = (operation.name(), operation.definition().summary);
        text.push_str(&format!("| `{name}` | {summary} | {} |\n", moves_money(operation)));
    }
    text.push_str(
        "| `token_status` | Says what is known of the bearer token, without asking for one. | no |\n\
         | `prepare` | Does all of an operation but the sending, for an HTTP client of your own. | no |\n",
    );
    text
}

fn endpoints() -> String {
    let page = crate::read("docs/interface.md");
    let mut text = "\n| Operation | Request | Sent | Returned | Moves money | What it does |\n\
                    |---|---|---|---|---|---|\n"
        .to_owned();
    for operation in Operation::ALL {
        let (name, summary) = (operation.name(), operation.definition().summary);
        let request = request_line(operation);
        let [shown, sent, returned] = match section_of(&page, &request) {
            Some([section, sent, returned]) => {
                let form = match operation.method() {
                    _ if operation == Operation::AccessToken => "form",
                    "GET" => "query parameters",
                    _ => "JSON",
                };
                let (sent, returned) = (link(sent), link(returned));
                let shown = format!("[`{name}`](#{})", anchor(section));
                [shown, format!("{form}: {sent}"), format!("JSON: {returned}")]
            }
            None => [format!("`{name}`"), "your own bytes".to_owned(), "any 2xx".to_owned()],
        };
        let money = moves_money(operation);
        text.push_str(&format!(
            "| {shown} | {request} | {sent} | {returned} | {money} | {summary} |\n"
        ));
    }
    text
}

/// The method and path, the first line of an operation's section.
fn request_line(operation: Operation) -> String {
    let base = if operation == Operation::AccessToken { "{auth_url}" } else { "{base_url}" };
    match (operation.method(), operation.path()) {
        ("", _) => format!("any method and path under `{base}`"),
        (method, path) => format!("`{method} {base}{path}`"),
    }
}

/// The headings of the section that starts with this line: its own, and those
/// of the request and the response.
fn section_of<'p>(page: &'p str, request: &str) -> Option<[&'p str; 3]> {
    let (before, after) = page.split_once(&format!("\n{request}\n"))?;
    let title = |line: &'p str| line.trim_start_matches('#').trim();
    let own = before.lines().rfind(|line| line.starts_with('#')).map(title)?;
    let mut parts = after.lines().filter(|line| line.starts_with("### ")).map(title);
    Some([own, parts.next()?, parts.next()?])
}

fn link(heading: &str) -> String {
    format!("[{}](#{})", heading.to_lowercase(), anchor(heading))
}

fn anchor(heading: &str) -> String {
    heading.to_lowercase().replace(' ', "-")
}

fn moves_money(operation: Operation) -> &'static str {
    match operation {
        // Its effect is unknown.
        Operation::Send => "assumed",
        _ if operation.moves_money() => "yes",
        _ => "no",
    }
}

/// The member table of a request object.
fn members(object: &'static RequestObject) -> String {
    let mut text =
        "\n| Member | Type | Required | Stated | Meaning |\n|---|---|---|---|---|\n".to_owned();
    for field in fields(object) {
        let RequestMember { name, meaning, is_stated, .. } = field;
        let required = match field.presence {
            Presence::Required => "yes".to_owned(),
            Presence::Optional => "no".to_owned(),
            Presence::RequiredForCountry(country) => format!("for country `{country}`"),
            Presence::OneOf => "exactly one of these".to_owned(),
        };
        let stated = if *is_stated { "yes" } else { "seen" };
        let (of, meaning) = (type_of(&field.shape), in_capital(meaning));
        text.push_str(&format!("| `{name}` | {of} | {required} | {stated} | {meaning} |\n"));
    }
    text
}

fn type_of(shape: &RequestShape) -> &'static str {
    match shape {
        RequestShape::Amount => "amount",
        RequestShape::Integer => "integer",
        RequestShape::Object(_) | RequestShape::Parameters => "object",
        RequestShape::Objects(_) => "array of objects",
        RequestShape::TextsOrObjects(_) => "array of strings and objects",
        RequestShape::Text
        | RequestShape::LowerCountry
        | RequestShape::UpperCountry
        | RequestShape::Currency => "string",
    }
}

/// The table of what shows the success of each operation.
fn signs() -> String {
    let mut text =
        "\n| Operation | Something at one of | Or a `status` of |\n|---|---|---|\n".to_owned();
    for operation in Operation::ALL {
        let Some(Success { signs, states, lone_success }) = operation.definition().success else {
            continue;
        };
        let in_code = |texts: &[&str]| {
            let texts: Vec<_> = texts.iter().map(|text| format!("`{text}`")).collect();
            texts.join(", ")
        };
        let success: &[&str] = if lone_success { &["SUCCESS"] } else { &[] };
        let states = in_code(&[success, states].concat());
        text.push_str(&format!("| `{operation}` | {} | {states} |\n", in_code(signs)));
    }
    text
}
