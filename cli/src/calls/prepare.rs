//! `payments prepare`: prints the request an operation would send.

use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_core::Operation;
use payments_core::json::{Json, Members};
use payments_core::operation::INTEGRATION_KEY;
use payments_core::transport::PreparedRequest;
use payments_host::by_name;

use crate::args::{Global, PrepareArgs, ToPrepare};
use crate::calls::{request, send};
use crate::output::Style;
use crate::process::failure::Failure;
use crate::process::interruption;
use crate::{output, settings};

const MASK: &str = "***";

/// Headers that never hold a secret. An allowlist, since the header of the
/// bearer token can have any name.
const SHOWN: [&str; 4] = ["accept", "accept-encoding", "user-agent", "content-type"];

/// Prints method, URL, headers and body. Sends nothing to the service.
///
/// # Errors
/// The errors of the operation up to the point of sending.
pub(crate) fn run(global: &Global, args: &PrepareArgs) -> Result<ExitCode, Failure> {
    let client = settings::client(global)?;
    let (operation, prepared) = match &args.request {
        ToPrepare::Operation(operation, members) => {
            let text = request::read(*operation, members)?;
            let context = interruption::context(&client)?;
            let prepared = by_name::prepare(&client, operation.name(), &text, b"", &context);
            let prepared = prepared.map_err(|error| {
                let advice = request::advice(*operation, members, &text, &error);
                advice.iter().fold(Failure::from(error), |failure, it| failure.with_advice(it))
            })?;
            (*operation, prepared)
        }
        ToPrepare::Send(args) => {
            let request = send::request(args)?;
            (Operation::Send, client.prepare(&request, &interruption::context(&client)?)?)
        }
    };
    let shown = DisplayedRequest::of(&prepared, args.show_secrets);
    let text = if output::is_for_people(global) {
        shown.for_people()
    } else {
        output::json_text(&shown.to_json(operation))
    };
    output::write_text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// A request as displayed.
struct DisplayedRequest {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    /// Masked, or the exact bytes with secrets shown.
    body: Vec<u8>,
    is_masked: bool,
}

impl DisplayedRequest {
    fn of(request: &PreparedRequest, shows_secrets: bool) -> Self {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let mut shown = Self {
            method: request.method().to_owned(),
            url: request.url().to_owned(),
            headers: request.headers().map(owned).collect(),
            body: request.body().to_vec(),
            is_masked: false,
        };
        if !shows_secrets {
            shown.mask();
        }
        shown
    }

    fn mask(&mut self) {
        for (name, value) in &mut self.headers {
            if !SHOWN.contains(&name.to_ascii_lowercase().as_str()) {
                *value = MASK.to_owned();
                self.is_masked = true;
            }
        }
        if let Some((start, query)) = self.url.split_once('?') {
            let parameters = query.split('&').map(|parameter| match parameter.split_once('=') {
                Some((name, _)) if name == INTEGRATION_KEY.name => format!("{name}={MASK}"),
                _ => parameter.to_owned(),
            });
            let masked = format!("{start}?{}", parameters.collect::<Vec<_>>().join("&"));
            self.is_masked |= masked != self.url;
            self.url = masked;
        }
        let mut keys = Vec::new();
        if let Ok(tree) = Json::parse(&self.body) {
            push_keys(&tree, &mut keys);
        }
        if let Ok(text) = std::str::from_utf8(&self.body) {
            // Replace in the text, so that all other bytes stay unchanged.
            let masked = if keys.iter().all(|key| text.contains(key)) {
                keys.iter().fold(text.to_owned(), |text, key| {
                    text.replace(key, &Json::from(MASK).to_text())
                })
            } else {
                // The keys are spelled differently from our JSON encoding.
                MASK.to_owned()
            };
            self.is_masked |= masked != text;
            self.body = masked.into_bytes();
        }
    }

    fn to_json(&self, operation: Operation) -> Json {
        let headers =
            self.headers.iter().map(|(name, value)| (name.clone(), Json::from(value.as_str())));
        let headers: Members = headers.collect();
        let (name, body) = match std::str::from_utf8(&self.body) {
            Ok("") => ("body", Json::Null),
            Ok(text) => ("body", text.into()),
            Err(_) => ("body_base64", STANDARD.encode(&self.body).into()),
        };
        Json::Object(Members::from([
            ("operation", Json::from(operation.name())),
            ("method", Json::from(self.method.as_str())),
            ("url", Json::from(self.url.as_str())),
            ("headers", Json::Object(headers)),
            (name, body),
        ]))
    }

    fn for_people(&self) -> String {
        let style = Style::of_stdout();
        let mut text = format!("{}\n", style.bold(&format!("{} {}", self.method, self.url)));
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\n"));
        }
        if !self.body.is_empty() {
            let body = String::from_utf8_lossy(&self.body);
            let lines: Vec<_> = body.split('\n').map(output::without_controls).collect();
            text.push_str(&format!("\n{}\n", lines.join("\n")));
        }
        if self.is_masked {
            text.push_str(&style.dim(&format!("\n{MASK} is a secret; --show-secrets shows it\n")));
        }
        text
    }
}

/// Collects the integration keys, as our encoder writes them.
fn push_keys(tree: &Json, keys: &mut Vec<String>) {
    match tree {
        Json::Array(elements) => elements.iter().for_each(|element| push_keys(element, keys)),
        Json::Object(members) => {
            for (name, value) in members.iter() {
                match value {
                    Json::String(_) if name == INTEGRATION_KEY.name => keys.push(value.to_text()),
                    _ => push_keys(value, keys),
                }
            }
        }
        _ => {}
    }
}
