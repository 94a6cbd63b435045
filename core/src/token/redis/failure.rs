//! What may go wrong with the server, in words that hold none of its own:
//! a server repeats what it was sent, passwords included.

use std::io;

use crate::transport::{FailureKind, TransportFailure};

/// Why the server did not do what was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Failure {
    pub(super) reason: &'static str,
    pub(super) meaning: Meaning,
}

/// What a failure says of the connection and the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// The server is there and refused: asking it costs nothing.
    Refused,
    /// As before, but another connection may reach a server that does not.
    RefusedHere,
    /// The server cannot be used: it is left alone for a while.
    Unusable,
    /// The connection ended. If it was an old one, a new one may do.
    Closed,
    /// There was no answer in time.
    Late,
}

impl Failure {
    pub(super) const NO_TLS: Self =
        Self::new("TLS cannot be set up: check host and ca_file", Meaning::Unusable);
    const LATE: Self = Self::new("the server did not answer in time", Meaning::Late);

    const fn new(reason: &'static str, meaning: Meaning) -> Self {
        Self { reason, meaning }
    }

    pub(super) fn of_dial(failure: &TransportFailure) -> Self {
        match (failure.kind, failure.code) {
            (FailureKind::Timeout | FailureKind::Cancelled, _) => Self::LATE,
            (_, "host_not_found" | "lookup_failed") => {
                Self::new("the server's name could not be looked up", Meaning::Unusable)
            }
            _ => Self::new("the server accepts no connection", Meaning::Unusable),
        }
    }

    pub(super) fn of_handshake(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::TimedOut {
            return Self::new(
                "the TLS handshake did not end in time; check that the port speaks TLS",
                Meaning::Late,
            );
        }
        let cause = error.get_ref().and_then(|cause| cause.downcast_ref());
        let reason = match cause {
            Some(rustls::Error::InvalidCertificate(_)) => {
                "the server's certificate was refused; with a private certificate authority, set \
                 ca_file"
            }
            _ => "the TLS handshake failed; check that the port speaks TLS",
        };
        Self::new(reason, Meaning::Unusable)
    }

    /// What it means that the exchange of a command broke off.
    pub(super) fn of_exchange(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut => Self::LATE,
            io::ErrorKind::InvalidData => {
                Self::new("the answer is not that of a Redis server", Meaning::Unusable)
            }
            _ => Self::new("the connection to the server broke", Meaning::Closed),
        }
    }

    /// What the server means by the error of this name.
    pub(super) fn of_code(code: &str) -> Self {
        use Meaning::{Refused, RefusedHere, Unusable};

        let (reason, meaning) = match code {
            "NOAUTH" => ("the server wants a password (NOAUTH)", Unusable),
            "WRONGPASS" => ("the server refused user or password (WRONGPASS)", Unusable),
            "NOPERM" => ("the server does not permit the user to do this (NOPERM)", Refused),
            "READONLY" => ("the server is a read-only replica (READONLY)", RefusedHere),
            "OOM" => ("the server has no memory left (OOM)", Refused),
            "LOADING" => ("the server is starting (LOADING)", Refused),
            "MISCONF" => ("the server cannot write to its disk (MISCONF)", Refused),
            "MASTERDOWN" => ("the server has lost its primary (MASTERDOWN)", RefusedHere),
            "NOREPLICAS" => ("the server has too few replicas (NOREPLICAS)", Refused),
            "BUSY" => ("the server is busy with a script (BUSY)", Refused),
            "MOVED" | "ASK" | "CLUSTERDOWN" | "CROSSSLOT" => {
                ("the server is a node of a cluster, which is not supported", Unusable)
            }
            "ERR" => ("the server answered with an error (ERR)", Unusable),
            _ => ("the server answered with an error", Unusable),
        };
        Self::new(reason, meaning)
    }
}
