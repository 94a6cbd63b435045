//! The five causes of a 401, and the doctor's diagnosis of each.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payments_core::json::Json;
use payments_core::jws::Cause;
use payments_core::request::CreatePayment;
use payments_core::transport::PreparedRequest;
use payments_sandbox::doctor::{KnownKey, diagnose};

use super::checks::{expect, present};
use super::http;
use super::narrator::{Narrator, print};
use super::payments::pix_payment;
use super::stage::Stage;
use crate::process::failure::Failure;
use crate::process::pretty;

const SIGNATURE_HEADER: &str = "X-JWS-Signature";

/// A valid request that was broken on purpose.
struct BrokenRequest {
    cause: Cause,
    what_was_done: &'static str,
    token: Option<String>,
    body: Vec<u8>,
}

/// Breaks a valid request in five ways. The client would never send these, so
/// they bypass it, and none costs a token.
pub(super) fn provoke(stage: &Stage, narrator: &mut Narrator) -> Result<(), Failure> {
    narrator.begin("Provoke the five causes of a 401");
    narrator.say(
        "A 401 has an empty body: only the provider's log has the cause. The demo prepares a \
         valid request, breaks it and sends it by hand. The doctor finds the cause from the \
         request alone; the sandbox's request log confirms it.",
    );
    let request = CreatePayment::new(pix_payment("order-1003")?);
    let good = stage.client.prepare(&request, &stage.client.context())?;
    for spoiled in spoil(&good)? {
        refuse(stage, narrator, &good, &spoiled)?;
    }
    let token = good.header(SIGNATURE_HEADER).map(str::to_owned);
    let response = send(&good, token.as_deref(), good.body())?;
    expect("the status of the request as it was prepared", response.status, 200)?;
    print("");
    narrator.say("The unbroken request gets a 200.");
    narrator.done("five causes, five findings");
    Ok(())
}

fn spoil(good: &PreparedRequest) -> Result<[BrokenRequest; 5], Failure> {
    let token = present("the signature", good.header(SIGNATURE_HEADER))?;
    let body = good.body();
    let (_, signature) = present("a detached token", token.split_once(".."))?;
    let embedded = URL_SAFE_NO_PAD.encode(body);
    let bare_header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256","b64":false,"crit":["b64"]}"#);
    let tree = Json::parse(body).map_err(|error| Failure::demo(error.to_string()))?;
    let unchanged = |cause, what_was_done, token| BrokenRequest {
        cause,
        what_was_done,
        token,
        body: body.to_vec(),
    };
    Ok([
        unchanged(Cause::MissingSignature, "the header X-JWS-Signature is missing", None),
        unchanged(
            Cause::InvalidTokenFormat,
            "one of the two periods is missing",
            Some(token.replacen("..", ".", 1)),
        ),
        unchanged(
            Cause::PayloadNotDetached,
            "the payload stands between the periods",
            Some(token.replacen("..", &format!(".{embedded}."), 1)),
        ),
        unchanged(
            Cause::InvalidHeader,
            "the protected header lacks the kid",
            Some(format!("{bare_header}..{signature}")),
        ),
        BrokenRequest {
            cause: Cause::SignatureMismatch,
            what_was_done: "the body is indented after it was signed",
            token: Some(token.to_owned()),
            body: pretty::indented(&tree).into_bytes(),
        },
    ])
}

fn refuse(
    stage: &Stage,
    narrator: &Narrator,
    good: &PreparedRequest,
    spoiled: &BrokenRequest,
) -> Result<(), Failure> {
    let response = send(good, spoiled.token.as_deref(), &spoiled.body)?;
    let records = stage.sandbox.requests();
    let seen = present("the request in the service's request log", records.last())?;
    let known = KnownKey::registered(stage.public_key.clone(), &stage.kid);
    let diagnosis = diagnose(spoiled.token.as_deref(), &spoiled.body, &[known]);

    print("");
    narrator.show(&narrator.style().bold(spoiled.cause.as_str()));
    narrator.tell("done to it", spoiled.what_was_done);
    let emptiness = if response.body.is_empty() { "empty body" } else { "a body" };
    narrator.tell("responded", &format!("{}, {emptiness}", response.status));
    narrator.tell("request log", seen.signature.as_str());
    narrator.tell(
        "doctor",
        &format!(
            "{}, {}: {}",
            diagnosis.cause().map_or("no cause", Cause::as_str),
            diagnosis.finding(),
            diagnosis.message()
        ),
    );

    expect("the status", response.status, 401)?;
    expect("the body of the 401", response.body.len(), 0)?;
    expect("whether it was executed", seen.executed, false)?;
    expect("the cause in the request log", seen.signature.as_str(), spoiled.cause.as_str())?;
    expect("the doctor's cause", diagnosis.cause(), Some(spoiled.cause))
}

/// Sends the prepared request with a different signature and body.
fn send(
    good: &PreparedRequest,
    token: Option<&str>,
    body: &[u8],
) -> Result<http::PlainResponse, Failure> {
    let others = good.headers().filter(|(name, _)| !name.eq_ignore_ascii_case(SIGNATURE_HEADER));
    let headers = others.chain(token.map(|token| (SIGNATURE_HEADER, token)));
    let headers: Vec<_> =
        headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    http::exchange(good.method(), good.url(), &headers, body)
}
