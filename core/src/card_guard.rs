//! Refuses requests that carry a raw card number.
//!
//! Interface, "What the service does": raw card numbers are never sent to the
//! API; a card is first tokenized on the client's side, and the payment then
//! refers to the token. This is a guard against a slip, not a proof: a number
//! under a name that says nothing of a card passes.
//!
//! **Looked at**, at any depth and in every duplicate member (names are
//! compared in lower case, without `_` and `-`):
//! - the members `card`, `cardnumber`, `pan`, `ccnumber` and `creditcard`,
//!   with all that is below them;
//! - all members of an object or array whose name begins with `card`.
//!
//! **Never looked at**, there too: members whose name ends in one of
//! [`NEVER_LOOKED_AT`] (documents, accounts, references, codes, postal codes
//! and phones), with what is below them, until a name says card again. One
//! company tax id in ten passes the check that card numbers pass.
//!
//! **Refused**: a text that, without spaces and hyphens, is 13 to 19 digits
//! that pass the Luhn check, and such an integer.

use crate::error::Error;
use crate::json::path::Path;
use crate::json::{Json, Members};

/// Names, or ends of names, of members that hold numbers of another kind.
/// In lower case, without `_` and `-`.
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

/// Refuses the members of a body if one is a raw card number.
///
/// # Errors
/// `validation` with the path of the member; the message says to tokenize.
pub(crate) fn refuse_card_numbers(members: &Members) -> Result<(), Error> {
    look_at_members(members, Path::Root, false)
}

/// As [`refuse_card_numbers`], for a body that may be no object.
pub(crate) fn refuse_card_numbers_in(tree: &Json) -> Result<(), Error> {
    look_at(tree, Path::Root, false)
}

fn look_at_members(members: &Members, path: Path<'_>, suspected: bool) -> Result<(), Error> {
    members.iter().try_for_each(|(name, value)| {
        let suspected = match meaning_of(name) {
            Meaning::Card => true,
            Meaning::CardIfNested if matches!(value, Json::Object(_) | Json::Array(_)) => true,
            Meaning::NoCard => false,
            Meaning::CardIfNested | Meaning::Nothing => suspected,
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
            Err(Error::validation(
                path.to_string(),
                "card_number",
                "holds what looks like a raw card number: tokenize the card with the client-side library and send the token",
            ))
        }
        _ => Ok(()),
    }
}

/// What the name of a member says of its value.
enum Meaning {
    Card,
    CardIfNested,
    NoCard,
    Nothing,
}

fn meaning_of(name: &str) -> Meaning {
    let name: String = name
        .chars()
        .filter(|letter| !matches!(letter, '_' | '-'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    if matches!(name.as_str(), "card" | "cardnumber" | "pan" | "ccnumber" | "creditcard") {
        Meaning::Card
    } else if NEVER_LOOKED_AT.iter().any(|end| name.ends_with(end)) {
        Meaning::NoCard
    } else if name.starts_with("card") {
        Meaning::CardIfNested
    } else {
        Meaning::Nothing
    }
}

/// Whether the text is 13 to 19 digits that pass the Luhn check, spaces and
/// hyphens of any kind aside.
fn is_card_number(text: &str) -> bool {
    const LONGEST: usize = 19;
    let mut digits = [0_u8; LONGEST];
    let mut count = 0;
    for letter in text.chars() {
        match letter {
            '0'..='9' if count < LONGEST => {
                digits[count] = letter as u8 - b'0';
                count += 1;
            }
            '-' | '\u{2010}'..='\u{2015}' => {}
            space if space.is_whitespace() => {}
            _ => return false,
        }
    }
    count >= 13 && passes_luhn(&digits[..count])
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
    use crate::operation::{Field, Operation};

    /// So that turning the guard off leaves out free members only.
    #[test]
    fn no_typed_member_is_named_after_a_card() {
        fn look_at_names(fields: &'static [Field]) -> usize {
            let look_at = |field: &'static Field| {
                let meaning = meaning_of(field.name);
                assert!(matches!(meaning, Meaning::NoCard | Meaning::Nothing), "{}", field.name);
                1 + look_at_names(field.shape.fields())
            };
            fields.iter().map(look_at).sum()
        }
        let seen: usize = Operation::ALL.iter().map(|of| look_at_names(of.fields())).sum();
        assert_ne!(seen, 0);
    }
}
