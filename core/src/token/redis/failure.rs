//! Failures of the Redis server. Messages never repeat the server's text, which
//! may echo what it was sent, including passwords.

use crate::model::error::ErrorCode;
use crate::transport::{FailureKind, TransportFailure};

/// Why the server did not execute a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RedisFailure {
    pub(super) reason: &'static str,
    pub(super) meaning: Meaning,
}

/// What a failure means for the connection and the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// The server works and refused. Asking again does no harm.
    Refused,
    /// Like `Refused`, but another connection may reach a server that accepts.
    RefusedHere,
    /// The server cannot be used. Commands pause for a while.
    Unusable,
    /// The connection ended. If it was not new, a new one may work.
    Closed,
    /// The reply did not arrive in time.
    Late,
}

impl RedisFailure {
    pub(super) const NO_TLS: Self =
        Self::new("could not set up TLS; check host and ca_file", Meaning::Unusable);
    pub(super) const FOREIGN: Self = Self::new(
        "the response is not from a Redis server; check host and port",
        Meaning::Unusable,
    );
    pub(super) const CLOSED: Self =
        Self::new("the connection to the server broke", Meaning::Closed);
    const LATE: Self = Self::new("the server did not respond in time", Meaning::Late);

    const fn new(reason: &'static str, meaning: Meaning) -> Self {
        Self { reason, meaning }
    }

    /// Classifies a failure to connect.
    pub(super) fn of_connect(failure: &TransportFailure, uses_tls: bool) -> Self {
        let reason = match (failure.kind, failure.code) {
            (FailureKind::Timeout | FailureKind::Cancelled, _) if uses_tls => {
                let reason = "the server did not respond in time; check that the port speaks TLS";
                return Self::new(reason, Meaning::Late);
            }
            (FailureKind::Timeout | FailureKind::Cancelled, _) => return Self::LATE,
            (_, ErrorCode::HOST_NOT_FOUND | ErrorCode::LOOKUP_FAILED) => {
                "could not find the server's address; check its name"
            }
            (_, ErrorCode::CERTIFICATE_EXPIRED) => {
                "the server's certificate has expired or is not valid yet; check the clock, and \
                 renew it"
            }
            (_, ErrorCode::CERTIFICATE_OF_ANOTHER_HOST) => {
                "the server's certificate is for another host name; check token_store"
            }
            (_, ErrorCode::CERTIFICATE_REFUSED) => {
                "the server's certificate was refused; with a private certificate authority, set \
                 ca_file"
            }
            (_, ErrorCode::NO_ROOTS) => return Self::NO_TLS,
            (FailureKind::Tls, _) => "the TLS handshake failed; check that the port speaks TLS",
            _ => "could not connect to the server; check host and port, and that the server is up",
        };
        Self::new(reason, Meaning::Unusable)
    }

    /// Classifies a failure during a command.
    pub(super) fn of_exchange(failure: &TransportFailure) -> Self {
        match failure.kind {
            FailureKind::Timeout | FailureKind::Cancelled => Self::LATE,
            _ => Self::CLOSED,
        }
    }

    /// Classifies an error of the server by its name.
    pub(super) fn of_code(code: &str) -> Self {
        use Meaning::{Refused, RefusedHere, Unusable};

        let (reason, meaning) = match code {
            "NOAUTH" => ("the server requires a password (NOAUTH)", Unusable),
            "WRONGPASS" => {
                ("the server refused the user name or the password (WRONGPASS)", Unusable)
            }
            "NOPERM" => ("the user lacks the permission for this (NOPERM)", Refused),
            "READONLY" => ("the server is a read-only replica (READONLY)", RefusedHere),
            "OOM" => ("the server has no memory left (OOM)", Refused),
            "LOADING" => ("the server is starting (LOADING)", Refused),
            "MISCONF" => ("the server cannot write to its disk (MISCONF)", Refused),
            "MASTERDOWN" => ("the server has lost its primary (MASTERDOWN)", RefusedHere),
            "NOREPLICAS" => ("the server has too few replicas (NOREPLICAS)", Refused),
            "BUSY" => ("the server is busy with a script (BUSY)", Refused),
            "MOVED" | "ASK" | "CLUSTERDOWN" | "CROSSSLOT" => {
                ("the server is a cluster node; clusters are not supported", Unusable)
            }
            "ERR" => ("the server responded with an error (ERR)", Unusable),
            _ => ("the server responded with an error", Unusable),
        };
        Self::new(reason, meaning)
    }
}
