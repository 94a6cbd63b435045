//! The table of operations, and the fields of their requests.

mod fields;

use std::fmt;

pub use fields::{EXTRA, Field, INTEGRATION_KEY, Object, Others, Presence, Shape};

/// What can be asked of the service.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Operation {
    /// `POST /ws/direct`.
    CreatePayment,
    /// `GET /ws/query`.
    QueryPayment,
    /// `POST /ws/refund`.
    RefundPayment,
    /// `POST /ws/payout/create`.
    CreatePayout,
    /// `POST /ws/tracking`.
    RegisterTracking,
    /// `POST {auth_url}/authorization-server/oauth/token`.
    AccessToken,
    /// Any method and path under the base URL.
    Send,
}

impl Operation {
    /// Every operation, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::CreatePayment,
        Self::QueryPayment,
        Self::RefundPayment,
        Self::CreatePayout,
        Self::RegisterTracking,
        Self::AccessToken,
        Self::Send,
    ];

    /// The operation's name in every language, for example `create_payment`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CreatePayment => "create_payment",
            Self::QueryPayment => "query_payment",
            Self::RefundPayment => "refund_payment",
            Self::CreatePayout => "create_payout",
            Self::RegisterTracking => "register_tracking",
            Self::AccessToken => "access_token",
            Self::Send => "send",
        }
    }

    /// What an unknown name is refused with: the names that there are.
    pub(crate) fn unknown_name(offered: &[Self]) -> String {
        let names: Vec<_> = offered.iter().map(|operation| operation.name()).collect();
        format!("unknown operation; the operations are {}", names.join(", "))
    }

    /// What the operation does, in one line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::CreatePayment => "creates a payment in one of a country's methods",
            Self::QueryPayment => "asks for a payment, by its hash or by your own reference",
            Self::RefundPayment => "refunds a payment, in whole or in part",
            Self::CreatePayout => "sends money to a payee",
            Self::RegisterTracking => "registers the tracking codes of an order",
            Self::AccessToken => "gives a bearer token that is valid now",
            Self::Send => "signs your own bytes and sends them unchanged, to any path",
        }
    }

    /// The operation of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// The method on the wire; empty for `send`, which takes any.
    pub const fn method(self) -> &'static str {
        match self {
            Self::CreatePayment
            | Self::RefundPayment
            | Self::CreatePayout
            | Self::RegisterTracking
            | Self::AccessToken => "POST",
            Self::QueryPayment => "GET",
            Self::Send => "",
        }
    }

    /// The path under the base URL, or for `access_token` under the
    /// authorization URL; empty for `send`, which takes any.
    ///
    /// Interface, "Endpoints".
    pub const fn path(self) -> &'static str {
        match self {
            Self::CreatePayment => "/ws/direct",
            Self::QueryPayment => "/ws/query",
            Self::RefundPayment => "/ws/refund",
            Self::CreatePayout => "/ws/payout/create",
            Self::RegisterTracking => "/ws/tracking",
            Self::AccessToken => "/authorization-server/oauth/token",
            Self::Send => "",
        }
    }

    /// What to do about an unknown outcome: how to find out what was done.
    pub const fn advice_when_unknown(self) -> &'static str {
        match self {
            Self::CreatePayment => {
                "do not send it again: call query_payment by merchant_payment_code until the \
                 payment is found; if it ends as payment_not_found even 15 minutes after the \
                 deadline of the call, let a person decide"
            }
            Self::RefundPayment => {
                "do not send it again: call query_payment by hash, whose answer lists the refunds, \
                 until this one is there; if it is not even 15 minutes after the deadline of the \
                 call, let a person decide"
            }
            Self::CreatePayout => {
                "do not send it again: the interface has no query for payouts, so look for the \
                 external_reference on the provider's platform, and let a person decide"
            }
            Self::RegisterTracking => {
                "the interface has no query for tracking codes; registering them moves no money"
            }
            Self::QueryPayment | Self::AccessToken => "nothing was moved; ask again",
            Self::Send => {
                "do not send it again: find out what was done as for the operation behind that \
                 path, and let a person decide if that stays open"
            }
        }
    }

    /// The object that the operation takes: the body, the query, or for `send`
    /// the head. None for `access_token`.
    pub fn request(self) -> Option<&'static Object> {
        match self {
            Self::CreatePayment => Some(&fields::CREATE_PAYMENT),
            Self::QueryPayment => Some(&fields::QUERY_PAYMENT),
            Self::RefundPayment => Some(&fields::REFUND_PAYMENT),
            Self::CreatePayout => Some(&fields::CREATE_PAYOUT),
            Self::RegisterTracking => Some(&fields::REGISTER_TRACKING),
            Self::Send => Some(&fields::SEND),
            Self::AccessToken => None,
        }
    }

    /// Whether the operation moves money. What `send` does is not known, so it
    /// is taken to.
    pub const fn moves_money(self) -> bool {
        matches!(self, Self::CreatePayment | Self::RefundPayment | Self::CreatePayout | Self::Send)
    }

    /// The members of [`request`](Self::request), in the order in which typed
    /// requests write them.
    pub fn fields(self) -> &'static [Field] {
        self.request().map_or(&[], |object| object.fields)
    }

    /// Whether executing the operation twice changes nothing, so that it may
    /// be retried.
    pub const fn is_read_only(self) -> bool {
        matches!(self, Self::QueryPayment | Self::AccessToken)
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
            let advice = operation.advice_when_unknown();
            let asks_a_person = advice.contains("let a person decide");
            assert_eq!(advice.starts_with("do not send it again: "), asks_a_person, "{advice}");
            let moves_nothing = advice.contains("no money") || advice.contains("nothing was moved");
            assert_ne!(asks_a_person, moves_nothing, "{advice}");
        }
        let payment = Operation::CreatePayment.advice_when_unknown();
        assert!(payment.contains("until the payment is found"));
        assert!(payment.contains("15 minutes after the deadline"));
    }
}
