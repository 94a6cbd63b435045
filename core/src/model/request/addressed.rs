//! The operation that a `send` executes: the one with the same method and path.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::check::check_reference;
use super::typed::generated::as_described;
use super::{Draft, DraftBody, value_at};
use crate::model::error::{Error, ErrorCode};
use crate::model::json::{Json, Members};
use crate::model::operation::Operation;
use crate::model::rules::Rules;

/// The operation that moves money with this method and path, or else `send`.
pub(super) fn operation_at(method: &str, path: &str) -> Operation {
    let is_addressed = |operation: &Operation| {
        *operation != Operation::Send
            && operation.moves_money()
            && operation.method() == method
            && as_routed(operation.path()) == as_routed(path)
    };
    Operation::ALL.into_iter().find(is_addressed).unwrap_or(Operation::Send)
}

impl Draft {
    /// The members of the body. `None` for bytes that are not a JSON object,
    /// and for a `send` that executes no other operation.
    pub(crate) fn members(&self) -> Option<Cow<'_, Members>> {
        match &self.body {
            DraftBody::Members(members) => Some(Cow::Borrowed(members)),
            _ if self.executes == Operation::Send => None,
            body => read_object(body).ok().map(Cow::Owned),
        }
    }

    /// The reference under which the journal records the request: for a `send`
    /// that executes another operation, the one that the service reads in its
    /// body.
    ///
    /// # Errors
    /// `validation` if the caller names another one: one of the two would then
    /// be free for a second payment. Also if the body cannot be read and the
    /// caller names none: the service may read a body that is refused here.
    pub(crate) fn reference_of_record(&self, rules: &Rules) -> Result<Option<String>, Error> {
        let operation = self.executes;
        if operation == self.operation {
            return Ok(self.reference.clone());
        }
        let reference = self.reference_in_body(rules)?;
        check_reference(reference.as_deref().unwrap_or_default(), "body")
            .map_err(|error| error.with_operation(self.operation, reference.as_deref()))?;
        Ok(reference)
    }

    /// The reference that the service reads in the body of a `send`.
    fn reference_in_body(&self, rules: &Rules) -> Result<Option<String>, Error> {
        let operation = self.executes;
        let members = match (read_object(&self.body), &self.reference) {
            (Ok(members), _) => members,
            (Err(_), Some(named)) => return Ok(Some(named.clone())),
            (Err((code, problem)), None) => {
                let message = format!(
                    "{problem}, so the journal cannot find the reference of this {} in it; send a \
                     JSON object, or give `reference`",
                    operation.name()
                );
                let error = Error::validation("body", code, message);
                return Err(error.with_operation(self.operation, None));
            }
        };
        let members = as_described(operation, &members, rules)?;
        let pointers = operation.definition().reference.iter();
        let sent =
            pointers.filter_map(|it| value_at(&members, it)).find_map(Json::as_text_or_number);
        match (sent, &self.reference) {
            (Some(sent), Some(named)) if sent != named => {
                let message = format!(
                    "differs from the reference in the body, under which the journal records {}; \
                     give that one, or leave `reference` out",
                    operation.name()
                );
                Err(Error::validation("reference", ErrorCode::CONFLICTING_MEMBERS, message)
                    .with_operation(self.operation, Some(named)))
            }
            (sent, named) => Ok(sent.map(str::to_owned).or_else(|| named.clone())),
        }
    }
}

/// The members of a body that is a JSON object.
///
/// # Errors
/// The actual kind of body.
fn read_object(body: &DraftBody) -> Result<Members, (ErrorCode, String)> {
    match body {
        DraftBody::Members(members) => Ok(members.clone()),
        DraftBody::Bytes { bytes, .. } => match Json::parse(bytes) {
            Ok(Json::Object(members)) => Ok(members),
            Ok(_) => Err((ErrorCode::WRONG_TYPE, "is not a JSON object".to_owned())),
            Err(error) => Err((error.kind().code(), error.to_string())),
        },
        DraftBody::Empty => Err((ErrorCode::JSON_INVALID, "is empty".to_owned())),
    }
}

/// A path as a lenient server may read it: without escapes, parameters of its
/// segments and a slash at its end, in lower case.
fn as_routed(path: &str) -> String {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    let segments = decoded.split('/').map(|it| it.split(';').next().unwrap_or_default());
    segments.collect::<Vec<_>>().join("/").trim_end_matches('/').to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::request::{RawRequest, Request as _};

    fn draft(method: &str, path: &str, body: &str, reference: Option<&str>) -> Draft {
        let request = RawRequest::new(method, path).body(body);
        let request = match reference {
            Some(reference) => request.reference(reference),
            None => request,
        };
        request.draft(&Rules::default()).unwrap()
    }

    #[test]
    fn a_path_is_an_operation_however_it_is_spelled() {
        let executes = |method, path| draft(method, path, "", None).executes;
        for path in [
            "/ws/payout/create",
            "/ws/payout/create/",
            "/ws/payout/%63reate",
            "/WS/Payout/create",
            "/ws/payout;a=b/create;c",
        ] {
            assert_eq!(executes("post", path), Operation::CreatePayout, "{path}");
        }
        assert_eq!(executes("POST", "/ws/direct"), Operation::CreatePayment);
        assert_eq!(executes("POST", "/ws/refund"), Operation::RefundPayment);
        for (method, path) in [
            ("PUT", "/ws/direct"),
            ("GET", "/ws/query"),
            ("POST", "/ws/tracking"),
            ("POST", "/ws/payout"),
            ("POST", "/ws/payout/create/2"),
            ("POST", "/ws/transfer"),
        ] {
            assert_eq!(executes(method, path), Operation::Send, "{method} {path}");
        }
    }

    #[test]
    fn the_reference_is_the_one_that_the_service_reads() {
        let of = |path, body, reference| {
            let found = draft("POST", path, body, reference).reference_of_record(&Rules::default());
            found.map_err(|error| error.code())
        };
        let some = |text: &str| Ok(Some(text.to_owned()));
        let payout = r#"{"external_reference":"p-1"}"#;
        assert_eq!(of("/ws/payout/create", payout, None), some("p-1"));
        assert_eq!(of("/ws/payout/create", payout, Some("p-1")), some("p-1"));
        assert_eq!(
            of("/ws/payout/create", payout, Some("p-2")),
            Err(ErrorCode::CONFLICTING_MEMBERS)
        );
        assert_eq!(of("/ws/payout/create", r#"{"external_reference":7}"#, None), some("7"));
        let payment = r#"{"payment":{"merchant_payment_code":"o-1"}}"#;
        assert_eq!(of("/ws/direct", payment, None), some("o-1"));
        assert_eq!(of("/ws/refund", r#"{"hash":"5a"}"#, None), some("5a"));
        for (unread, alone) in [
            ("{}", Ok(None)),
            ("", Err(ErrorCode::JSON_INVALID)),
            ("[]", Err(ErrorCode::WRONG_TYPE)),
            ("a=b", Err(ErrorCode::JSON_INVALID)),
            ("\u{feff}{}", Err(ErrorCode::JSON_INVALID)),
            (r#"{"a":1,"a":1}"#, Err(ErrorCode::JSON_INVALID)),
        ] {
            assert_eq!(of("/ws/direct", unread, Some("own-1")), some("own-1"), "{unread}");
            assert_eq!(of("/ws/direct", unread, None), alone, "{unread}");
            assert_eq!(of("/ws/transfer", unread, None), Ok(None), "{unread}");
        }
        assert_eq!(of("/ws/transfer", payout, Some("own-1")), some("own-1"));
        assert_eq!(of("/ws/transfer", payout, None), Ok(None));
    }

    #[test]
    fn the_hash_of_a_refund_has_its_configured_name() {
        let rules = Rules { refund_hash_member: "payment_hash".to_owned(), ..Rules::default() };
        let sent = draft("POST", "/ws/refund", r#"{"payment_hash":"5a"}"#, None);
        assert_eq!(sent.reference_of_record(&rules).unwrap().as_deref(), Some("5a"));
    }
}
