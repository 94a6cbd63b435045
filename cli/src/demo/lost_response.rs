//! A connection cut after the service executed the request: the outcome is
//! unknown until a query resolves it.

use payments_core::request::{CreatePayment, PaymentStatus, QueryPayment};
use payments_core::{Operation, Outcome};

use super::checks::{expect, present};
use super::narrator::Narrator;
use super::payments::{pix_payment, show_status};
use super::stage::Stage;
use crate::process::failure::Failure;

const REFERENCE: &str = "order-1004";

/// Creates a payment whose response is lost, then finds it by its reference.
pub(super) fn find_out(stage: &Stage, narrator: &mut Narrator) -> Result<(), Failure> {
    narrator.begin("Lose a response, and find out what happened");
    narrator.say(
        "The sandbox executes the next payment and then cuts the connection. A careless client \
         pays twice here.",
    );
    let fault = r#"{"operation":"create_payment","then":[{"fault":"close","execute":true}]}"#;
    stage.sandbox.script_json(fault).map_err(Failure::demo)?;
    let request = CreatePayment::new(pix_payment(REFERENCE)?);
    let error = match stage.client.create_payment(&request) {
        Ok(_) => return Err(Failure::demo("expected the connection to break, but got a response")),
        Err(error) => error,
    };
    narrator.tell("kind", error.kind().as_str());
    narrator.tell("outcome", error.outcome().as_str());
    narrator.tell("message", error.message());
    narrator.tell("advice", present("the advice", error.advice())?);
    narrator.tell("reference", error.reference().unwrap_or_default());
    expect("the outcome", error.outcome(), Outcome::Unknown)?;
    expect("the reference in the error", error.reference(), Some(REFERENCE))?;

    let records = stage.sandbox.requests();
    let sent = |operation| {
        records.iter().filter(move |request| {
            request.operation == Some(operation) && request.fault == Some("close")
        })
    };
    expect("how often the request was sent", sent(Operation::CreatePayment).count(), 1)?;
    narrator.say("The request was sent once. So we query the payment by our own reference:");
    let asked = stage.client.query_payment(&QueryPayment::by_merchant_payment_code(REFERENCE))?;
    expect("the status", asked.status(), Some(PaymentStatus::Pending))?;
    narrator.tell("found", present("the payment hash", asked.hash())?);
    show_status(narrator, &asked)?;
    narrator.done("it was executed, once");
    Ok(())
}
