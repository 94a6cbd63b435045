//! The payer's page, where a person or a browser test pays or declines. Works
//! without scripts.

use payments_core::inside::shown_amount;
use payments_core::qr_svg;

use super::document;
use crate::http::parameters::parameter;
use crate::http::response::Response;
use crate::service::Service;
use crate::service::ledger::{MoveError, PaymentRecord, pay_path};
use crate::service::status::PaymentStatus;

const HTML: &str = "text/html; charset=utf-8";

/// Renders the page of a payment, found by hash or reference.
pub(super) fn page(service: &Service, reference: &str) -> Response {
    match service.ledger().payment(reference) {
        Some(payment) => document(200, HTML, payment_page(payment, None)),
        None => not_found(),
    }
}

/// Pays or declines as the form says, and redirects to the page.
pub(super) fn decide(service: &Service, reference: &str, form: &[u8]) -> Response {
    let form = String::from_utf8_lossy(form);
    let to = match parameter(&form, "decision").as_deref() {
        Some("pay") => PaymentStatus::Confirmed,
        Some("decline") => PaymentStatus::Cancelled,
        _ => {
            return document(
                400,
                HTML,
                html("Payment", "<p>The decision must be pay or decline.</p>"),
            );
        }
    };
    let moved = service.ledger().move_payment(reference, to, &service.clock);
    match moved {
        Ok(payment) => document(303, HTML, "").with_header("Location", &pay_path(&payment.hash)),
        Err(MoveError::NotFound) => not_found(),
        Err(MoveError::NotAllowed(why)) => match service.ledger().payment(reference) {
            Some(payment) => document(409, HTML, payment_page(payment, Some(&why))),
            None => not_found(),
        },
    }
}

/// Renders the QR code of a pix payment.
pub(super) fn qr_code(service: &Service, reference: &str) -> Response {
    let ledger = service.ledger();
    let code = ledger.payment(reference).and_then(|it| it.means.qr_code_value.as_deref());
    let image = code.and_then(qr_svg);
    image.map_or_else(not_found, |image| document(200, "image/svg+xml", image))
}

fn not_found() -> Response {
    document(404, HTML, html("Payment", "<p>The sandbox has no such payment.</p>"))
}

fn payment_page(payment: &PaymentRecord, objection: Option<&str>) -> String {
    let state = match payment.status {
        PaymentStatus::Open => "Open: not ready to be paid yet",
        PaymentStatus::Pending => "Waiting for your decision",
        PaymentStatus::Confirmed => "Paid",
        PaymentStatus::Cancelled => "Declined",
    };
    let objection = objection.map_or(String::new(), |why| {
        format!("<p class=\"error\" role=\"alert\">{}</p>", escaped(why))
    });
    let means = means(payment);
    let buttons = match payment.status {
        PaymentStatus::Pending => format!(
            "<form method=\"post\" action=\"{}\" class=\"buttons\">\
             <button class=\"primary\" name=\"decision\" value=\"pay\">Pay</button>\
             <button name=\"decision\" value=\"decline\">Decline</button></form>",
            pay_path(&payment.hash),
        ),
        _ => String::new(),
    };
    let name = escaped(&payment.payer.name);
    let reference = escaped(&payment.merchant_payment_code);
    let currency = escaped(&payment.currency_code);
    let amount = escaped(&shown_amount(&payment.amount_total, &payment.currency_code));
    html(
        "Payment",
        &format!(
            "{objection}<p class=\"amount\">{currency} {amount}</p>\
             <p id=\"state\" data-status=\"{}\" role=\"status\">{state}</p>{means}{buttons}\
             <dl><dt>Payer</dt><dd id=\"payer\">{name}</dd>\
             <dt>Reference</dt><dd>{reference}</dd></dl>",
            payment.status.code(),
        ),
    )
}

/// The QR code and all digits of a payment, or else the name of its method.
fn means(payment: &PaymentRecord) -> String {
    let mut text = String::new();
    if let Some(code) = &payment.means.qr_code_value {
        let code = escaped(code);
        let path = pay_path(&payment.hash);
        text = format!(
            "<img class=\"qr\" src=\"{path}/qr.svg\" alt=\"pix QR code\">\
             <p class=\"code\" id=\"qr_code_value\">{code}</p>"
        );
    }
    for (name, value) in payment.means.members.iter().filter(|(name, _)| !name.ends_with("_url")) {
        let label = escaped(&name.replace('_', " "));
        let name = escaped(name);
        let value = escaped(value);
        text.push_str(&format!("<p>{label}</p><p class=\"code\" id=\"{name}\">{value}</p>"));
    }
    if text.is_empty() {
        text = format!("<p>Payment by {}</p>", escaped(&payment.payment_type_code));
    }
    text
}

fn html(title: &str, content: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} · sandbox</title>\
         <link rel=\"icon\" href=\"/sandbox/page/icon.svg\">\
         <link rel=\"stylesheet\" href=\"/sandbox/page/style.css\">\
         <script type=\"module\" src=\"/sandbox/page/payer.js\"></script></head>\
         <body class=\"payer\"><main><h1>{title}</h1>{content}\
         <p class=\"note\">This is a sandbox: no money moves. \
         <a href=\"/sandbox/#payments\">All payments</a></p></main></body></html>"
    )
}

/// Escapes text for HTML, between tags and in quoted attributes.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            escaped("<img src='x' onerror=\"a&b\">"),
            "&lt;img src=&#39;x&#39; onerror=&quot;a&amp;b&quot;&gt;"
        );
    }
}
