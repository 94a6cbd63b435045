//! Payment methods and currencies that do not belong to the country.

use payments_base::spelling::{distance, has_letters_of};
use payments_core::json::{Json, Members};
use payments_core::methods::{PaymentMethod, country, payment_method, payment_methods};

use super::lengths::LONGEST_METHOD;
use super::{Finding, text};

/// The findings about the method of a payment, and about the currency of a payment
/// or payout.
pub(super) fn found(request: &Members) -> impl Iterator<Item = (&'static str, Finding)> {
    let payment = request.get("payment").and_then(Json::as_object);
    let method = payment.and_then(of_method).map(|it| ("payment.payment_type_code", it));
    let paid = payment.and_then(of_currency).map(|it| ("payment.currency_code", it));
    let sent = of_currency(request).map(|it| ("currency_code", it));
    [method, paid, sent].into_iter().flatten()
}

/// White space at the ends has another finding.
fn of_method(payment: &Members) -> Option<Finding> {
    let code = text(payment, "payment_type_code")?;
    // A longer code has another finding.
    if code.chars().count() > LONGEST_METHOD {
        return None;
    }
    let place = text(payment, "country").map(str::to_lowercase);
    match payment_method(code) {
        Some(method) => of_country(method, &place?),
        None => Some(match meant(code, place.as_deref()) {
            Some(method) => {
                Finding::method_misspelled(format!("the method is called {}", method.code))
            }
            None => Finding::METHOD_UNKNOWN,
        }),
    }
}

/// The method that a code with one wrong letter means: one of the country, if there is
/// one.
fn meant(code: &str, place: Option<&str>) -> Option<&'static PaymentMethod> {
    let code = code.to_lowercase();
    let is_near =
        |it: &&PaymentMethod| has_letters_of(&code, it.code) || distance(&code, it.code) == 1;
    let is_elsewhere =
        |it: &&PaymentMethod| !place.is_some_and(|place| it.countries.contains(&place));
    payment_methods().iter().filter(is_near).min_by_key(is_elsewhere)
}

fn of_country(method: &PaymentMethod, place: &str) -> Option<Finding> {
    let PaymentMethod { code, countries, .. } = *method;
    let is_code = place.len() == 2 && place.bytes().all(|it| it.is_ascii_lowercase());
    if !is_code || countries.is_empty() || countries.contains(&place) {
        return None;
    }
    let names = countries.iter().filter_map(|it| country(it));
    let names: Vec<_> = names.map(|it| format!("{} ({})", it.name, it.code)).collect();
    let names = match &names[..] {
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
        [] => return None,
    };
    Some(Finding::method_of_other_country(format!(
        "{code} is a method of {names}; correct the method or the country"
    )))
}

fn of_currency(members: &Members) -> Option<Finding> {
    let currency = text(members, "currency_code")?;
    if currency.len() != 3 || !currency.bytes().all(|it| it.is_ascii_alphabetic()) {
        return None;
    }
    let capital = currency.to_ascii_uppercase();
    if capital != currency {
        return Some(Finding::CURRENCY_CASE);
    }
    let country = country(text(members, "country")?)?;
    let is_taken = capital == country.currency || matches!(&*capital, "USD" | "EUR");
    (!is_taken).then(|| {
        Finding::currency_of_other_country(format!(
            "the currency of {} ({}) is {}; compare it with the amount",
            country.name, country.code, country.currency
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::{Certainty, lint};

    fn payment(
        code: &str,
        country: &str,
        currency: &str,
    ) -> Vec<(&'static str, Certainty, String)> {
        let payment = Members::from([
            ("payment_type_code", code),
            ("country", country),
            ("currency_code", currency),
        ]);
        found_in(&Members::from([("payment", payment)]))
    }

    fn found_in(request: &Members) -> Vec<(&'static str, Certainty, String)> {
        let found = lint(request).into_iter();
        found.map(|it| (it.code, it.certainty, it.message.into_owned())).collect()
    }

    #[test]
    fn known_methods_of_the_country_are_fine() {
        for method in payment_methods() {
            for place in method.countries.iter().chain(method.countries.is_empty().then_some(&"mx"))
            {
                let currency = country(place).unwrap().currency;
                assert_eq!(payment(method.code, place, currency), [], "{} {place}", method.code);
                assert_eq!(payment(method.code, &place.to_uppercase(), "USD"), []);
                assert_eq!(payment(method.code, place, "EUR"), []);
            }
        }
        assert_eq!(payment("pix", "", "BRL"), []);
        assert_eq!(payment("pix", "Brazil", "BRL"), []);
        assert_eq!(payment("creditcard", "ng", "NGN"), []);
    }

    #[test]
    fn a_code_one_letter_off_names_the_method() {
        for (code, meant) in [
            ("pixx", "pix"),
            ("px", "pix"),
            ("pxi", "pix"),
            ("pux", "pix"),
            ("PIX", "pix"),
            ("Pix", "pix"),
            ("credit_card", "creditcard"),
            ("CreditCard", "creditcard"),
            ("safetypay_cash", "safetypay-cash"),
            ("safetypaycash", "safetypay-cash"),
            ("bolet", "boleto"),
        ] {
            let message = format!("the method is called {meant}");
            let expected = [("method_misspelled", Certainty::Certain, message)];
            assert_eq!(payment(code, "xx", "XXX"), expected, "{code}");
        }
        for far in ["transfer", "pi", "boletopix", "ideal"] {
            let [(code, certainty, _)] = &payment(far, "br", "BRL")[..] else { panic!("{far}") };
            let is_near = far == "pi";
            let expected = if is_near { "method_misspelled" } else { "method_unknown" };
            assert_eq!(*code, expected, "{far}");
            assert_eq!(*certainty == Certainty::Certain, is_near);
        }
    }

    #[test]
    fn a_method_of_another_country_names_its_own() {
        let elsewhere = |code, country: &str| match &payment(code, country, "USD")[..] {
            [("method_of_other_country", Certainty::Certain, message)] => message.clone(),
            other => panic!("{other:?}"),
        };
        for country in ["mx", "MX", " mx", "xx"] {
            let expected = "pix is a method of Brazil (br); correct the method or the country";
            assert_eq!(elsewhere("pix", country), expected);
        }
        let message = elsewhere("mercadopago", "co");
        assert!(message.contains("Mexico (mx) and Uruguay (uy);"), "{message}");
    }

    #[test]
    fn white_space_and_length_have_their_own_findings() {
        let codes = |code: &str| payment(code, "br", "BRL").into_iter().map(|it| it.0);
        assert!(codes(" pix").eq(["white_space"]));
        assert!(codes("\u{a0}").eq(["white_space"]));
        assert!(codes(&"p".repeat(33)).eq(["length"]));
        assert!(codes("").eq([""; 0]));
    }

    #[test]
    fn a_currency_is_that_of_the_country_in_capitals() {
        for currency in ["brl", "Brl", "usd", "mxn"] {
            let found = payment("pix", "br", currency);
            assert!(matches!(found[..], [("currency_case", Certainty::Certain, _)]), "{currency}");
            assert!(!found[0].2.contains(currency));
        }
        let message = "the currency of Brazil (br) is BRL; compare it with the amount";
        let expected = [("currency_of_other_country", Certainty::Perhaps, message.to_owned())];
        for currency in ["MXN", "BLR", "XXX"] {
            assert_eq!(payment("pix", "br", currency), expected);
            let payout = [("country", "BR"), ("currency_code", currency)];
            assert_eq!(found_in(&Members::from(payout)), expected);
        }
        for currency in ["BR", "R$", "real", ""] {
            assert_eq!(payment("pix", "br", currency), [], "{currency}");
        }
        assert_eq!(found_in(&Members::from([("country", "ng"), ("currency_code", "BRL")])), []);
        assert_eq!(found_in(&Members::from([("currency_code", "BRL")])), []);
    }
}
