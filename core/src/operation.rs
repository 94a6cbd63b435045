//! The table of operations, of their requests and of their responses.

mod fields;
mod parcels;
mod responses;
mod status;
mod table;

use std::fmt;

pub use fields::{
    EXTRA, INTEGRATION_KEY, Others, Presence, RequestMember, RequestObject, RequestShape,
};
pub use responses::{ResponseMember, ResponseObject, ResponseShape};
pub use status::{Code, Codes, PaymentStatus, RefundStatus};
pub(crate) use table::operations;

use table::*;

/// An operation, in the words of every language's documentation.
#[derive(Debug)]
#[non_exhaustive]
pub struct Definition {
    /// Its name in every language, for example `create_payment`.
    pub name: &'static str,
    /// The HTTP method; empty for `send`, which accepts any.
    pub method: &'static str,
    /// The path; empty for `send`, which accepts any.
    pub path: &'static str,
    /// What it does, as a sentence in the third person.
    pub summary: &'static str,
    /// Further sentences, or empty.
    pub details: &'static str,
    /// What an unknown outcome means and what to do, in sentences that follow
    /// "With the outcome unknown, ".
    pub when_unknown: &'static str,
    /// The same as the advice of an error.
    pub advice_when_unknown: &'static str,
    /// The advice of an error whose operation was executed.
    pub advice_when_executed: &'static str,
    /// The request object; `None` for `access_token`.
    pub request: Option<&'static RequestObject>,
    /// The response object; `None` for `send`, which reads no body.
    pub response: Option<&'static ResponseObject>,
    /// The signs of a success; `None` if every 2xx is one.
    pub success: Option<Success>,
    /// Whether it moves money.
    pub moves_money: bool,
    /// Whether executing it twice changes nothing.
    pub is_read_only: bool,
}

/// What a 2xx response must contain to be a success of its operation.
///
/// Not stated in the interface, which shows few responses. So the table is
/// broad, and the configuration extends it.
#[derive(Clone, Copy, Debug)]
pub struct Success {
    /// JSON Pointers: a value at one of them is enough.
    pub signs: &'static [&'static str],
    /// A top-level `status` that is enough, since it is the state of what was
    /// asked for. Other texts survive, and show nothing.
    pub states: &'static [&'static str],
    /// Whether a `status` of `SUCCESS` is enough on its own.
    pub lone_success: bool,
}

/// Makes the enumeration and the table behind it.
macro_rules! define {
    (
        $($variant:ident $name:ident $(-> $response:ident)? { $($member:ident: $value:expr,)* })*
    ) => {
        /// What can be asked of the service.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[non_exhaustive]
        pub enum Operation {
            $(
                #[doc = concat!("`", stringify!($name), "`.")]
                $variant,
            )*
        }

        impl Operation {
            /// Every operation, in the order of the documentation.
            pub const ALL: [Self; [$(stringify!($variant)),*].len()] = [$(Self::$variant),*];

            /// Its row of the table.
            pub const fn definition(self) -> &'static Definition {
                match self {
                    $(Self::$variant => {
                        static DEFINITION: Definition =
                            Definition { name: stringify!($name), $($member: $value,)* };
                        &DEFINITION
                    })*
                }
            }
        }
    };
}
operations!(define);

impl Operation {
    /// The operation's name in every language, for example `create_payment`.
    pub const fn name(self) -> &'static str {
        self.definition().name
    }

    /// What an unknown name is refused with: the names that there are.
    pub(crate) fn unknown_name(offered: &[Self]) -> String {
        let names: Vec<_> = offered.iter().map(|operation| operation.name()).collect();
        format!("unknown operation; the operations are {}", names.join(", "))
    }

    /// What the operation does, in one line.
    pub fn meaning(self) -> &'static str {
        self.definition().summary.trim_end_matches('.')
    }

    /// The operation of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
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

    /// The response object in other languages. `None` for `send`, whose body is
    /// not read.
    pub const fn response(self) -> Option<&'static ResponseObject> {
        self.definition().response
    }

    /// Whether the operation moves money. What `send` does is not known, so it
    /// is taken to.
    pub const fn moves_money(self) -> bool {
        self.definition().moves_money
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_about_money_is_never_to_send_again() {
        for operation in Operation::ALL {
            let advice = operation.definition().advice_when_unknown;
            let asks_a_person = advice.contains("let a person decide");
            assert_eq!(advice.starts_with("do not send it again: "), asks_a_person, "{advice}");
            assert_eq!(asks_a_person, operation.moves_money(), "{operation}: {advice}");
            let moves_nothing = advice.contains("no money") || advice.contains("nothing was moved");
            assert_ne!(asks_a_person, moves_nothing, "{advice}");
        }
        let payment = Operation::CreatePayment.definition().advice_when_unknown;
        assert!(payment.contains("until the payment is found"));
        assert!(payment.contains("15 minutes after the deadline"));
        for operation in Operation::ALL {
            let advice = operation.definition().advice_when_executed;
            let forbids = advice.starts_with("do not send it again: it was executed");
            assert_eq!(forbids, operation.moves_money(), "{operation}: {advice}");
        }
    }

    /// Documentation of other languages is made of these sentences.
    #[test]
    fn every_operation_is_described_in_sentences() {
        for operation in Operation::ALL {
            let Definition { summary, details, when_unknown, .. } = operation.definition();
            let (verb, _) = summary.split_once(' ').unwrap();
            assert!(verb.ends_with('s') && summary.ends_with('.'), "{operation}: {summary}");
            assert!(details.is_empty() || details.ends_with('.'), "{operation}: {details}");
            assert!(when_unknown.ends_with('.'), "{operation}: {when_unknown}");
            let forbids = when_unknown.contains("Do not send it again");
            assert_eq!(forbids, operation.moves_money(), "{operation}: {when_unknown}");
        }
    }
}
