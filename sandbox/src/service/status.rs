//! The states of payments, refunds and payouts, and their transitions.

use serde::{Deserialize, Serialize};

/// The state of a payment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum PaymentStatus {
    /// `OP`.
    Open,
    /// `PE`.
    Pending,
    /// `CO`.
    Confirmed,
    /// `CA`.
    Cancelled,
}

impl PaymentStatus {
    /// The moves of a payment by the control API and the page, and their results.
    pub(crate) const ACTIONS: [(&'static str, Self); 3] =
        [("pend", Self::Pending), ("confirm", Self::Confirmed), ("cancel", Self::Cancelled)];

    /// The code on the wire.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Open => "OP",
            Self::Pending => "PE",
            Self::Confirmed => "CO",
            Self::Cancelled => "CA",
        }
    }

    /// The interface's transitions: OP to PE, PE to CO, PE to CA.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Open, Self::Pending) | (Self::Pending, Self::Confirmed | Self::Cancelled)
        )
    }
}

/// The state of a refund. Not stated in the interface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum RefundStatus {
    /// `RE`.
    Requested,
    /// `PE`.
    Pending,
    /// `CO`.
    Confirmed,
    /// `CA`.
    Cancelled,
}

impl RefundStatus {
    /// The moves of a refund by the control API and the page, and their results.
    pub(crate) const ACTIONS: [(&'static str, Self); 3] =
        [("pend", Self::Pending), ("confirm", Self::Confirmed), ("cancel", Self::Cancelled)];

    /// The code on the wire.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Requested => "RE",
            Self::Pending => "PE",
            Self::Confirmed => "CO",
            Self::Cancelled => "CA",
        }
    }

    /// Allows RE to PE, and RE or PE to CO or CA.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Requested, Self::Pending)
                | (Self::Requested | Self::Pending, Self::Confirmed | Self::Cancelled)
        )
    }
}

/// The state of a payout. Not stated in the interface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum PayoutStatus {
    /// `OP`.
    Open,
    /// `PE`.
    Pending,
    /// `PA`.
    Paid,
    /// `CA`.
    Cancelled,
}

impl PayoutStatus {
    /// The moves of a payout by the control API and the page, and their results.
    pub(crate) const ACTIONS: [(&'static str, Self); 3] =
        [("pend", Self::Pending), ("pay", Self::Paid), ("cancel", Self::Cancelled)];

    /// The code on the wire.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Open => "OP",
            Self::Pending => "PE",
            Self::Paid => "PA",
            Self::Cancelled => "CA",
        }
    }

    /// Allows OP to PE, and OP or PE to PA or CA.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Open, Self::Pending)
                | (Self::Open | Self::Pending, Self::Paid | Self::Cancelled)
        )
    }
}
