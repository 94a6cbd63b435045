//! The table of operations.

use std::fmt;

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

    /// The operation of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
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
