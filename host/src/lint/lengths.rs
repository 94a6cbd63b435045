//! Texts of a length that live services are seen to refuse.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use payments_core::json::Members;

use super::generated::LENGTHS;
use super::text_at;

const PAYOUT: &str = "does not have 6 to 40 characters, which services are seen to refuse; give it a \
                      length between";

/// The characters of a `payment_type_code`.
pub(super) const LONGEST_METHOD: usize = 32;

/// A text that the interface does not name.
const ORDER_NUMBER: (&str, RangeInclusive<usize>) = ("payment.order_number", 0..=40);

/// The texts of `request` with another length, and the remedy. Only a refund has
/// a `description` whose length is known.
pub(super) fn found(
    request: &Members,
    is_refund: bool,
) -> impl Iterator<Item = (&'static str, Cow<'static, str>)> {
    let is_other = move |(path, lengths): &(&str, RangeInclusive<usize>)| {
        text_at(request, path).is_some_and(|text| !lengths.contains(&text.chars().count()))
            && (is_refund || *path != "description")
    };
    let message = |most: usize| {
        format!("has more than {most} characters, which services are seen to refuse; shorten it")
    };
    LENGTHS.into_iter().chain([ORDER_NUMBER]).filter(is_other).map(move |(path, lengths)| {
        let is_short = *lengths.start() > 0;
        (path, if is_short { PAYOUT.into() } else { message(*lengths.end()).into() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(member: &str, length: usize) -> Vec<&'static str> {
        let members = Members::from([(member, "ã".repeat(length))]);
        let mut all: Vec<_> = found(&members, true).map(|(path, _)| path).collect();
        let payment = Members::from([("payment", members)]);
        all.extend(found(&payment, false).map(|(path, _)| path));
        all
    }

    #[test]
    fn a_reference_has_as_many_characters_as_services_take() {
        for (member, fits, does_not) in [
            ("external_reference", [6, 40], [5, 41]),
            ("merchant_refund_code", [1, 20], [21, 22]),
            ("description", [0, 1500], [1501, 1502]),
        ] {
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
        for (member, most) in
            [("order_number", 40), ("name", 100), ("email", 100), ("payment_type_code", 32)]
        {
            assert!(of(member, most).is_empty(), "{member}");
            assert_eq!(of(member, most + 1), [format!("payment.{member}")]);
        }
        let method = LENGTHS.into_iter().find(|(path, _)| *path == "payment.payment_type_code");
        assert_eq!(method.map(|(_, lengths)| *lengths.end()), Some(LONGEST_METHOD));
        let messages = |it: &Members| found(it, false).map(|it| it.1).collect::<Vec<_>>();
        let described = Members::from([("description", "a".repeat(1501))]);
        assert_eq!(messages(&described), [""; 0]);
        let code = Members::from([("merchant_refund_code", "a".repeat(21))]);
        assert!(messages(&code)[0].starts_with("has more than 20 characters"));
        assert_eq!(messages(&Members::from([("external_reference", 7)])), [""; 0]);
    }
}
