//! The payment methods that were seen, their countries, and what a payer gets.
//!
//! Not stated in the interface, which names three methods. The service has
//! others, so no call is refused because of this table.

// - `generated.rs`: the tables of countries and methods

mod generated;

use generated::{COUNTRIES, METHODS};

/// A payment method.
#[derive(Debug)]
pub struct PaymentMethod {
    /// Its `payment_type_code`.
    pub code: &'static str,
    /// The lower-case codes of the countries in which it was seen. Empty if it
    /// is one of many countries, such as a card.
    pub countries: &'static [&'static str],
    /// The members of the response that tell the payer how to pay.
    pub shows: &'static [&'static str],
    /// The kind of the next action, for example `qr_code`.
    pub kind: &'static str,
}

/// A country of payment methods.
#[derive(Debug)]
pub struct Country {
    /// Its lower-case code of two letters.
    pub code: &'static str,
    /// Its name in English.
    pub name: &'static str,
    /// Its currency, ISO 4217.
    pub currency: &'static str,
}

/// All of them.
pub fn payment_methods() -> &'static [PaymentMethod] {
    METHODS
}

/// The method with exactly this code.
pub fn payment_method(code: &str) -> Option<&'static PaymentMethod> {
    METHODS.iter().find(|it| it.code == code)
}

/// The country with this code, in any case.
pub fn country(code: &str) -> Option<&'static Country> {
    COUNTRIES.iter().find(|it| it.code.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::amount::decimal_places;

    #[test]
    fn a_method_is_found_by_its_exact_code() {
        let pix = payment_method("pix").unwrap();
        assert_eq!(
            (pix.countries, pix.shows, pix.kind),
            (&["br"][..], &["qr_code_value"][..], "qr_code")
        );
        assert!(payment_method("PIX").is_none());
        assert_eq!(payment_method("creditcard").map(|it| it.kind), Some("none"));
    }

    #[test]
    fn a_country_is_found_in_any_case() {
        assert_eq!(country("BR").map(|it| (it.name, it.currency)), Some(("Brazil", "BRL")));
        assert!(country("xx").is_none());
        let is_unlisted = |it: &&Country| decimal_places(it.currency).is_none();
        assert_eq!(COUNTRIES.iter().find(is_unlisted).map(|it| it.code), None);
    }
}
