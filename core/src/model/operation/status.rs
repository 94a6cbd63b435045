// Generated from spec/codes.toml by generate/templates/codes.rs.jinja; do not edit. To update: cargo xtask generate

//! Status codes: open sets. An unknown code is kept.

use std::fmt;

/// The status of a payment.
///
/// Interface, "States and transitions". The set is open: an unknown code is
/// kept as text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PaymentStatus {
    /// `OP`: nothing is decided.
    Open,
    /// `PE`: waiting for the payer or the bank.
    Pending,
    /// `CO`: paid.
    Confirmed,
    /// `CA`: declined, expired or withdrawn.
    Cancelled,
    /// Any other text.
    Other(String),
}

impl PaymentStatus {
    /// The status of that code.
    pub fn from_code(code: &str) -> Self {
        match code {
            "OP" => Self::Open,
            "PE" => Self::Pending,
            "CO" => Self::Confirmed,
            "CA" => Self::Cancelled,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Its meaning, for example `nothing is decided`; `None` for an unknown code.
    pub const fn meaning(&self) -> Option<&'static str> {
        match self {
            Self::Open => Some("nothing is decided"),
            Self::Pending => Some("waiting for the payer or the bank"),
            Self::Confirmed => Some("paid"),
            Self::Cancelled => Some("declined, expired or withdrawn"),
            Self::Other(_) => None,
        }
    }

    /// Whether nothing follows it: `CO` and `CA`.
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Confirmed | Self::Cancelled)
    }

    /// The code on the wire, for example `OP`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Open => "OP",
            Self::Pending => "PE",
            Self::Confirmed => "CO",
            Self::Cancelled => "CA",
            Self::Other(code) => code,
        }
    }
}

impl fmt::Display for PaymentStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The status of a payout.
///
/// These codes are known. The set is open: an unknown code is kept as text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PayoutStatus {
    /// `OP`: nothing is decided.
    Open,
    /// `PE`: on its way to the payee.
    Pending,
    /// `PA`: the payee has the money.
    Paid,
    /// `CA`: the payee does not get the money.
    Cancelled,
    /// Any other text.
    Other(String),
}

impl PayoutStatus {
    /// The status of that code.
    pub fn from_code(code: &str) -> Self {
        match code {
            "OP" => Self::Open,
            "PE" => Self::Pending,
            "PA" => Self::Paid,
            "CA" => Self::Cancelled,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Its meaning, for example `nothing is decided`; `None` for an unknown code.
    pub const fn meaning(&self) -> Option<&'static str> {
        match self {
            Self::Open => Some("nothing is decided"),
            Self::Pending => Some("on its way to the payee"),
            Self::Paid => Some("the payee has the money"),
            Self::Cancelled => Some("the payee does not get the money"),
            Self::Other(_) => None,
        }
    }

    /// Whether nothing follows it: `PA` and `CA`.
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Paid | Self::Cancelled)
    }

    /// The code on the wire, for example `OP`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Open => "OP",
            Self::Pending => "PE",
            Self::Paid => "PA",
            Self::Cancelled => "CA",
            Self::Other(code) => code,
        }
    }
}

impl fmt::Display for PayoutStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The status of a refund.
///
/// These codes are known. The set is open: an unknown code is kept as text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum RefundStatus {
    /// `RE`: requested.
    Requested,
    /// `PE`: not decided yet.
    Pending,
    /// `CO`: refunded.
    Confirmed,
    /// `CA`: will not be refunded.
    Cancelled,
    /// Any other text.
    Other(String),
}

impl RefundStatus {
    /// The status of that code.
    pub fn from_code(code: &str) -> Self {
        match code {
            "RE" => Self::Requested,
            "PE" => Self::Pending,
            "CO" => Self::Confirmed,
            "CA" => Self::Cancelled,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Its meaning, for example `requested`; `None` for an unknown code.
    pub const fn meaning(&self) -> Option<&'static str> {
        match self {
            Self::Requested => Some("requested"),
            Self::Pending => Some("not decided yet"),
            Self::Confirmed => Some("refunded"),
            Self::Cancelled => Some("will not be refunded"),
            Self::Other(_) => None,
        }
    }

    /// Whether nothing follows it: `CO` and `CA`.
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Confirmed | Self::Cancelled)
    }

    /// The code on the wire, for example `RE`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Requested => "RE",
            Self::Pending => "PE",
            Self::Confirmed => "CO",
            Self::Cancelled => "CA",
            Self::Other(code) => code,
        }
    }
}

impl fmt::Display for RefundStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
