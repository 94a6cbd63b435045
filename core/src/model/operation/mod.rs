//! The table of operations and of their requests.

// - `generated.rs`: the operations, and the members of their requests
// - `status.rs`: the codes of states

mod generated;
pub(crate) mod status;

use std::fmt;

use payments_base::spelling::nearest;

use crate::model::json::{Json, Members};
pub use generated::{INTEGRATION_KEY, Operation};
pub use status::*;

/// An operation.
#[derive(Debug)]
#[non_exhaustive]
pub struct Definition {
    /// Its name in every language, for example `create_payment`.
    pub name: &'static str,
    /// The HTTP method; empty for `send`, which accepts any.
    pub method: &'static str,
    /// The path; empty for `send`, which accepts any.
    pub path: &'static str,
    /// Its description, as a sentence in the third person.
    pub summary: &'static str,
    /// The advice of an error whose outcome is unknown.
    pub advice_when_unknown: Option<&'static str>,
    /// The advice of an error whose operation was executed.
    pub advice_when_executed: &'static str,
    /// The request object; `None` for `access_token`.
    pub request: Option<&'static RequestObject>,
    /// The signs of a success; `None` if every 2xx is one.
    pub success: Option<Success>,
    /// Whether it moves money.
    pub moves_money: bool,
    /// Whether executing it twice changes nothing.
    pub is_read_only: bool,
    /// JSON Pointers into the request: the first text there is the merchant's own
    /// reference.
    pub reference: &'static [&'static str],
    /// The members that the response repeats.
    pub echo: Option<Echo>,
    /// The members that the journal records.
    pub recorded: Recorded,
    /// The requests that cancel an earlier one instead of moving money.
    pub cancellation: Option<Cancellation>,
    /// The query that finds its result, if that query has a switch and is on.
    pub queried: Option<Queried>,
    /// Whether it is a query, which the service may refuse because it finds nothing.
    pub is_query: bool,
    /// Whether its response may hold a code for the payer to scan.
    pub shows_qr_code: bool,
    /// The members of its response that are codes, each with the meanings of
    /// its codes.
    pub codes: &'static [(&'static str, Meaning)],
}

/// The meaning of a code, if it is known.
pub type Meaning = fn(&str) -> Option<&'static str>;

/// Requests that cancel an earlier one. They are sent as carefully as operations
/// that move money.
#[derive(Clone, Copy, Debug)]
pub struct Cancellation {
    /// Its operation in the journal.
    pub operation: Operation,
    /// The member that marks such a request.
    pub condition: Condition,
    /// The advice of an error whose outcome is unknown.
    pub advice_when_unknown: &'static str,
    /// The advice of an error whose cancellation was executed.
    pub advice_when_executed: &'static str,
}

/// A query that the configuration turns on, and the advice where it is on.
#[derive(Clone, Copy, Debug)]
pub struct Queried {
    /// The query.
    pub by: Operation,
    /// The advice of an error whose outcome is unknown.
    pub advice_when_unknown: &'static str,
    /// The advice of an error whose operation was executed.
    pub advice_when_executed: &'static str,
}

/// The members that a 2xx response must have to be a success of its operation.
///
/// Not stated in the interface, which shows few responses. So the table is
/// broad, and the configuration extends it.
#[derive(Clone, Copy, Debug)]
pub struct Success {
    /// JSON Pointers: a value at one of them is enough.
    pub signs: &'static [&'static str],
    /// A top-level `status` that is enough, since it is the state of the
    /// operation's object. Other texts survive, and show nothing.
    pub states: &'static [&'static str],
    /// Whether a `status` of `SUCCESS` is enough on its own.
    pub lone_success: bool,
    /// The top-level `type` of a success; any other is a failure.
    pub envelope: Option<&'static str>,
}

/// Identifiers of a request that its response repeats.
#[derive(Clone, Copy, Debug)]
pub struct Echo {
    /// The object of the response that has them; they may be at the top too.
    pub object: &'static str,
    /// Each with its place in the request, a JSON Pointer. The first one that the
    /// response has decides: a payment queried by its hash may have any reference.
    pub members: &'static [(&'static str, &'static str)],
    /// Those of them that must be equal letter by letter; others may differ in case
    /// and surrounding white space.
    pub exact: &'static [&'static str],
}

/// The members of a request that the journal records: JSON Pointers.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    /// The amount that it moves.
    pub amount: Option<&'static str>,
    /// The currency of the amount.
    pub currency: Option<&'static str>,
    /// The member that tells several refunds of one payment apart.
    pub refund_code: Option<&'static str>,
    /// A member with which no entry is written and nothing is sent.
    pub refuses: Option<&'static str>,
    /// The member of `query_payment` that takes the reference of an entry: not
    /// a pointer. `None` if no query finds the operation.
    pub found_by: Option<&'static str>,
    /// Whether the service may cancel an executed operation at once, with a code.
    pub keeps_code: bool,
}

impl Operation {
    /// The operation's name in every language, for example `create_payment`.
    pub const fn name(self) -> &'static str {
        self.definition().name
    }

    /// The suggestion for an unknown name: the nearest one, or all of them.
    #[doc(hidden)]
    pub fn unknown_name(name: &str, is_offered: impl Fn(Self) -> bool) -> String {
        let offered = Self::ALL.into_iter().filter(|it| is_offered(*it)).map(Self::name);
        let names: Vec<_> = offered.collect();
        match nearest(name, names.iter().copied()) {
            Some(meant) => format!("unknown operation; did you mean {meant}?"),
            None => format!("unknown operation; the operations are {}", names.join(", ")),
        }
    }

    /// The description of the operation, in one line.
    pub fn meaning(self) -> &'static str {
        self.definition().summary.trim_end_matches('.')
    }

    /// The operation of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// The operation of that name in a journal.
    pub fn of_entry(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter().chain(Self::CANCELLATIONS);
        all.find(|operation| operation.name() == name)
    }

    /// The HTTP method; empty for `send`, which accepts any.
    pub const fn method(self) -> &'static str {
        self.definition().method
    }

    /// The path under the base URL, or for `access_token` under the
    /// authorization URL; empty for `send`, which takes any.
    ///
    /// Interface, "Endpoints".
    pub const fn path(self) -> &'static str {
        self.definition().path
    }

    /// The object that the operation takes: the body, the query, or for `send`
    /// the head. None for `access_token`.
    pub const fn request(self) -> Option<&'static RequestObject> {
        self.definition().request
    }

    /// Whether the operation moves money. The effect of `send` is not known, so
    /// it is taken to move money.
    pub const fn moves_money(self) -> bool {
        self.definition().moves_money
    }

    /// Whether one reference may have several entries in the journal, which a code
    /// tells apart, as the refunds of a payment.
    pub const fn is_repeatable(self) -> bool {
        self.definition().recorded.refund_code.is_some()
    }

    /// Whether it cancels what a call of another operation did.
    pub fn is_cancellation(self) -> bool {
        Self::CANCELLATIONS.contains(&self)
    }

    /// Whether a query by its reference finds the payment that it made.
    pub const fn is_found_as_payment(self) -> bool {
        self.definition().recorded.found_by.is_some() && !self.is_repeatable()
    }

    /// The members of [`request`](Self::request), in the order in which typed
    /// requests write them.
    pub fn fields(self) -> &'static [RequestMember] {
        self.request().map_or(&[], |object| object.fields)
    }

    /// Whether executing the operation twice changes nothing, so that it may
    /// be retried.
    pub const fn is_read_only(self) -> bool {
        self.definition().is_read_only
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl RequestObject {
    /// The known names in this object.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let key = self.holds_key.then_some(INTEGRATION_KEY.name);
        let extra = (self.others != Others::Refused).then_some(EXTRA);
        self.fields.iter().map(|field| field.name).chain(key).chain(extra)
    }

    /// Whether the name is one of them.
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }
}

/// An object of a request: the request itself, or one inside it.
#[derive(Debug)]
pub struct RequestObject {
    /// Its members, in the order in which typed requests write them.
    pub fields: &'static [RequestMember],
    /// How members that are in no table are handled.
    pub others: Others,
    /// Whether it may hold its own integration key.
    pub holds_key: bool,
}

impl RequestObject {
    /// The member whose object may hold an integration key too.
    pub fn inner_key_holder(&self) -> Option<&'static str> {
        let holds_key =
            |field: &&RequestMember| field.shape.object().is_some_and(|it| it.holds_key);
        self.fields.iter().find(holds_key).map(|field| field.name)
    }
}

/// How members of an object that are in no table are handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Others {
    /// They are refused.
    Refused,
    /// They are refused, except in `extra`.
    InExtra,
    /// They are sent, unless they resemble a known one; in `extra` all are sent.
    Pass,
}

/// The object for members that are in no table and are sent on purpose. Every
/// object of a body or query may hold one.
pub const EXTRA: &str = "extra";

/// One member of a request.
#[derive(Debug)]
pub struct RequestMember {
    /// The name on the wire and in every language.
    pub name: &'static str,
    /// The type of its value.
    pub shape: RequestShape,
    /// Whether it must be given, if its condition is met.
    pub presence: Presence,
    /// When that holds; otherwise it may be left out. `None` if always.
    pub condition: Option<Condition>,
    /// Its meaning, with its unit or form, in one line.
    pub meaning: &'static str,
    /// Known values; other texts are accepted too.
    pub examples: &'static [&'static str],
}

impl RequestMember {
    /// Whether it must be given in an object with these members.
    pub fn presence_in(&self, members: &Members) -> Presence {
        let is_met = self.condition.as_ref().is_none_or(|it| it.is_met_by(members));
        if is_met { self.presence } else { Presence::Optional }
    }

    /// Whether every object must have it.
    pub fn is_required(&self) -> bool {
        self.presence == Presence::Required && self.condition.is_none()
    }
}

/// The type of a member.
#[derive(Debug)]
pub enum RequestShape {
    /// A text; a required one must not be blank.
    Text,
    /// A decimal amount above zero: a JSON number, or a text that holds one,
    /// which is written as a number.
    Amount,
    /// A number without a fraction or exponent.
    Integer,
    /// Two lower-case letters, for example `br`.
    LowerCountry,
    /// Two upper-case letters, for example `BR`.
    UpperCountry,
    /// Three letters, for example `BRL`.
    Currency,
    /// An object of any members.
    Open,
    /// Query parameters: an object of texts, or an array of pairs of them.
    Parameters,
    /// An object.
    Object(&'static RequestObject),
    /// An array of objects.
    Objects(&'static RequestObject),
    /// A non-empty array. Each element is a text that is not blank, or an
    /// object.
    TextsOrObjects(&'static RequestObject),
}

impl RequestShape {
    /// The members of its objects.
    pub fn fields(&self) -> &'static [RequestMember] {
        self.object().map_or(&[], |object| object.fields)
    }

    /// The object type, alone or in an array.
    pub const fn object(&self) -> Option<&'static RequestObject> {
        match self {
            Self::Object(object) | Self::Objects(object) | Self::TextsOrObjects(object) => {
                Some(object)
            }
            _ => None,
        }
    }
}

/// Whether a member must be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It must be given.
    Required,
    /// It may be left out. `null` counts as left out and is not written.
    Optional,
    /// Exactly one of the object's members with this presence must be given.
    OneOf,
    /// At least one of the object's members with this presence must be given.
    AtLeastOne,
}

/// A text that another member of the object has, or does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The name of that member.
    pub member: &'static str,
    /// The text.
    pub value: &'static str,
    /// Whether it must have the text; otherwise it must not.
    pub holds: bool,
}

impl Condition {
    /// Whether an object with these members meets it.
    pub fn is_met_by(&self, members: &Members) -> bool {
        let has_value = members.get(self.member).and_then(Json::as_str) == Some(self.value);
        has_value == self.holds
    }

    /// The condition in words, for example `for country "br"`.
    pub fn words(&self) -> String {
        let Self { member, value, holds } = self;
        let word = if *holds { "for" } else { "except for" };
        format!("{word} {member} {value:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn names(fields: &[RequestMember]) -> Vec<&'static str> {
        fields.iter().map(|field| field.name).collect()
    }

    #[test]
    fn a_menu_of_operations_has_a_line_for_each() {
        let meanings: HashSet<_> = Operation::ALL.into_iter().map(Operation::meaning).collect();
        assert_eq!(meanings.len(), Operation::ALL.len());
        for meaning in meanings {
            assert!(meaning.starts_with(|first: char| first.is_ascii_uppercase()), "{meaning}");
            assert!(!meaning.contains('\n') && !meaning.ends_with('.'), "{meaning}");
        }
    }

    #[test]
    fn the_members_inside_an_object_are_found_from_its_member() {
        let fields = Operation::CreatePayout.fields();
        let of = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
        assert!(names(of("payee").shape.fields()).contains(&"document"));
        assert!(names(of("target_account").shape.fields()).is_empty());
        assert!(names(Operation::AccessToken.fields()).is_empty());
    }
}
