//! The codes of statuses: open sets, in which an unknown code survives.

use std::fmt;

/// The status of a payment.
///
/// Interface, "States and transitions". The set is open: what is not named
/// there survives as its text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PaymentStatus {
    /// `OP`.
    Open,
    /// `PE`.
    Pending,
    /// `CO`: paid.
    Confirmed,
    /// `CA`.
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

    /// The code on the wire, for example `CO`.
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

/// The status of a refund.
///
/// Not stated in the interface; these codes are known. The set is open.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum RefundStatus {
    /// `RE`.
    Requested,
    /// `PE`.
    Pending,
    /// `CO`.
    Confirmed,
    /// `CA`.
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
