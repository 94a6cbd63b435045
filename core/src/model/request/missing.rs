//! All members that a request lacks, for the error that names the first of them.

use payments_base::spelling::nearest;

use super::unknown::refuse;
use crate::model::error::{Error, ErrorCode};
use crate::model::json::path::Path;
use crate::model::json::{Json, Members};
use crate::model::operation::{Presence, RequestMember, RequestObject, RequestShape};

/// The error with all that is missing, if its member is; and with the unknown
/// member that may be meant as the missing one. An unknown member of the request
/// that is refused, wherever it stands, is the better error.
pub(super) fn with_all(error: Error, object: &'static RequestObject, members: &Members) -> Error {
    let Some(first) = error.path().filter(|_| error.code() == ErrorCode::REQUIRED) else {
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
    let mut alternatives = alternatives(object, choice, members);
    let is_first = alternatives.next().is_some_and(|first| first.name == field.name);
    is_first && !alternatives.any(|other| is_given(other, members))
}

fn is_given(field: &RequestMember, members: &Members) -> bool {
    let value = members.get(field.name).filter(|value| !counts_as_left_out(field, value));
    value.is_some_and(|value| !counts_as_missing(field, value))
}

fn alternatives<'a>(
    object: &'a RequestObject,
    choice: Presence,
    members: &'a Members,
) -> impl Iterator<Item = &'a RequestMember> {
    object.fields.iter().filter(move |it| it.presence_in(members) == choice)
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
            let names = alternatives(object, choice, members);
            let places: Vec<_> = names.map(|it| path.member(it.name).to_string()).collect();
            places.join(" or ")
        }
    }
}

/// A `null` leaves a member out, except for amounts: a refund whose amount got
/// lost would refund everything.
pub(super) fn counts_as_left_out(field: &RequestMember, value: &Json) -> bool {
    value.is_null() && !matches!(field.shape, RequestShape::Amount)
}

/// A blank text counts as missing if a condition decides whether the member is
/// required: where it is not, blank is not an error.
pub(super) fn counts_as_missing(field: &RequestMember, value: &Json) -> bool {
    !must_not_be_blank(field) && field.condition.is_some() && value.as_str().is_some_and(is_blank)
}

pub(super) fn must_not_be_blank(field: &RequestMember) -> bool {
    match field.presence {
        Presence::Required | Presence::AtLeastOne => field.condition.is_none(),
        Presence::OneOf => true,
        Presence::Optional => false,
    }
}

pub(super) fn is_blank(text: &str) -> bool {
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
    fn all_that_is_missing_is_named_at_once() {
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
