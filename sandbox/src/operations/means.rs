//! The means of payment of each method.

use payments_core::json::{Json, Members};
use payments_core::methods::payment_method;

use crate::operations::pix;
use crate::rng::Rng;
use crate::service::ledger::{PaymentMeans, pay_path};

/// The means of a new payment, whose page is under `base_url`. A method that is
/// not known leads to a page.
pub(crate) fn means_of(
    rng: &mut Rng,
    payment: &Members,
    base_url: &str,
    hash: &str,
    amount: &str,
) -> PaymentMeans {
    let page = || format!("{base_url}{}", pay_path(hash));
    let code = payment.get("payment_type_code").and_then(Json::as_str).unwrap_or_default();
    let Some(method) = payment_method(code) else {
        return PaymentMeans { redirect_url: Some(page()), ..PaymentMeans::default() };
    };
    let mut means = PaymentMeans::default();
    for name in method.shows {
        let mut show = |name: &str, value: String| means.members.push((name.to_owned(), value));
        match *name {
            "qr_code_value" => {
                let code = pix::qr_code_value(&rng.uuid(), amount, &hash[..25]);
                means.qr_code_value = Some(code);
            }
            "redirect_url" => means.redirect_url = Some(page()),
            address if address.ends_with("_url") => show(address, page()),
            "oxxo_barcode" => show(name, rng.digits(30)),
            "boleto_barcode" => {
                show(name, rng.digits(47));
                show("boleto_barcode_raw", rng.digits(44));
            }
            "clabe_account" => show(name, clabe(rng)),
            "clabe_reference" => show(name, rng.digits(7)),
            _ => show(name, rng.digits(9)),
        }
    }
    if method.shows.is_empty() {
        means.is_card = true;
        means.awaits_capture = is_captured_later(payment);
    }
    means
}

/// Whether the request of a card payment says that the merchant captures it:
/// `auto_capture` of `payment`, or of its object with the card.
fn is_captured_later(payment: &Members) -> bool {
    let of_card = payment.iter().filter_map(|(_, value)| value.as_object());
    let mut values = of_card.chain([payment]).filter_map(|members| members.get("auto_capture"));
    values.any(|value| matches!(value, Json::Bool(false)))
}

/// An account of a bank that takes part in SPEI, with its check digit.
fn clabe(rng: &mut Rng) -> String {
    let account = format!("646180{}", rng.digits(11));
    let weighted = account.bytes().zip([3, 7, 1].into_iter().cycle());
    let sum: u32 = weighted.map(|(digit, weight)| u32::from(digit - b'0') * weight % 10).sum();
    format!("{account}{}", (10 - sum % 10) % 10)
}
