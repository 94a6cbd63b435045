//! `send`: any method and path under the base URL.

use payments_base::debug_shows;

use super::addressed::operation_at;
use super::check::check_reference;
use super::typed::parse_members;
use super::unknown::unknown_member;
use super::{Draft, DraftBody, RawResponse, Request, sealed};
use crate::model::card_guard;
use crate::model::error::{Error, ErrorCode, Message};
use crate::model::json::path::Path;
use crate::model::json::{Json, ParseOptions};
use crate::model::operation::Operation;
use crate::model::rules::Rules;

/// Your own bytes for a path under the base URL, signed and sent unchanged. Use
/// it for transfers, and for anything else that the interface mentions but does
/// not specify. No integration key is added.
///
/// A JSON body is searched for raw card numbers unless `card_guard` is off.
///
/// ```
/// use payments_core::RawRequest;
///
/// let request = RawRequest::new("POST", "/ws/transfers")
///     .body(br#"{"amount":10.00}"#)
///     .reference("transfer-7");
/// ```
#[derive(Clone)]
pub struct RawRequest {
    method: String,
    path: String,
    query: Vec<(String, String)>,
    body: Vec<u8>,
    content_type: Option<String>,
    reference: Option<String>,
}

impl RawRequest {
    /// A request without query and body. The method consists of letters and is
    /// sent in upper case. The path begins with `/` and is percent-encoded
    /// where needed. It has no query, no `.` or `..`, and no empty segment
    /// except the last.
    pub fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            query: Vec::new(),
            body: Vec::new(),
            content_type: None,
            reference: None,
        }
    }

    /// A request from a head as JSON text: an object with `method` and `path`,
    /// and optionally `query` (an object of texts, or an array of pairs for
    /// repeated names), `content_type` and `reference`.
    ///
    /// # Errors
    /// `validation`, which names the member.
    pub fn from_json(head: &[u8], body: &[u8]) -> Result<Self, Error> {
        Self::read(head, body).map_err(|error| error.with_operation(Operation::Send, None))
    }

    fn read(head: &[u8], body: &[u8]) -> Result<Self, Error> {
        let mut request = Self::new("", "").body(body);
        for (name, value) in parse_members(Operation::Send, head)?.iter() {
            let text = || {
                let wrong = || Error::validation(name, ErrorCode::WRONG_TYPE, "must be a string");
                value.as_str().ok_or_else(wrong)
            };
            if let Some(object) = Operation::Send.request()
                && !object.has(name)
            {
                return Err(unknown_member(object, name, Path::Root.member(name)));
            }
            match name {
                _ if value.is_null() => {}
                "method" => request.method = text()?.to_ascii_uppercase(),
                "path" => request.path = text()?.to_owned(),
                "content_type" => request.content_type = Some(text()?.to_owned()),
                "reference" => request.reference = Some(text()?.to_owned()),
                _ => request.query = query_of(value)?,
            }
        }
        Ok(request)
    }

    /// Adds a query parameter. Name and value are percent-encoded for you.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the bytes of the body. A HEAD request has none.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets the content type. The default for requests with a body is
    /// `application/json`.
    #[must_use]
    pub fn content_type(mut self, content_type: &str) -> Self {
        self.content_type = Some(content_type.to_owned());
        self
    }

    /// Sets the merchant's own reference for errors and the journal. It is not
    /// sent. At the method and path of a payment, payout or refund, the journal
    /// takes the reference in the body, and refuses another one here.
    #[must_use]
    pub fn reference(mut self, reference: &str) -> Self {
        self.reference = Some(reference.to_owned());
        self
    }

    fn check(&self, rules: &Rules) -> Result<(), Error> {
        check_method(&self.method)?;
        check_path(&self.path)?;
        if self.method == "HEAD" && !self.body.is_empty() {
            return Err(Error::invalid("body", Message::BODY));
        }
        if self.query.iter().any(|(name, _)| name.is_empty()) {
            let message = "a query parameter has no name; name it";
            return Err(Error::validation("query", ErrorCode::VALUE_INVALID, message));
        }
        if let Some(content_type) = &self.content_type {
            check_content_type(content_type)?;
        }
        check_reference(self.reference.as_deref().unwrap_or_default(), "reference")?;
        if !rules.card_guard {
            return Ok(());
        }
        card_guard::refuse_card_numbers_in_query(&self.query)?;
        // Bodies that are not JSON are not searched.
        match Json::parse_with(&self.body, ParseOptions::new().keeping_duplicates()) {
            Ok(tree) => card_guard::refuse_card_numbers_in(&tree),
            Err(_) => Ok(()),
        }
    }
}

// Shows the method and the length of the body.
debug_shows!(RawRequest, |it| method = it.method, body_length = it.body.len());

impl sealed::Sealed for RawRequest {}

impl Request for RawRequest {
    type Response = RawResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        self.check(rules)
            .map_err(|error| error.with_operation(Operation::Send, self.reference.as_deref()))?;
        let body = match (&self.content_type, self.body.is_empty()) {
            (None, true) => DraftBody::Empty,
            (given, _) => DraftBody::Bytes {
                bytes: self.body.clone().into(),
                content_type: Some(given.as_deref().unwrap_or("application/json").to_owned()),
            },
        };
        Ok(Draft {
            operation: Operation::Send,
            executes: operation_at(&self.method, &self.path),
            method: self.method.clone(),
            path: self.path.clone(),
            query: self.query.clone(),
            body,
            reference: self.reference.clone(),
        })
    }

    fn read_response(&self, response: RawResponse, _rules: &Rules) -> Result<RawResponse, Error> {
        Ok(response)
    }
}

fn query_of(query: &Json) -> Result<Vec<(String, String)>, Error> {
    let wrong = |path: String| Error::validation(path, ErrorCode::WRONG_TYPE, "must be a string");
    match query {
        Json::Object(members) => members
            .iter()
            .map(|(name, value)| match value.as_text_or_number() {
                Some(text) => Ok((name.to_owned(), text.to_owned())),
                None => Err(wrong(Path::Root.member("query").member(name).to_string())),
            })
            .collect(),
        Json::Array(pairs) => pairs.iter().enumerate().map(query_pair).collect(),
        _ => {
            let message = "must be an object whose values are strings, or an array of pairs of \
                           strings";
            Err(Error::validation("query", ErrorCode::WRONG_TYPE, message))
        }
    }
}

fn query_pair((index, pair): (usize, &Json)) -> Result<(String, String), Error> {
    if let Some([Json::String(name), value]) = pair.as_array()
        && let Some(text) = value.as_text_or_number()
    {
        return Ok((name.clone(), text.to_owned()));
    }
    let path = format!("query[{index}]");
    Err(Error::validation(path, ErrorCode::WRONG_TYPE, "must be an array of a name and a string"))
}

fn check_method(method: &str) -> Result<(), Error> {
    const LONGEST: usize = 16;
    let fail = |message| Err(Error::validation("method", ErrorCode::VALUE_INVALID, message));
    let made_of_letters = method.bytes().all(|b| b.is_ascii_uppercase());
    if method.is_empty() || method.len() > LONGEST || !made_of_letters {
        return fail("must consist of letters, for example POST");
    }
    if matches!(method, "CONNECT" | "TRACE") {
        return fail("CONNECT and TRACE are not supported; use another method");
    }
    Ok(())
}

/// Checks that the path is valid by RFC 3986 and stays under the base URL.
fn check_path(path: &str) -> Result<(), Error> {
    let fail = |code, message| Err(Error::validation("path", code, message));
    let Some(segments) = path.strip_prefix('/') else {
        return Err(Error::invalid("path", Message::PATH_START));
    };
    if path.contains(['?', '#']) {
        let message =
            "must not contain \"?\" or \"#\"; pass query parameters as query, and no fragment";
        return fail(ErrorCode::VALUE_INVALID, message);
    }
    if !path.bytes().all(is_path_byte) || !escapes_are_whole(path) {
        return Err(Error::invalid("path", Message::PATH_CHARACTER));
    }
    if path.contains("//") {
        return fail(ErrorCode::VALUE_INVALID, "must not contain \"//\"");
    }
    let leads_away = |segment: &str| {
        let segment = segment.to_ascii_lowercase().replace("%2e", ".");
        segment == "." || segment == ".."
    };
    let hides_a_slash = |path: &str| ["%2f", "%5c"].iter().any(|it| path.contains(it));
    if segments.split('/').any(leads_away) || hides_a_slash(&path.to_ascii_lowercase()) {
        let message = "must not contain \".\" or \"..\" as a segment, or an encoded slash";
        return fail(ErrorCode::VALUE_INVALID, message);
    }
    Ok(())
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@%".contains(&byte)
}

fn escapes_are_whole(path: &str) -> bool {
    path.split('%')
        .skip(1)
        .all(|rest| rest.len() >= 2 && rest.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit))
}

fn check_content_type(content_type: &str) -> Result<(), Error> {
    let shown = content_type.bytes().all(|b| b == b' ' || b.is_ascii_graphic());
    if content_type.trim().is_empty() || !shown {
        return Err(Error::invalid("content_type", Message::CONTENT_TYPE));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_takes_its_query_as_an_object_or_as_pairs() {
        let query = |query: &str| {
            let head = format!(r#"{{"method":"GET","path":"/a","query":{query}}}"#);
            RawRequest::from_json(head.as_bytes(), b"").map(|request| request.query)
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(query(r#"{"a":"1","b":2}"#).unwrap(), [pair("a", "1"), pair("b", "2")]);
        assert_eq!(query(r#"[["a","1"],["a","2"]]"#).unwrap(), [pair("a", "1"), pair("a", "2")]);
        assert_eq!(query("[]").unwrap(), []);
        for (wrong, path) in [
            ("7", "query"),
            (r#"{"a":null}"#, "query.a"),
            (r#"{"maria@example.com":null}"#, "query.?"),
            (r#"[["a","1"],["b"]]"#, "query[1]"),
            (r#"["a"]"#, "query[0]"),
        ] {
            assert_eq!(query(wrong).unwrap_err().path(), Some(path), "{wrong}");
        }
    }
}
