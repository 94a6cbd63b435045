//! The reasons for which a payout is cancelled.

use serde::{Deserialize, Serialize};

/// Why a payout was cancelled, which its `code` says. Not stated in the
/// interface; a service may have others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
pub enum PayoutCancellation {
    /// `TAX_ID_MISMATCH`.
    #[default]
    TaxIdMismatch,
    /// `ACCOUNT_BLOCKED`.
    AccountBlocked,
    /// `BANK_INFO`.
    BankInfo,
    /// `REJECTED_BY_BANK`.
    RejectedByBank,
}

impl PayoutCancellation {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::TaxIdMismatch, Self::AccountBlocked, Self::BankInfo, Self::RejectedByBank];

    /// The code on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TaxIdMismatch => "TAX_ID_MISMATCH",
            Self::AccountBlocked => "ACCOUNT_BLOCKED",
            Self::BankInfo => "BANK_INFO",
            Self::RejectedByBank => "REJECTED_BY_BANK",
        }
    }
}
