//! All members that a request lacks, for the error that names the first of them.

use super::check::{counts_as_left_out, counts_as_missing};
use super::unknown::refuse;
use crate::base::spelling::nearest;
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
    let mut missing = Missing { first, others: Vec::new(), slip: None };
    missing.collect(object, members, Path::Root);
    let mut message = error.message().to_owned();
    if let Some(slip) = &missing.slip {
        message.push_str(&format!("; did you write {slip} for it?"));
    }
    if !missing.others.is_empty() {
        message.push_str(&format!("; also missing: {}", missing.others.join(", ")));
    } else if members.is_empty() && missing.first_is_only_one_of(object) {
        message.push_str(", and the only member that is");
    }
    error.with_message(message)
}

struct Missing<'a> {
    /// The path of the member that the error names.
    first: &'a str,
    others: Vec<String>,
    slip: Option<String>,
}

impl Missing<'_> {
    fn collect(&mut self, object: &'static RequestObject, members: &Members, path: Path<'_>) {
        let country = members.get("country").and_then(Json::as_str);
        for field in object.fields {
            let place = path.member(field.name);
            match members.get(field.name).filter(|value| !counts_as_left_out(field, value)) {
                Some(Json::Object(inner)) => {
                    if let Some(object) = field.shape.object() {
                        self.collect(object, inner, place);
                    }
                }
                Some(value) if !counts_as_missing(field, value) => {}
                _ if !is_needed(field, country) => {}
                _ if place.to_string() == self.first => {
                    // A flat request has the members of the missing object.
                    let inner = field.shape.object();
                    let is_known =
                        |name: &str| object.has(name) || inner.is_some_and(|it| it.has(name));
                    let unknown = members.iter().map(|(name, _)| name).filter(|it| !is_known(it));
                    self.slip = nearest(field.name, unknown).map(|it| path.member(it).to_string());
                }
                _ => match field.shape {
                    RequestShape::Object(object) if needed(object).next().is_some() => {
                        self.collect(object, &Members::new(), place);
                    }
                    _ => self.others.push(place.to_string()),
                },
            }
        }
    }

    /// Whether `object` requires nothing else, and no object.
    fn first_is_only_one_of(&self, object: &RequestObject) -> bool {
        let mut needed = needed(object);
        let is_first =
            |field: &RequestMember| field.name == self.first && field.shape.object().is_none();
        needed.next().is_some_and(is_first) && needed.next().is_none()
    }
}

/// The members that every request requires.
fn needed(object: &RequestObject) -> impl Iterator<Item = &RequestMember> {
    object.fields.iter().filter(|field| is_needed(field, None))
}

fn is_needed(field: &RequestMember, country: Option<&str>) -> bool {
    match field.presence {
        Presence::Required => true,
        Presence::RequiredForCountry(of) => country == Some(of),
        _ => false,
    }
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
        assert!(message.ends_with("currency_code, target, target_account"), "{message}");
        let (path, message) = refused(Operation::CreatePayout, "{}");
        assert_eq!(path, "external_reference");
        assert!(message.contains(", target_account, payee.name"), "{message}");
    }

    #[test]
    fn what_is_required_is_said_of_an_empty_request() {
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
        assert_eq!((&*path, &*message), ("hash", "required, and the only member that is"));
        let (_, message) = refused(Operation::RefundPayment, r#"{"amount":"1"}"#);
        assert_eq!(message, "required");
    }

    #[test]
    fn a_known_member_is_not_taken_for_the_missing_one() {
        let request = r#"{"external_reference":"a","country":"br","amount":1,"payee":{"name":"A"},
            "currency_code":"BRL","target_account":"1"}"#;
        let (path, message) = refused(Operation::CreatePayout, request);
        assert_eq!((&*path, message.contains("did you")), ("target", false), "{message}");
    }

    #[test]
    fn a_misspelled_member_is_shown_beside_the_missing_one() {
        let request = r#"{"payment":{"nmae":"A"}}"#;
        let (path, message) = refused(Operation::CreatePayment, request);
        assert_eq!(path, "payment.name");
        assert!(
            message.starts_with("required; did you write payment.nmae for it?; also missing: "),
            "{message}"
        );
    }

    #[test]
    fn a_member_that_belongs_inside_is_told_so_wherever_it_stands() {
        let [before, after] = [r#""email":"a","payment":{}"#, r#""payment":{},"email":"a""#]
            .map(|members| refused(Operation::CreatePayment, &format!("{{{members}}}")));
        assert_eq!(before, after);
        assert!(after.0 == "email" && after.1.starts_with("belongs inside `payment`"), "{after:?}");
    }
}
