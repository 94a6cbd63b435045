//! Checks the members of a request against the tables of its operation.
//!
//! The result is a new tree with the members in the order given. Amounts given
//! as text become numbers, and known members that are `null` are left out. The
//! members of `extra` follow, unchanged.

use crate::model::amount::check_amount;
use crate::model::error::{Error, ErrorCode};
use crate::model::json::path::Path;
use crate::model::json::{Json, MAX_DEPTH, Members};
use crate::model::operation::{
    EXTRA, INTEGRATION_KEY, Operation, Presence, RequestMember, RequestObject, RequestShape,
};

use super::missing::{self, counts_as_left_out, counts_as_missing, is_blank, must_not_be_blank};
use super::unknown;

/// The members to send.
///
/// # Errors
/// `validation` with the path of the first member that breaks a rule.
pub(super) fn checked_request(operation: Operation, members: &Members) -> Result<Members, Error> {
    match operation.request() {
        Some(object) => check_members(object, members, Path::Root)
            .map_err(|error| missing::with_all(error, object, members)),
        None => Ok(members.clone()),
    }
}

fn check_members(
    object: &'static RequestObject,
    members: &Members,
    path: Path<'_>,
) -> Result<Members, Error> {
    let fields = object.fields;
    refuse_duplicate(members, path)?;
    let mut checked = Members::with_capacity(members.len() + 1);
    let mut given = Vec::with_capacity(fields.len());
    for (name, value) in members.iter() {
        let path = path.member(name);
        match fields.iter().position(|field| field.name == name) {
            Some(index) if counts_as_left_out(&fields[index], value) => {}
            Some(index) => {
                if !counts_as_missing(&fields[index], value) {
                    given.push(index);
                }
                checked.push(name, check_field(&fields[index], value, path)?);
            }
            None if name == EXTRA => {}
            None if object.holds_key && name == INTEGRATION_KEY.name => {
                if !value.is_null() {
                    checked.push(name, check_field(&INTEGRATION_KEY, value, path)?);
                }
            }
            None => {
                unknown::refuse(object, members, name, path)?;
                checked.push(name, value.clone());
            }
        }
    }
    for (index, field) in fields.iter().enumerate() {
        if field.presence_in(members) == Presence::Required && !given.contains(&index) {
            return Err(missing_member(field, path));
        }
    }
    for choice in [Presence::OneOf, Presence::AtLeastOne] {
        check_choice(choice, object, members, &given, path)?;
    }
    if let Some(extra) = members.get(EXTRA) {
        append_extra(object, &mut checked, extra, path)?;
    }
    Ok(checked)
}

fn refuse_duplicate(members: &Members, path: Path<'_>) -> Result<(), Error> {
    let refused =
        |name| Err(Error::invalid(path.member(name).to_string(), ErrorCode::DUPLICATE_MEMBER));
    members.first_duplicate().map_or(Ok(()), refused)
}

/// Appends the members of `extra`, which the caller meant to send although they
/// are in no table.
fn append_extra(
    object: &'static RequestObject,
    checked: &mut Members,
    extra: &Json,
    path: Path<'_>,
) -> Result<(), Error> {
    let depth = path_depth(path) + 1;
    let path = path.member(EXTRA);
    if extra.is_null() {
        return Ok(());
    }
    let members = expect_object(extra, path)?;
    refuse_duplicate(members, path)?;
    for (name, value) in members.iter() {
        let path = path.member(name);
        if checked.contains(name) || object.fields.iter().any(|field| field.name == name) {
            return fail(
                path,
                ErrorCode::MEMBER_COLLIDES,
                "collides with the member of that name; set it only once, outside `extra`",
            );
        }
        check_tree(value, path, depth)?;
        checked.push(name, value.clone());
    }
    Ok(())
}

fn missing_member(field: &RequestMember, path: Path<'_>) -> Error {
    let message = match (&field.shape, &field.condition) {
        (RequestShape::Object(object), None) => unknown::required_object(field, object),
        (_, Some(condition)) => format!("required {}", condition.words()),
        (_, None) => "required".to_owned(),
    };
    Error::validation(path.member(field.name).to_string(), ErrorCode::REQUIRED, message)
}

/// Checks how many members are given of a choice that needs exactly one, or at
/// least one.
fn check_choice(
    choice: Presence,
    object: &RequestObject,
    members: &Members,
    given: &[usize],
    path: Path<'_>,
) -> Result<(), Error> {
    let is_choice = |field: &RequestMember| field.presence_in(members) == choice;
    let alternatives = || object.fields.iter().filter(|field| is_choice(field));
    let Some(first) = alternatives().next() else {
        return Ok(());
    };
    let count = given.iter().filter(|&&index| is_choice(&object.fields[index])).count();
    let (code, quantity) = match (count, choice) {
        (0, Presence::AtLeastOne) => (ErrorCode::REQUIRED, "at least"),
        (0, _) => (ErrorCode::REQUIRED, "exactly"),
        (2.., Presence::OneOf) => (ErrorCode::MORE_THAN_ONE, "exactly"),
        _ => return Ok(()),
    };
    let names: Vec<_> = alternatives().map(|field| format!("`{}`", field.name)).collect();
    let condition = first.condition.as_ref().filter(|it| it.holds);
    let condition = condition.map(|it| format!(" {}", it.words())).unwrap_or_default();
    let message = format!("set {quantity} one of {}{condition}", names.join(" and "));
    fail(path.member(first.name), code, message)
}

fn check_field(field: &RequestMember, value: &Json, path: Path<'_>) -> Result<Json, Error> {
    match &field.shape {
        RequestShape::Text => {
            let is_right = |text: &str| !must_not_be_blank(field) || !is_blank(text);
            check_text(value, path, is_right, ErrorCode::BLANK, "must not be blank")?;
        }
        RequestShape::Amount => return check_amount_value(value, path, field.presence),
        RequestShape::Integer => {
            if !value.as_number_text().is_some_and(is_integer) {
                return fail(
                    path,
                    ErrorCode::WRONG_TYPE,
                    "must be a whole number without a fraction or an exponent",
                );
            }
        }
        RequestShape::LowerCountry => {
            let message = "must be two lower-case letters, for example \"br\"";
            let is_right = |text: &str| text.len() == 2 && all_bytes(text, u8::is_ascii_lowercase);
            check_text(value, path, is_right, ErrorCode::COUNTRY_CODE, message)?;
        }
        RequestShape::UpperCountry => {
            let message = "must be two upper-case letters, for example \"BR\"";
            let is_right = |text: &str| text.len() == 2 && all_bytes(text, u8::is_ascii_uppercase);
            check_text(value, path, is_right, ErrorCode::COUNTRY_CODE, message)?;
        }
        RequestShape::Currency => {
            let is_right = |text: &str| text.len() == 3 && all_bytes(text, u8::is_ascii_alphabetic);
            let code = ErrorCode::CURRENCY_CODE;
            check_text(value, path, is_right, code, code.message())?;
        }
        RequestShape::Open => {
            expect_object(value, path)?;
            check_tree(value, path, path_depth(path))?;
        }
        // `send` checks its head where it reads the values.
        RequestShape::Parameters => {}
        RequestShape::Object(object) => return check_object(object, value, path),
        RequestShape::Objects(object) => {
            let checked = expect_array(value, path)?.iter().enumerate();
            return checked
                .map(|(index, element)| check_object(object, element, path.element(index)))
                .collect::<Result<Vec<_>, _>>()
                .map(Json::Array);
        }
        RequestShape::TextsOrObjects(object) => return check_texts_or_objects(object, value, path),
    }
    Ok(value.clone())
}

fn check_text(
    value: &Json,
    path: Path<'_>,
    is_right: impl Fn(&str) -> bool,
    code: ErrorCode,
    message: &'static str,
) -> Result<(), Error> {
    if is_right(expect_text(value, path)?) { Ok(()) } else { fail(path, code, message) }
}

fn all_bytes(text: &str, are: fn(&u8) -> bool) -> bool {
    text.as_bytes().iter().all(are)
}

fn check_object(
    object: &'static RequestObject,
    value: &Json,
    path: Path<'_>,
) -> Result<Json, Error> {
    check_members(object, expect_object(value, path)?, path).map(Json::Object)
}

fn check_texts_or_objects(
    object: &'static RequestObject,
    value: &Json,
    path: Path<'_>,
) -> Result<Json, Error> {
    let elements = expect_array(value, path)?;
    if elements.is_empty() {
        return Err(Error::invalid(path.to_string(), ErrorCode::EMPTY_LIST));
    }
    let mut checked = Vec::with_capacity(elements.len());
    for (index, element) in elements.iter().enumerate() {
        let path = path.element(index);
        checked.push(match element {
            Json::Object(members) => Json::Object(check_members(object, members, path)?),
            Json::String(text) if is_blank(text) => {
                return fail(path, ErrorCode::BLANK, "must not be blank");
            }
            Json::String(_) => element.clone(),
            other => {
                return wrong_type(other, path, "a string or an object");
            }
        });
    }
    Ok(Json::Array(checked))
}

fn check_amount_value(value: &Json, path: Path<'_>, presence: Presence) -> Result<Json, Error> {
    let Some(text) = value.as_text_or_number() else {
        let kind = value.kind_name();
        // The only amount that may be left out is that of a refund.
        let may_lack = value.is_null() && presence == Presence::Optional;
        let advice = if may_lack { "; omit it only to refund the whole payment" } else { "" };
        let message = format!("must be a number or a string that contains one, not {kind}{advice}");
        return fail(path, ErrorCode::WRONG_TYPE, message);
    };
    match check_amount(text) {
        Ok(()) => Ok(Json::Number(text.to_owned())),
        Err(error) => fail(path, error.code(), error.message()),
    }
}

fn expect_text<'j>(value: &'j Json, path: Path<'_>) -> Result<&'j str, Error> {
    value.as_str().map_or_else(|| wrong_type(value, path, "a string"), Ok)
}

fn expect_object<'j>(value: &'j Json, path: Path<'_>) -> Result<&'j Members, Error> {
    value.as_object().map_or_else(|| wrong_type(value, path, "an object"), Ok)
}

fn expect_array<'j>(value: &'j Json, path: Path<'_>) -> Result<&'j [Json], Error> {
    value.as_array().map_or_else(|| wrong_type(value, path, "an array"), Ok)
}

fn wrong_type<T>(value: &Json, path: Path<'_>, expected: &str) -> Result<T, Error> {
    let message = format!("must be {expected}, not {}", value.kind_name());
    fail(path, ErrorCode::WRONG_TYPE, message)
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
}

/// Checks members that are in no table: valid JSON numbers, no duplicate
/// members, at most [`MAX_DEPTH`] levels.
fn check_tree(value: &Json, path: Path<'_>, depth: usize) -> Result<(), Error> {
    if depth >= MAX_DEPTH && matches!(value, Json::Array(_) | Json::Object(_)) {
        return fail(path, ErrorCode::JSON_TOO_DEEP, "is nested more than 128 levels deep");
    }
    match value {
        Json::Number(text) if !is_integer(text) && Json::number(text).is_none() => {
            fail(path, ErrorCode::WRONG_TYPE, "is not a valid JSON number")
        }
        Json::Array(elements) => elements
            .iter()
            .enumerate()
            .try_for_each(|(index, element)| check_tree(element, path.element(index), depth + 1)),
        Json::Object(members) => {
            refuse_duplicate(members, path)?;
            let mut members = members.iter();
            members.try_for_each(|(name, value)| check_tree(value, path.member(name), depth + 1))
        }
        _ => Ok(()),
    }
}

fn path_depth(path: Path<'_>) -> usize {
    match path {
        Path::Root => 0,
        Path::Member(parent, _) | Path::Element(parent, _) => 1 + path_depth(*parent),
    }
}

fn fail<T>(path: Path<'_>, code: ErrorCode, message: impl Into<String>) -> Result<T, Error> {
    Err(Error::validation(path.to_string(), code, message))
}
