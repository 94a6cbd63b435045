//! Checks the members of a request against the tables of its operation.
//!
//! The result is a new tree with the members in the order given. Amounts given
//! as text become numbers, and known members that are `null` are left out. The
//! members of `extra` follow, unchanged.

use payments_base::invisible::is_invisible;
use payments_base::spelling::nearest;

use super::unknown::{refuse, required_object};
use crate::model::amount::check_amount;
use crate::model::error::{Error, ErrorCode, Message, Reason};
use crate::model::json::path::Path;
use crate::model::json::{Json, MAX_DEPTH, Members};
use crate::model::operation::{
    EXTRA, INTEGRATION_KEY, Operation, Presence, RequestMember, RequestObject, RequestShape,
};

/// The members to send.
///
/// # Errors
/// `validation` with the path of the first member that breaks a rule.
pub(super) fn checked_request(operation: Operation, members: &Members) -> Result<Members, Error> {
    match operation.request() {
        Some(object) => check_members(object, members, Path::Root)
            .map_err(|error| with_all(error, object, members)),
        None => Ok(members.clone()),
    }
}

/// Refuses a reference that looks like another one.
///
/// # Errors
/// `validation`.
pub(super) fn check_reference(reference: &str, path: &str) -> Result<(), Error> {
    if reference.trim() != reference {
        let message = "has white space at its beginning or end, so it is another reference than \
                       without it; remove the white space";
        return Err(Error::validation(path, ErrorCode::VALUE_INVALID, message));
    }
    let is_unseen = |it: &char| it.is_control() || is_invisible(*it);
    let Some(unseen) = reference.chars().find(is_unseen).map(u32::from) else { return Ok(()) };
    let message = format!(
        "contains a character that nobody sees (U+{unseen:04X}), so it looks like another \
         reference; remove it"
    );
    Err(Error::validation(path, ErrorCode::VALUE_INVALID, message))
}

fn check_members(
    object: &'static RequestObject,
    members: &Members,
    path: Path<'_>,
) -> Result<Members, Error> {
    refuse_duplicate(members, path)?;
    let mut checked = Members::with_capacity(members.len() + 1);
    for (name, value) in members.iter() {
        let path = path.member(name);
        match object.fields.iter().find(|field| field.name == name) {
            Some(field) if counts_as_left_out(field, value) => {}
            Some(field) => checked.push(name, check_field(field, value, path)?),
            None if name == EXTRA => {}
            None if object.holds_key && name == INTEGRATION_KEY.name => {
                if !value.is_null() {
                    checked.push(name, check_field(&INTEGRATION_KEY, value, path)?);
                }
            }
            None => {
                refuse(object, members, name, path)?;
                checked.push(name, value.clone());
            }
        }
    }
    let mut required = with_presence(Presence::Required, object, members);
    if let Some(field) = required.find(|field| !is_given(field, members)) {
        return Err(missing_member(field, path));
    }
    for choice in [Presence::OneOf, Presence::AtLeastOne] {
        check_choice(choice, object, members, path)?;
    }
    if let Some(extra) = members.get(EXTRA) {
        append_extra(object, &mut checked, extra, path)?;
    }
    Ok(checked)
}

fn refuse_duplicate(members: &Members, path: Path<'_>) -> Result<(), Error> {
    let refused =
        |name| Err(Error::invalid(path.member(name).to_string(), Message::DUPLICATE_MEMBER));
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
                ErrorCode::CONFLICTING_MEMBERS,
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
        (RequestShape::Object(object), None) => required_object(field, object),
        (_, Some(condition)) => format!("required {}", condition.words()),
        (_, None) => "required".to_owned(),
    };
    Error::validation(path.member(field.name).to_string(), ErrorCode::REQUIRED, message)
        .because(Reason::Required)
}

/// Checks how many members are given of a choice that needs exactly one, or at
/// least one.
fn check_choice(
    choice: Presence,
    object: &RequestObject,
    members: &Members,
    path: Path<'_>,
) -> Result<(), Error> {
    let alternatives: Vec<_> = with_presence(choice, object, members).collect();
    let Some(first) = alternatives.first() else {
        return Ok(());
    };
    let count = alternatives.iter().filter(|field| is_given(field, members)).count();
    let (code, reason, quantity) = match (count, choice) {
        (0, Presence::AtLeastOne) => (ErrorCode::REQUIRED, Some(Reason::Required), "at least"),
        (0, _) => (ErrorCode::REQUIRED, Some(Reason::Required), "exactly"),
        (2.., Presence::OneOf) => (ErrorCode::CONFLICTING_MEMBERS, None, "exactly"),
        _ => return Ok(()),
    };
    let names: Vec<_> = alternatives.iter().map(|field| format!("`{}`", field.name)).collect();
    let condition = first.condition.as_ref().filter(|it| it.holds);
    let condition = condition.map(|it| format!(" {}", it.words())).unwrap_or_default();
    let message = format!("set {quantity} one of {}{condition}", names.join(" and "));
    fail(path.member(first.name), code, message).map_err(|error| error.with_reason(reason))
}

fn check_field(field: &RequestMember, value: &Json, path: Path<'_>) -> Result<Json, Error> {
    match &field.shape {
        RequestShape::Text => {
            let is_right = |text: &str| !must_not_be_blank(field) || !is_blank(text);
            check_text(value, path, is_right, ErrorCode::VALUE_INVALID, "must not be blank")?;
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
            check_text(value, path, is_right, ErrorCode::VALUE_INVALID, message)?;
        }
        RequestShape::UpperCountry => {
            let message = "must be two upper-case letters, for example \"BR\"";
            let is_right = |text: &str| text.len() == 2 && all_bytes(text, u8::is_ascii_uppercase);
            check_text(value, path, is_right, ErrorCode::VALUE_INVALID, message)?;
        }
        RequestShape::Currency => {
            let is_right = |text: &str| text.len() == 3 && all_bytes(text, u8::is_ascii_alphabetic);
            let Message { code, text } = Message::CURRENCY_CODE;
            check_text(value, path, is_right, code, text)?;
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
        return Err(Error::invalid(path.to_string(), Message::EMPTY_LIST));
    }
    let mut checked = Vec::with_capacity(elements.len());
    for (index, element) in elements.iter().enumerate() {
        let path = path.element(index);
        checked.push(match element {
            Json::Object(members) => Json::Object(check_members(object, members, path)?),
            Json::String(text) if is_blank(text) => {
                return fail(path, ErrorCode::VALUE_INVALID, "must not be blank");
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
        Err(error) => Err(Error::from(error).with_path(path.to_string())),
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
        return fail(path, ErrorCode::JSON_TOO_LARGE, "is nested more than 128 levels deep");
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

/// Adds all other missing members to an error about one, and the unknown member
/// that was probably meant. A refused unknown member, anywhere in the request,
/// is the better error.
fn with_all(error: Error, object: &'static RequestObject, members: &Members) -> Error {
    let Some(first) = error.path().filter(|_| error.reason() == Some(Reason::Required)) else {
        return error;
    };
    let mut unknown = members.iter().map(|(name, _)| name).filter(|name| !object.has(name));
    let refused =
        unknown.find_map(|name| refuse(object, members, name, Path::Root.member(name)).err());
    if let Some(refused) = refused {
        return refused;
    }
    let mut missing = MissingMembers { first, others: Vec::new(), slip: None };
    missing.collect(object, members, Path::Root);
    let mut message = error.message().to_owned();
    if let Some(slip) = &missing.slip {
        message.push_str(&format!("; did you write {slip} for it?"));
    }
    if !missing.others.is_empty() {
        message.push_str(&format!("; also missing: {}", missing.others.join(", ")));
    }
    error.with_message(message)
}

struct MissingMembers<'a> {
    /// The path of the member that the error names.
    first: &'a str,
    others: Vec<String>,
    slip: Option<String>,
}

impl MissingMembers<'_> {
    fn collect(&mut self, object: &'static RequestObject, members: &Members, path: Path<'_>) {
        for field in object.fields {
            let place = path.member(field.name);
            match members.get(field.name).filter(|value| !counts_as_left_out(field, value)) {
                Some(Json::Object(inner)) => {
                    if let Some(object) = field.shape.object() {
                        self.collect(object, inner, place);
                    }
                }
                Some(value) if !counts_as_missing(field, value) => {}
                _ if !is_needed(object, field, members) => {}
                _ if place.to_string() == self.first => {
                    // A flat request has the members of the missing object.
                    let inner = field.shape.object();
                    let is_known =
                        |name: &str| object.has(name) || inner.is_some_and(|it| it.has(name));
                    let unknown = members.iter().map(|(name, _)| name).filter(|it| !is_known(it));
                    self.slip = nearest(field.name, unknown).map(|it| path.member(it).to_string());
                }
                _ => match field.shape {
                    RequestShape::Object(object) if field.is_required() => {
                        self.collect(object, &Members::new(), place);
                    }
                    _ => self.others.push(in_words(object, field, members, path)),
                },
            }
        }
    }
}

/// Whether the member is required, or is the first of a choice without a given
/// member.
fn is_needed(object: &RequestObject, field: &RequestMember, members: &Members) -> bool {
    let choice = match field.presence_in(members) {
        Presence::Required => return true,
        Presence::Optional => return false,
        choice => choice,
    };
    let mut alternatives = with_presence(choice, object, members);
    let is_first = alternatives.next().is_some_and(|first| first.name == field.name);
    is_first && !alternatives.any(|other| is_given(other, members))
}

/// Whether `members` has it, and not as a blank text where that counts as missing.
fn is_given(field: &RequestMember, members: &Members) -> bool {
    let value = members.get(field.name).filter(|value| !counts_as_left_out(field, value));
    value.is_some_and(|value| !counts_as_missing(field, value))
}

/// The members of `object` that are required, or belong to a choice, as
/// `presence` says.
fn with_presence<'a>(
    presence: Presence,
    object: &'a RequestObject,
    members: &'a Members,
) -> impl Iterator<Item = &'a RequestMember> {
    object.fields.iter().filter(move |it| it.presence_in(members) == presence)
}

/// The path of a missing member, or the paths of those that one may choose from.
fn in_words(
    object: &RequestObject,
    field: &RequestMember,
    members: &Members,
    path: Path<'_>,
) -> String {
    match field.presence_in(members) {
        Presence::Required | Presence::Optional => path.member(field.name).to_string(),
        choice => {
            let names = with_presence(choice, object, members);
            let places: Vec<_> = names.map(|it| path.member(it.name).to_string()).collect();
            places.join(" or ")
        }
    }
}

/// A `null` leaves a member out, except for amounts: a refund whose amount got
/// lost would refund everything.
fn counts_as_left_out(field: &RequestMember, value: &Json) -> bool {
    value.is_null() && !matches!(field.shape, RequestShape::Amount)
}

/// A blank text counts as missing if a condition decides whether the member is
/// required: where it is not, blank is not an error.
fn counts_as_missing(field: &RequestMember, value: &Json) -> bool {
    !must_not_be_blank(field) && field.condition.is_some() && value.as_str().is_some_and(is_blank)
}

fn must_not_be_blank(field: &RequestMember) -> bool {
    match field.presence {
        Presence::Required | Presence::AtLeastOne => field.condition.is_none(),
        Presence::OneOf => true,
        Presence::Optional => false,
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use crate::model::json::Json;
    use crate::model::operation::Operation;
    use crate::model::request::check::checked_request;

    fn refused(operation: Operation, request: &str) -> (String, String) {
        let request = Json::parse(request.as_bytes()).unwrap();
        let error = checked_request(operation, request.as_object().unwrap()).unwrap_err();
        (error.path().unwrap().to_owned(), error.message().to_owned())
    }

    #[test]
    fn all_missing_members_are_named_at_once() {
        let request = r#"{"payment":{"name":"A","country":"br","amount_total":1}}"#;
        let (path, message) = refused(Operation::CreatePayment, request);
        assert_eq!(path, "payment.email");
        assert_eq!(
            message,
            "required; also missing: payment.payment_type_code, payment.merchant_payment_code, \
             payment.currency_code, payment.document"
        );
        let request = r#"{"payment":{"name":"A","country":"br","document":" "}}"#;
        let (_, message) = refused(Operation::CreatePayment, request);
        assert!(message.ends_with(", payment.document"), "{message}");
        let request = r#"{"external_reference":"a","country":"br","amount":1,"payee":{}}"#;
        let (path, message) = refused(Operation::CreatePayout, request);
        assert_eq!(path, "payee.name");
        let expected = "set at least one of `name` and `document`; also missing: currency_code";
        assert_eq!(message, expected);
        let (path, message) = refused(Operation::CreatePayout, r#"{"target":"pix_key"}"#);
        assert_eq!(path, "external_reference");
        assert_eq!(
            message,
            "required; also missing: country, amount, currency_code, target_account, payee or \
             payee_uuid"
        );
    }

    #[test]
    fn an_empty_request_lists_the_required_members() {
        let (path, message) = refused(Operation::CreatePayment, "{}");
        assert_eq!(path, "payment");
        assert_eq!(
            message,
            "required: the object `payment`, with at least `name`, `email`, `country`, \
             `payment_type_code`, `merchant_payment_code`, `currency_code`, `amount_total` inside \
             it"
        );
        let flat = r#"{"name":"A","payment_type_code":"pix"}"#;
        assert_eq!(refused(Operation::CreatePayment, flat), (path, message));
        let (path, message) = refused(Operation::RefundPayment, "{}");
        let expected = "set exactly one of `hash` and `merchant_payment_code`";
        assert_eq!((&*path, &*message), ("hash", expected));
        let (_, message) = refused(Operation::RefundPayment, r#"{"operation":"cancel"}"#);
        let expected = "set at least one of `merchant_refund_code` and `refund_id` for operation \
                        \"cancel\"";
        assert_eq!(message, expected);
    }

    #[test]
    fn a_known_member_is_not_taken_for_the_missing_one() {
        let request = r#"{"external_reference":"a","country":"br","amount":1,"payee":{"name":"A"},
            "currency_code":"BRL","target":"pix_key"}"#;
        let (path, message) = refused(Operation::CreatePayout, request);
        let expected = "required for target \"pix_key\"";
        assert_eq!((&*path, &*message), ("target_account", expected));
    }

    #[test]
    fn a_misspelled_member_is_shown_with_the_missing_one() {
        let request = r#"{"payment":{"nmae":"A"}}"#;
        let (path, message) = refused(Operation::CreatePayment, request);
        assert_eq!(path, "payment.name");
        assert!(
            message.starts_with("required; did you write payment.nmae for it?; also missing: "),
            "{message}"
        );
    }

    #[test]
    fn a_member_that_belongs_inside_is_named_anywhere() {
        let [before, after] = [r#""email":"a","payment":{}"#, r#""payment":{},"email":"a""#]
            .map(|members| refused(Operation::CreatePayment, &format!("{{{members}}}")));
        assert_eq!(before, after);
        assert!(after.0 == "email" && after.1.starts_with("belongs inside `payment`"), "{after:?}");
    }
}
