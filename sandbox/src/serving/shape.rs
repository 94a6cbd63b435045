//! Checks request bodies against the interface's tables.
//!
//! The tables are the core's, so that sandbox and library agree on them. The
//! checks are the sandbox's own: it checks requests that arrived, and the
//! library those that it sends. Members that no table contains are allowed.

use payments_core::amount::Amount;
use payments_core::card_guard;
use payments_core::json::{Json, Members};
use payments_core::operation::{Operation, Presence, RequestMember, RequestObject, RequestShape};

/// Returns the members of a body that matches the interface, or a message with
/// the mistake and its place.
pub(crate) fn check<'a>(
    operation: Operation,
    refund_hash_member: &str,
    body: Option<&'a Json>,
) -> Result<&'a Members, String> {
    let whole = body.ok_or("the body is not JSON, or has a member twice")?;
    let members = whole.as_object().ok_or("the body is not a JSON object")?;
    let hash_member = (operation == Operation::RefundPayment).then_some(refund_hash_member);
    check_members(operation.fields(), members, "", |field| match (field.name, hash_member) {
        ("hash", Some(name)) => name,
        (name, _) => name,
    })?;
    card_guard::refuse_card_numbers_in(whole).map_err(|error| {
        format!("{}: holds what looks like a raw card number", error.path().unwrap_or_default())
    })?;
    Ok(members)
}

/// Checks the members of the object at `place`. `name_of` returns their names.
fn check_members<'a>(
    fields: &'a [RequestMember],
    members: &Members,
    place: &str,
    name_of: impl Fn(&'a RequestMember) -> &'a str,
) -> Result<(), String> {
    for field in fields {
        let name = name_of(field);
        let place = format!("{place}{name}");
        let value = members.get(name).filter(|value| !value.is_null());
        if let Some(value) = value {
            check_value(field, value, &place)?;
        }
        let is_blank = value.and_then(Json::as_str).is_some_and(|text| text.trim().is_empty());
        match (field.presence_in(members), &field.condition) {
            (Presence::Required, Some(condition)) if value.is_none() || is_blank => {
                return Err(format!("{place}: required {}", condition.words()));
            }
            (Presence::Required, None) if value.is_none() => {
                return Err(format!("{place}: required"));
            }
            (Presence::Required, None) if is_blank => {
                return Err(format!("{place}: must not be blank"));
            }
            _ => {}
        }
    }
    check_choice(Presence::OneOf, fields, members, place, &name_of)?;
    check_choice(Presence::AtLeastOne, fields, members, place, &name_of)
}

/// Checks how many members are there of a choice that needs exactly one, or at
/// least one.
fn check_choice<'a>(
    choice: Presence,
    fields: &'a [RequestMember],
    members: &Members,
    place: &str,
    name_of: impl Fn(&'a RequestMember) -> &'a str,
) -> Result<(), String> {
    let alternatives = fields.iter().filter(|field| field.presence_in(members) == choice);
    let names: Vec<_> = alternatives.map(name_of).collect();
    let is_there = |name: &&&str| match members.get(name) {
        Some(Json::String(text)) => !text.trim().is_empty(),
        value => value.is_some_and(|value| !value.is_null()),
    };
    let quantity = match (names.iter().filter(is_there).count(), choice) {
        _ if names.is_empty() => return Ok(()),
        (1, _) | (1.., Presence::AtLeastOne) => return Ok(()),
        (_, Presence::AtLeastOne) => "at least one",
        _ => "exactly one",
    };
    Err(format!("{place}{}: {quantity} of {} is required", names[0], names.join(" and ")))
}

fn check_value(field: &RequestMember, value: &Json, place: &str) -> Result<(), String> {
    let text = value.as_str();
    let letters = |count: usize, is_allowed: fn(&u8) -> bool| {
        text.is_some_and(|text| text.len() == count && text.as_bytes().iter().all(is_allowed))
    };
    let number = value.as_number_text();
    let (is_right, expected) = match &field.shape {
        RequestShape::Text => (text.is_some(), "a text"),
        RequestShape::Amount => (
            number.is_some_and(|digits| Amount::parse(digits).is_ok()),
            "a JSON number over zero, without an exponent",
        ),
        RequestShape::Integer => (
            number.is_some_and(|digits| !digits.contains(['.', 'e', 'E'])),
            "a number without fraction and exponent",
        ),
        RequestShape::LowerCountry => {
            (letters(2, u8::is_ascii_lowercase), "two lower-case letters")
        }
        RequestShape::UpperCountry => {
            (letters(2, u8::is_ascii_uppercase), "two upper-case letters")
        }
        RequestShape::Currency => (letters(3, u8::is_ascii_alphabetic), "three letters"),
        RequestShape::Object(object) => return check_object(object, value, place),
        RequestShape::Open => (value.as_object().is_some(), "an object"),
        // Sent in the query, not in a body.
        RequestShape::Parameters => return Ok(()),
        RequestShape::Objects(object) => {
            let elements = value.as_array().ok_or_else(|| format!("{place}: must be an array"))?;
            for (index, element) in elements.iter().enumerate() {
                check_object(object, element, &format!("{place}[{index}]"))?;
            }
            return Ok(());
        }
        RequestShape::TextsOrObjects(object) => {
            let elements = value.as_array().filter(|elements| !elements.is_empty());
            let elements = elements
                .ok_or_else(|| format!("{place}: must be an array of one or more elements"))?;
            for (index, element) in elements.iter().enumerate() {
                match element.as_str() {
                    Some(text) if !text.trim().is_empty() => {}
                    _ => check_object(object, element, &format!("{place}[{index}]"))?,
                }
            }
            return Ok(());
        }
    };
    if is_right { Ok(()) } else { Err(format!("{place}: must be {expected}")) }
}

fn check_object(object: &'static RequestObject, value: &Json, place: &str) -> Result<(), String> {
    let members = value.as_object().ok_or_else(|| format!("{place}: must be an object"))?;
    check_members(object.fields, members, &format!("{place}."), |field| field.name)
}
