//! Tracking registration.

use payments_core::request::{
    Address, CodeOrDetails, Item, RegisterTracking, Tracking, TrackingDetails,
};

use super::checks::expect;
use super::narrator::Narrator;
use super::stage::Stage;
use crate::process::failure::Failure;

/// Registers codes of every form in one call: plain, with items, with an
/// address, and with both.
pub(super) fn register(stage: &Stage, narrator: &mut Narrator, hash: &str) -> Result<(), Failure> {
    narrator.begin("Register tracking codes in every form at once");
    let codes = vec![
        CodeOrDetails::from("AA100200300BR"),
        detailed("AA100200301BR", vec![book()], None),
        detailed("AA100200302BR", Vec::new(), Some(address())),
        detailed("AA100200303BR", vec![book()], Some(address())),
    ];
    let forms = ["plain", "with items", "with an address", "with both"];
    let tracking = Tracking {
        order_number: "1001".into(),
        email: "maria@example.com".into(),
        tracking_code: codes,
        payment_hash: Some(hash.to_owned()),
        ..Tracking::default()
    };
    let response = stage.client.register_tracking(&RegisterTracking::new(tracking))?;
    expect("entries other than sent", response.count_mismatch(), None)?;
    expect("entries", response.result().len(), forms.len())?;
    for (entry, form) in response.result().iter().zip(forms) {
        expect("the code is created", entry.is_created(), true)?;
        let code = entry.tracking_code.as_deref().unwrap_or_default();
        narrator.tell(form, &format!("{code}  {}", entry.status.as_deref().unwrap_or_default()));
    }
    expect("codes in the service's ledger", stage.sandbox.trackings().len(), forms.len())?;
    narrator.done(format!("{} codes, in the order they were sent", forms.len()));
    Ok(())
}

fn detailed(code: &str, items: Vec<Item>, address: Option<Address>) -> CodeOrDetails {
    TrackingDetails { tracking_code: code.to_owned(), items, address, ..TrackingDetails::default() }
        .into()
}

fn book() -> Item {
    Item {
        sku: Some("BK-42".into()),
        name: Some("Book".into()),
        description: Some("A book of short stories".into()),
        unit_price: Some(5005),
        quantity: Some(2),
        r#type: Some("books".into()),
        ..Item::default()
    }
}

fn address() -> Address {
    Address {
        zipcode: Some("01310-100".into()),
        address: Some("Avenida Paulista".into()),
        street_number: Some("1000".into()),
        street_complement: Some("apto 12".into()),
        city: Some("São Paulo".into()),
        state: Some("SP".into()),
        country: Some("BR".into()),
        ..Address::default()
    }
}
