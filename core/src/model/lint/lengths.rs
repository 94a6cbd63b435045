//! References of a length that live services are seen to refuse.

use crate::model::json::{Json, Members};

/// A reference with the fewest and the most characters.
struct Limits {
    path: &'static str,
    fewest: usize,
    most: usize,
    message: &'static str,
}

const PAYMENT: &str = "has more than 40 characters, which services are seen to refuse; shorten it";
const PAYOUT: &str = "does not have 6 to 40 characters, which services are seen to refuse; give it a \
                      length between";
const REFUND: &str = "has more than 20 characters, which services are seen to refuse; shorten it";

const ALL: [Limits; 4] = [
    Limits { path: "payment.merchant_payment_code", fewest: 0, most: 40, message: PAYMENT },
    Limits { path: "external_reference", fewest: 6, most: 40, message: PAYOUT },
    Limits { path: "merchant_payment_code", fewest: 0, most: 40, message: PAYMENT },
    Limits { path: "merchant_refund_code", fewest: 0, most: 20, message: REFUND },
];

/// The references of `request` with another length, and the remedy.
pub(super) fn found(request: &Members) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
    ALL.iter().filter_map(|Limits { path, fewest, most, message }| {
        let members = match path.split_once('.') {
            Some((object, _)) => request.get(object).and_then(Json::as_object)?,
            None => request,
        };
        let (_, name) = path.rsplit_once('.').unwrap_or(("", path));
        let length = members.get(name).and_then(Json::as_str)?.chars().count();
        (!(*fewest..=*most).contains(&length)).then_some((*path, *message))
    })
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
