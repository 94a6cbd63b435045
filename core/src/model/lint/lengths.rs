//! References of a length that live services are seen to refuse.

use std::ops::RangeInclusive;

use super::text_at;
use crate::model::json::Members;

const PAYMENT: &str = "has more than 40 characters, which services are seen to refuse; shorten it";
const PAYOUT: &str = "does not have 6 to 40 characters, which services are seen to refuse; give it a \
                      length between";
const REFUND: &str = "has more than 20 characters, which services are seen to refuse; shorten it";

/// References with how many characters they may have, and what to do otherwise.
const ALL: [(&str, RangeInclusive<usize>, &str); 4] = [
    ("payment.merchant_payment_code", 0..=40, PAYMENT),
    ("external_reference", 6..=40, PAYOUT),
    ("merchant_payment_code", 0..=40, PAYMENT),
    ("merchant_refund_code", 0..=20, REFUND),
];

/// The references of `request` with another length, and the remedy.
pub(super) fn found(request: &Members) -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_other = |(path, lengths, _): &(&str, RangeInclusive<usize>, &str)| {
        text_at(request, path).is_some_and(|text| !lengths.contains(&text.chars().count()))
    };
    ALL.into_iter().filter(is_other).map(|(path, _, message)| (path, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(member: &str, length: usize) -> Vec<&'static str> {
        let members = Members::from([(member, "ã".repeat(length))]);
        let mut all: Vec<_> = found(&members).map(|(path, _)| path).collect();
        let payment = Members::from([("payment", members)]);
        all.extend(found(&payment).map(|(path, _)| path));
        all
    }

    #[test]
    fn a_reference_has_as_many_characters_as_services_take() {
        for (member, fits, does_not) in
            [("external_reference", [6, 40], [5, 41]), ("merchant_refund_code", [1, 20], [21, 22])]
        {
            for length in fits {
                assert!(of(member, length).is_empty(), "{member} {length}");
            }
            for length in does_not {
                assert_eq!(of(member, length), [member], "{length}");
            }
        }
        let codes = ["merchant_payment_code", "payment.merchant_payment_code"];
        assert!(of("merchant_payment_code", 1).is_empty());
        assert!(of("merchant_payment_code", 40).is_empty());
        assert_eq!(of("merchant_payment_code", 41), codes);
        assert_eq!(found(&Members::from([("external_reference", 7)])).count(), 0);
    }
}
