//! Refuses requests with a raw card number.
//!
//! Interface, "What the service does": raw card numbers are never sent to the
//! API. A card is tokenized on the client's side first, and the payment refers
//! to the token. This guards against mistakes and is not a proof: it misses a
//! number under a name that does not suggest a card.
//!
//! **Searched**, at any depth and in every duplicate member (names compare in
//! lower case, without `_` and `-`):
//! - the members of [`CARD`], with everything below them;
//! - all members of an object or array whose name begins with one of
//!   [`BEGINS_LIKE_A_CARD`];
//! - query parameters with such names, split at `.`, `[` and `]`.
//!
//! **Never searched**, even there: members whose name ends in one of
//! [`NEVER_LOOKED_AT`] (documents, accounts, references, codes, postal codes
//! and phones), with everything below them, until a name suggests a card again.
//! One company tax id in ten passes the check digit test of card numbers. A text
//! whose name begins with [`NETWORK_TOKEN`] is not one either: a network's
//! replacement for a card number has the same form. Below such a name, all is
//! searched as elsewhere.
//!
//! **Refused**: a text that, without spaces, hyphens and dots, has 13 to 19
//! digits and passes the Luhn check. The same holds for such an integer, also
//! with a fraction of zeros.

use crate::model::error::{Error, Message};
use crate::model::json::path::Path;
use crate::model::json::{Json, Members};

/// Names of members that hold a card or its number. In lower case, without `_`
/// and `-`.
pub const CARD: [&str; 12] = [
    "card",
    "cardno",
    "cardnum",
    "cardnumber",
    "ccnum",
    "ccnumber",
    "creditcard",
    "creditcardnumber",
    "debitcard",
    "debitcardnumber",
    "pan",
    "paymentcard",
];

/// Prefixes of the names of objects that hold a card, in the same form.
pub const BEGINS_LIKE_A_CARD: [&str; 4] = ["card", "creditcard", "debitcard", "paymentcard"];

/// Names, or suffixes of names, of members that hold other kinds of numbers. In
/// lower case, without `_` and `-`.
pub const NEVER_LOOKED_AT: [&str; 15] = [
    "document",
    "documentnumber",
    "taxid",
    "cpf",
    "cnpj",
    "targetaccount",
    "reference",
    "referencenumber",
    "code",
    "hash",
    "ordernumber",
    "trackingnumber",
    "zipcode",
    "phone",
    "phonenumber",
];

/// The prefix of the names of texts that hold a network token, in the same form.
pub const NETWORK_TOKEN: &str = "networktoken";

/// Refuses members that contain a raw card number.
///
/// # Errors
/// `validation` with the path of the member. The message says to tokenize the
/// card.
pub(crate) fn refuse_card_numbers(members: &Members) -> Result<(), Error> {
    look_at_members(members, Path::Root, false)
}

/// Refuses a body of any form that contains a raw card number.
///
/// # Errors
/// `validation` with the path of the member. The message says to tokenize the
/// card.
pub fn refuse_card_numbers_in(tree: &Json) -> Result<(), Error> {
    look_at(tree, Path::Root, false)
}

/// Like [`refuse_card_numbers`], for query parameters.
pub(crate) fn refuse_card_numbers_in_query(query: &[(String, String)]) -> Result<(), Error> {
    let at = Path::Root.member("query");
    query.iter().try_for_each(|(name, value)| {
        let parts = name.rsplit(['.', '[', ']']).filter(|part| !part.is_empty());
        let nested = parts.fold(Json::from(value.as_str()), |inner, part| {
            Json::Object(Members::from([(part, inner)]))
        });
        look_at(&nested, at, false)
    })
}

fn look_at_members(members: &Members, path: Path<'_>, suspected: bool) -> Result<(), Error> {
    members.iter().try_for_each(|(name, value)| {
        let suspected = match (meaning_of(name), value) {
            (NameMeaning::Card, _) => true,
            (NameMeaning::CardIfNested, Json::Object(_) | Json::Array(_)) => true,
            (NameMeaning::NoCard, _) | (NameMeaning::NetworkToken, Json::String(_)) => false,
            _ => suspected,
        };
        look_at(value, path.member(name), suspected)
    })
}

fn look_at(value: &Json, path: Path<'_>, suspected: bool) -> Result<(), Error> {
    match value {
        Json::Object(members) => look_at_members(members, path, suspected),
        Json::Array(elements) => elements
            .iter()
            .enumerate()
            .try_for_each(|(index, element)| look_at(element, path.element(index), suspected)),
        Json::String(text) | Json::Number(text) if suspected && is_card_number(text) => {
            Err(Error::invalid(path.to_string(), Message::CARD_NUMBER))
        }
        _ => Ok(()),
    }
}

/// The kind of value that a member's name implies.
enum NameMeaning {
    Card,
    CardIfNested,
    NoCard,
    NetworkToken,
    Nothing,
}

fn meaning_of(name: &str) -> NameMeaning {
    let name: String = name
        .chars()
        .filter(|letter| !matches!(letter, '_' | '-'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    if name.starts_with(NETWORK_TOKEN) {
        NameMeaning::NetworkToken
    } else if CARD.contains(&name.as_str()) {
        NameMeaning::Card
    } else if NEVER_LOOKED_AT.iter().any(|end| name.ends_with(end)) {
        NameMeaning::NoCard
    } else if BEGINS_LIKE_A_CARD.iter().any(|begin| name.starts_with(begin)) {
        NameMeaning::CardIfNested
    } else {
        NameMeaning::Nothing
    }
}

/// Whether the text is a card number, with or without a fraction of zeros.
fn is_card_number(text: &str) -> bool {
    let whole = text.trim_end().rsplit_once('.').filter(|(_, fraction)| is_all_zeros(fraction));
    has_card_digits(text) || whole.is_some_and(|(whole, _)| has_card_digits(whole))
}

fn is_all_zeros(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte == b'0')
}

/// Whether the text contains a card number, between characters that are not
/// part of one.
pub(crate) fn holds_card_number(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_digit() || is_separator(letter);
    text.split(|letter| !is_part(letter)).any(is_card_number)
}

/// Whether the text has 13 to 19 digits that pass the Luhn check, ignoring
/// spaces, dots and hyphens of any kind.
fn has_card_digits(text: &str) -> bool {
    const LONGEST: usize = 19;
    let mut digits = [0_u8; LONGEST];
    let mut count = 0;
    for letter in text.chars() {
        match letter {
            '0'..='9' if count < LONGEST => {
                digits[count] = letter as u8 - b'0';
                count += 1;
            }
            separator if is_separator(separator) => {}
            _ => return false,
        }
    }
    count >= 13 && passes_luhn(&digits[..count])
}

/// Spaces, dots and hyphens of any kind.
fn is_separator(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '-' | '.' | '\u{2010}'..='\u{2015}')
}

fn passes_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, &digit)| match (place % 2, u32::from(digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::operation::{Operation, RequestMember};

    /// Turning the guard off must affect open members only.
    #[test]
    fn no_typed_member_is_named_after_a_card() {
        fn look_at_names(fields: &'static [RequestMember]) -> usize {
            let look_at = |field: &'static RequestMember| {
                let meaning = meaning_of(field.name);
                assert!(
                    matches!(meaning, NameMeaning::NoCard | NameMeaning::Nothing),
                    "{}",
                    field.name
                );
                1 + look_at_names(field.shape.fields())
            };
            fields.iter().map(look_at).sum()
        }
        let seen: usize = Operation::ALL.iter().map(|of| look_at_names(of.fields())).sum();
        assert_ne!(seen, 0);
    }
}
