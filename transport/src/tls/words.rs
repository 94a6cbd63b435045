//! Why there is no TLS connection, and the remedy.

use std::io;

use rustls::{Error, InvalidMessage, PeerIncompatible};

use super::alerts::{self, NO_CLIENT_CERTIFICATES, NOTHING_IN_COMMON_ADVICE, TELL_BOTH};
use super::handshake::{Handshake, Words};
use super::refusals;
use super::seen::Seen;
use crate::failure::{Cause, TransportFailure};

impl Words {
    fn failure_of_handshake(self, peer: &str) -> TransportFailure {
        let Self { cause, reason, advice } = self;
        let message = format!("the TLS handshake with {peer} failed: {reason}; {advice}");
        TransportFailure::of(cause, message).without_reconnect()
    }
}

impl Handshake<'_> {
    pub(super) fn failed(&self, error: io::Error) -> TransportFailure {
        match error.downcast::<Error>() {
            Ok(error) => self.words(&error).failure_of_handshake(self.peer).with_source(error),
            Err(error) => self.broken().with_source(error),
        }
    }

    fn broken(&self) -> TransportFailure {
        let message = if self.seen.wants_certificate() {
            format!(
                "the connection to {} broke during the TLS handshake, in which it asked for a \
                 certificate of the client; {NO_CLIENT_CERTIFICATES}",
                self.peer
            )
        } else {
            format!(
                "the connection to {} broke during the TLS handshake; check that the port speaks \
                 TLS",
                self.peer
            )
        };
        TransportFailure::of(Cause::HandshakeBroken, message)
    }

    fn words(&self, error: &Error) -> Words {
        let failed = |reason: &str, advice: &str| Words::new(Cause::Tls, reason, advice);
        match error {
            Error::InvalidCertificate(refused) => refusals::in_words(self, refused),
            Error::AlertReceived(alert) => {
                let wants_certificate = self.seen.wants_certificate();
                let (reason, advice) = alerts::in_words(*alert, self.name, wants_certificate);
                Words::new(Cause::Tls, reason, advice)
            }
            Error::InvalidMessage(
                InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
            ) => {
                failed("it does not respond with TLS", "check that the port speaks TLS 1.2 or 1.3")
            }
            Error::PeerIncompatible(
                PeerIncompatible::ServerDoesNotSupportTls12Or13
                | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig,
            ) => failed(
                "it offers neither TLS 1.2 nor TLS 1.3",
                "have the server offer one of them, or check the port",
            ),
            Error::PeerIncompatible(_) => failed(
                "it has no cipher, key exchange or signature in common with this library",
                NOTHING_IN_COMMON_ADVICE,
            ),
            Error::NoCertificatesPresented => {
                failed("it sent no certificate", "have the server send one, or check the port")
            }
            Error::FailedToGetCurrentTime => {
                failed("the clock of this host is before 1970", "set the clock")
            }
            Error::FailedToGetRandomBytes => failed(
                "the operating system gave no random numbers",
                "check that this process may read them, and try again",
            ),
            _ => failed("its messages do not follow the rules of TLS", TELL_BOTH),
        }
    }
}

/// The failure for a server that refuses the client, or seems to, after a
/// handshake that was complete for the client; `None` if `error` shows nothing
/// of the kind.
pub(super) fn refused_after_handshake(
    error: &io::Error,
    peer: &str,
    seen: &Seen,
) -> Option<TransportFailure> {
    let wants_certificate = seen.wants_certificate();
    match error.get_ref().and_then(|error| error.downcast_ref::<Error>()) {
        Some(Error::AlertReceived(alert)) if alerts::is_of_client(*alert, wants_certificate) => {
            let (reason, advice) = alerts::in_words(*alert, peer, wants_certificate);
            let words = Words::new(Cause::Tls, reason, advice);
            Some(words.failure_of_handshake(peer).with_source(Error::AlertReceived(*alert)))
        }
        None if wants_certificate && error.kind() != io::ErrorKind::WouldBlock => {
            let hint =
                format!("it had asked for a certificate of the client; {NO_CLIENT_CERTIFICATES}");
            Some(TransportFailure::broken_perhaps_since(&hint))
        }
        _ => None,
    }
}

/// The failure for a host that no certificate can name.
pub(super) fn no_name(peer: &str) -> TransportFailure {
    let reason = "no certificate can be for this host name";
    let advice = "check the host in the address: its parts have 1 to 63 letters, digits, hyphens \
                  or underscores";
    Words::new(Cause::Tls, reason, advice).failure_of_handshake(peer)
}

/// The failure if TLS cannot be set up on this host.
pub(super) fn unusable(peer: &str, error: Error) -> TransportFailure {
    let is_set = |name: &&str| std::env::var_os(name).is_some();
    let advice = match ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter().find(is_set) {
        Some(name) => format!("{name} is set: check what it names, or unset it, or set ca_file"),
        None => "install the root certificates of the operating system (ca-certificates), or set \
                 ca_file"
            .to_owned(),
    };
    let reason = "the operating system has no root certificates that can be used";
    Words::new(Cause::NoRoots, reason, advice).failure_of_handshake(peer).with_source(error)
}
