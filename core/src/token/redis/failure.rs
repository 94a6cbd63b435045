//! Failures of the Redis server. Messages never repeat its replies, which may echo
//! what it was sent, including passwords. A certificate comes before all that.

use std::borrow::Cow;

use payments_transport::inside::Cause;
use payments_transport::{FailureKind, TransportFailure};

/// Why the server did not execute a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RedisFailure {
    pub(super) reason: Cow<'static, str>,
    pub(super) meaning: Meaning,
}

/// The consequences of a failure for the connection and the server.
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
        Self::new("could not set up TLS; check host and port in token_store", Meaning::Unusable);
    pub(super) const FOREIGN: Self = Self::new(
        "the response is not from a Redis server; check host and port",
        Meaning::Unusable,
    );
    pub(super) const CLOSED: Self =
        Self::new("the connection to the server broke", Meaning::Closed);
    const LATE: Self = Self::new("the server did not respond in time", Meaning::Late);

    const fn new(reason: &'static str, meaning: Meaning) -> Self {
        Self { reason: Cow::Borrowed(reason), meaning }
    }

    /// Classifies a failure to connect.
    pub(super) fn of_connect(failure: &TransportFailure, uses_tls: bool) -> Self {
        let reason = match (failure.kind(), failure.cause()) {
            (FailureKind::Timeout | FailureKind::Cancelled, _) if uses_tls => {
                let reason = "the server did not respond in time; check that the port speaks TLS";
                return Self::new(reason, Meaning::Late);
            }
            (FailureKind::Timeout | FailureKind::Cancelled, _) => return Self::LATE,
            (_, Cause::HostNotFound | Cause::NotLookedUp) => {
                "could not find the server's address; check its name"
            }
            (FailureKind::Tls, _) => return Self::of_tls(failure),
            _ => {
                "could not connect to Redis; check host and port in token_store, and that it is up"
            }
        };
        Self::new(reason, Meaning::Unusable)
    }

    fn of_tls(failure: &TransportFailure) -> Self {
        Self { reason: failure.to_string().into(), meaning: Meaning::Unusable }
    }

    /// Classifies a failure during a command.
    pub(super) fn of_exchange(failure: &TransportFailure) -> Self {
        match failure.kind() {
            FailureKind::Timeout | FailureKind::Cancelled => Self::LATE,
            FailureKind::Tls => Self::of_tls(failure),
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

#[cfg(test)]
mod tests {
    use super::*;
    use Meaning::{Late, Refused, RefusedHere, Unusable};

    #[test]
    fn an_error_of_the_server_is_known_by_its_name() {
        for (code, meaning, said) in [
            ("NOAUTH", Unusable, "requires a password"),
            ("WRONGPASS", Unusable, "refused the user name or the password"),
            ("NOPERM", Refused, "lacks the permission"),
            ("READONLY", RefusedHere, "read-only replica"),
            ("OOM", Refused, "no memory left"),
            ("LOADING", Refused, "is starting"),
            ("MISCONF", Refused, "cannot write to its disk"),
            ("MASTERDOWN", RefusedHere, "lost its primary"),
            ("NOREPLICAS", Refused, "too few replicas"),
            ("BUSY", Refused, "busy with a script"),
            ("MOVED", Unusable, "clusters are not supported"),
            ("CROSSSLOT", Unusable, "clusters are not supported"),
            ("ERR", Unusable, "an error (ERR)"),
            ("WHATEVER", Unusable, "an error"),
        ] {
            let failure = RedisFailure::of_code(code);
            assert_eq!(failure.meaning, meaning, "{code}");
            assert!(failure.reason.contains(said), "{code}: {}", failure.reason);
        }
        assert!(!RedisFailure::of_code("canary").reason.contains("canary"));
    }

    #[test]
    fn a_failure_to_connect_has_advice() {
        let of = |cause, uses_tls| {
            let failure = TransportFailure::of(cause, "words of TLS");
            RedisFailure::of_connect(&failure, uses_tls)
        };
        for (cause, meaning, said) in [
            (Cause::Deadline, Late, "in time"),
            (Cause::Cancelled, Late, "in time"),
            (Cause::HostNotFound, Unusable, "check its name"),
            (Cause::Tls, Unusable, "words of TLS"),
            (Cause::NotConnected, Unusable, "that it is up"),
        ] {
            for uses_tls in [true, false] {
                let failure = of(cause, uses_tls);
                assert_eq!(failure.meaning, meaning, "{cause:?}");
                assert!(failure.reason.contains(said), "{cause:?}: {}", failure.reason);
                let names_tls = failure.reason.contains("speaks TLS");
                assert_eq!(names_tls, meaning == Late && uses_tls);
            }
        }
    }
}
