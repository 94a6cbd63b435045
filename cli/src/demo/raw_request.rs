//! A signed request outside the specified operations.

use payments_core::request::RawRequest;

use super::checks::{expect, present};
use super::narrator::Narrator;
use super::stage::{Stage, UNSPECIFIED_PATH as PATH};
use crate::process::failure::Failure;

/// Sends bytes to a path the interface does not specify, and checks the bytes
/// that arrived.
pub(super) fn send(stage: &Stage, narrator: &mut Narrator) -> Result<(), Failure> {
    const BODY: &[u8] = b"{ \"amount\" : 10.00,  \"to\":\"someone\" }\n";
    narrator.begin("Send signed bytes to a path of your choice");
    narrator.say(
        "The interface mentions transfers without specifying them. The bytes that you write are \
         signed and sent unchanged, including odd spaces and the line break.",
    );
    let response =
        stage.client.send(&RawRequest::new("POST", PATH).body(BODY).reference("transfer-1"))?;
    let seen = stage.sandbox.requests().into_iter().rev().find(|request| request.path == PATH);
    let seen = present("the request in the service's request log", seen)?;
    narrator.tell("sent", &format!("POST {PATH}, {} bytes", BODY.len()));
    narrator.tell("responded", &response.status().to_string());
    expect("the bytes that arrived", seen.body.as_slice(), BODY)?;
    expect("the signature", seen.signature.as_str(), "verified")?;
    narrator.done("arrived unchanged, signature verified");
    Ok(())
}
