//! A payout to a PIX key.

use payments_core::request::{CreatePayout, Payee, Payout};

use super::checks::{expect, present};
use super::narrator::Narrator;
use super::payments::unreadable;
use super::stage::Stage;
use crate::process::failure::Failure;

/// Sends money to the holder of a PIX key.
pub(super) fn pay_out(stage: &Stage, narrator: &mut Narrator) -> Result<(), Failure> {
    narrator.begin("Send a payout to a PIX key");
    let payout = Payout {
        external_reference: "payout-2001".into(),
        country: "br".into(),
        amount: "75.50".parse().map_err(unreadable)?,
        currency_code: "BRL".into(),
        target: Some("pix_key".into()),
        target_account: Some("joao@example.com".into()),
        payee: Some(Payee {
            name: Some("João Silva".into()),
            email: Some("joao@example.com".into()),
            document: Some("853.513.468-93".into()),
            document_type: Some("CPF".into()),
            ..Payee::default()
        }),
        ..Payout::default()
    };
    let response = stage.client.create_payout(&CreatePayout::new(payout))?;
    narrator.tell("uid", present("the payout's uid", response.uid())?);
    narrator.tell("status", present("the payout's status", response.status())?.as_str());
    expect("payouts in the service's ledger", stage.sandbox.payouts().len(), 1)?;
    narrator.done("BRL 75.50 sent");
    Ok(())
}
