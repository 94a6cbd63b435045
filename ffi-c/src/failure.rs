//! Why a function of the ABI failed.

use payments_core::{ErrorKind, Outcome};

use crate::status::payments_status;

/// Why a function of the ABI failed.
pub(crate) enum CallFailure {
    /// An argument that breaks a rule of the header.
    Argument { name: &'static str, problem: &'static str },
    /// An error of the core.
    Core(Box<payments_core::Error>),
    /// A bug, with the outcome of the operation.
    Panic(Outcome),
}

impl From<payments_core::Error> for CallFailure {
    fn from(error: payments_core::Error) -> Self {
        Self::Core(Box::new(error))
    }
}

impl CallFailure {
    pub(crate) fn status(&self) -> payments_status {
        match self {
            Self::Argument { .. } => payments_status::PAYMENTS_STATUS_INVALID_ARGUMENT,
            Self::Core(error) => payments_status::of(error.kind()),
            Self::Panic(_) => payments_status::of(ErrorKind::Internal),
        }
    }
}
