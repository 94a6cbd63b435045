//! Payments: a PIX payment that is paid and refunded, and a voucher that is
//! cancelled.

use payments_core::amount::AmountError;
use payments_core::request::{
    CreatePayment, Payment, PaymentResponse, PaymentStatus, QueryPayment, RefundPayment,
};

use super::checks::{expect, present};
use super::http;
use super::narrator::Narrator;
use super::stage::Stage;
use crate::output;
use crate::output::qr;
use crate::process::failure::Failure;

/// Creates, queries, confirms and refunds a payment; returns its hash.
pub(super) fn pay_by_pix(stage: &Stage, narrator: &mut Narrator) -> Result<String, Failure> {
    let hash = create(stage, narrator)?;
    confirm(stage, narrator, &hash)?;
    refund(stage, narrator, &hash)?;
    Ok(hash)
}

fn create(stage: &Stage, narrator: &mut Narrator) -> Result<String, Failure> {
    narrator.begin("Create a PIX payment in Brazil");
    let request = CreatePayment::new(pix_payment("order-1001")?);
    let response = stage.client.create_payment(&request)?;
    let hash = present("the payment hash", response.hash())?.to_owned();
    let code = present("pix.qr_code_value", response.qr_code_value())?;
    narrator.tell("amount", "BRL 100.10, sent with exactly these digits");
    narrator.tell("hash", &hash);
    narrator.tell("qr_code_value", code);
    narrator.say("The payer scans this code:");
    let style = narrator.style();
    for line in present("a QR code", qr::lines(code, style))? {
        narrator.show(&line);
    }
    narrator.say("A successful response does not mean that the payment is paid, so we query it:");
    let asked = stage.client.query_payment(&QueryPayment::by_hash(&hash))?;
    show_status(narrator, &asked)?;
    expect("the status", asked.status(), Some(PaymentStatus::Pending))?;
    expect("is_paid", asked.is_paid(), false)?;
    narrator.done("created, not paid");
    Ok(hash)
}

fn confirm(stage: &Stage, narrator: &mut Narrator, hash: &str) -> Result<(), Failure> {
    narrator.begin("Let the payer pay, and query it again");
    narrator.say("The sandbox's control API plays the payer (/sandbox/payments/HASH/confirm).");
    http::post(&format!("{}/payments/{hash}/confirm", stage.sandbox.control_url()))?;
    let asked = stage.client.query_payment(&QueryPayment::by_hash(hash))?;
    show_status(narrator, &asked)?;
    expect("the status", asked.status(), Some(PaymentStatus::Confirmed))?;
    expect("is_paid", asked.is_paid(), true)?;
    narrator.done("confirmed, paid");
    Ok(())
}

fn refund(stage: &Stage, narrator: &mut Narrator, hash: &str) -> Result<(), Failure> {
    narrator.begin("Refund it");
    let request = RefundPayment::by_hash(hash)
        .operation("request")
        .amount("100.10".parse().map_err(unreadable)?)
        .description("the customer sent it back");
    let response = stage.client.refund_payment(&request)?;
    let id = present("the refund's id", response.refund_id())?;
    let status = present("the refund's status", response.refund_status())?;
    let kept = present("the payment", stage.sandbox.payment(hash))?.refunds.len();
    expect("refunds in the service's ledger", kept, 1)?;
    narrator.tell("refund", &format!("{id}, status {}", status.as_str()));
    narrator.done("refund requested");
    Ok(())
}

/// Creates a voucher payment and cancels it.
pub(super) fn cancel_a_voucher(stage: &Stage, narrator: &mut Narrator) -> Result<(), Failure> {
    narrator.begin("Create an OXXO payment in Mexico, and cancel it");
    let payment = Payment {
        name: "Lucía Hernández".into(),
        email: "lucia@example.com".into(),
        country: "mx".into(),
        payment_type_code: "oxxo".into(),
        merchant_payment_code: "order-1002".into(),
        currency_code: "MXN".into(),
        amount_total: "250.00".parse().map_err(unreadable)?,
        ..Payment::default()
    };
    let created = stage.client.create_payment(&CreatePayment::new(payment))?;
    let hash = present("the payment hash", created.hash())?;
    show_status(narrator, &created)?;
    http::post(&format!("{}/payments/{hash}/cancel", stage.sandbox.control_url()))?;
    let asked = stage.client.query_payment(&QueryPayment::by_hash(hash))?;
    show_status(narrator, &asked)?;
    expect("the status", asked.status(), Some(PaymentStatus::Cancelled))?;
    expect("is_paid", asked.is_paid(), false)?;
    narrator.say("The response still says SUCCESS; only the status CO means paid.");
    narrator.done("created, then cancelled");
    Ok(())
}

/// A PIX payment of BRL 100.10.
pub(super) fn pix_payment(reference: &str) -> Result<Payment, Failure> {
    Ok(Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: reference.into(),
        currency_code: "BRL".into(),
        amount_total: "100.10".parse().map_err(unreadable)?,
        document: Some("853.513.468-93".into()),
        ..Payment::default()
    })
}

pub(super) fn unreadable(error: AmountError) -> Failure {
    Failure::demo(error.to_string())
}

pub(super) fn show_status(narrator: &Narrator, response: &PaymentResponse) -> Result<(), Failure> {
    let status = present("the status", response.status())?;
    let meaning = status.meaning().unwrap_or("another state");
    narrator.tell("status", &format!("{} ({meaning})", output::without_controls(status.as_str())));
    Ok(())
}
