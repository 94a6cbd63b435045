//! The means of payment of each method.

use payments_core::methods::{country, payment_methods};
use payments_core::request::CreatePayment;
use payments_core::{Client, Config};
use payments_sandbox::PaymentStatus;
use serde_json::{Value, json};

use crate::support::{post, start};

fn request(number: usize, country_code: &str, method: &str) -> Value {
    json!({"payment": {"name": "Maria Souza", "email": "maria@example.com",
        "country": country_code, "payment_type_code": method,
        "merchant_payment_code": format!("order-{number}"), "document": "853.513.468-93",
        "currency_code": country(country_code).unwrap().currency, "amount_total": 1000}})
}

#[test]
fn every_method_gives_the_payer_the_means_of_the_table() {
    let sandbox = start();
    let config = Config::new(sandbox.base_url()).integration_key(sandbox.config().integration_key);
    let client = Client::new(config).unwrap();
    let mut number = 0;
    for method in payment_methods() {
        let countries = if method.countries.is_empty() { &["mx"] } else { method.countries };
        for country in countries {
            number += 1;
            let body = request(number, country, method.code).to_string();
            let request = CreatePayment::from_json(body.as_bytes()).unwrap();
            let response = client.create_payment(&request).unwrap();
            let action = response.next_action();
            assert_eq!(action.kind, method.kind, "{} in {country}", method.code);
            let json: Value = serde_json::from_slice(response.raw().body()).unwrap();
            for (index, name) in method.shows.iter().enumerate() {
                let places = [format!("/payment/{name}"), format!("/payment/pix/{name}")];
                let places = places.iter().map(String::as_str).chain(["/redirect_url"]);
                let value = places.filter_map(|place| json.pointer(place)?.as_str()).next();
                let value = value.unwrap_or_else(|| panic!("{}: no {name}", method.code));
                assert!(index > 0 || action.value.as_deref() == Some(value), "{}", method.code);
            }
        }
    }
    assert!(number > 40, "{number}");
    assert_eq!(sandbox.payments().len(), number);
}

#[test]
fn digits_have_the_length_of_their_kind() {
    let sandbox = start();
    let create = |number: usize, country: &str, method: &str| {
        let body = request(number, country, method).to_string();
        post(&sandbox, "/ws/direct", body.as_bytes()).json()["payment"].clone()
    };
    let lengths = [
        ("br", "boleto", "boleto_barcode", 47),
        ("br", "boleto", "boleto_barcode_raw", 44),
        ("mx", "oxxo", "oxxo_barcode", 30),
        ("mx", "spei", "clabe_account", 18),
        ("mx", "spei", "clabe_reference", 7),
        ("co", "baloto", "voucher_id", 9),
        ("pe", "pagoefectivo", "cip_code", 9),
    ];
    for (number, (country, method, member, length)) in lengths.into_iter().enumerate() {
        let payment = create(number, country, method);
        let digits = payment[member].as_str().unwrap();
        assert!(digits.bytes().all(|digit| digit.is_ascii_digit()), "{digits}");
        assert_eq!(digits.len(), length, "{member}");
    }
    // The check digit of a CLABE: the weighted digits add up to a multiple of ten.
    for number in 100..120 {
        let payment = create(number, "mx", "spei");
        let digits = payment["clabe_account"].as_str().unwrap().bytes().map(|it| it - b'0');
        let weights = [3, 7, 1].into_iter().cycle().take(17).chain([1]);
        let sum: u32 =
            digits.zip(weights).map(|(digit, weight)| u32::from(digit * weight % 10)).sum();
        assert_eq!(sum % 10, 0, "{payment}");
    }
}

#[test]
fn a_card_is_paid_at_once_unless_it_is_captured_later() {
    let sandbox = start();
    let mut body = request(1, "mx", "creditcard");
    let create = |body: &Value| post(&sandbox, "/ws/direct", body.to_string().as_bytes()).json();
    body["payment"]["creditcard"] = json!({"token": "tok_1", "auto_capture": true});
    let paid = &create(&body)["payment"];
    assert_eq!((&paid["status"], &paid["capture_available"]), (&json!("CO"), &json!(false)));
    for (number, place) in [(2, "/payment/creditcard"), (3, "/payment")] {
        let mut body = request(number, "mx", "creditcard");
        body["payment"]["creditcard"] = json!({"token": "tok_1"});
        body.pointer_mut(place).unwrap()["auto_capture"] = json!(false);
        let response = create(&body);
        let payment = &response["payment"];
        assert_eq!(
            (&payment["status"], &payment["capture_available"]),
            (&json!("PE"), &json!(true))
        );
        assert!(response["redirect_url"].is_null());
        let hash = payment["hash"].as_str().unwrap();
        sandbox.move_payment(hash, PaymentStatus::Confirmed).unwrap();
        let body = crate::support::get(&sandbox, &format!("/ws/query?hash={hash}")).json();
        assert_eq!(body["payment"]["capture_available"], false);
    }
}

#[test]
fn an_unknown_method_leads_to_a_page() {
    let sandbox = start();
    let body = request(1, "mx", "tomorrow").to_string();
    let response = post(&sandbox, "/ws/direct", body.as_bytes()).json();
    let hash = response["payment"]["hash"].as_str().unwrap();
    assert_eq!(response["redirect_url"], format!("{}/pay/{hash}", sandbox.control_url()));
    assert_eq!(response["payment"]["status"], "PE");
}
