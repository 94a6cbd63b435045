//! Translates the errors of ureq's connectors.

use std::io;

use super::pace::ConnectionStage;
use super::{FailureKind, TransportFailure};
use crate::call::context::Ended;
use crate::model::error::ErrorCode;

/// The failure of a connection that has reached `stage`.
pub(super) fn classify(error: ::ureq::Error, stage: ConnectionStage) -> TransportFailure {
    match error {
        ::ureq::Error::Rustls(error) => tls(error, stage),
        ::ureq::Error::Tls(reason) => {
            TransportFailure::new(FailureKind::Tls, reason).final_for_now()
        }
        ::ureq::Error::Io(error) => of_io(error, stage),
        ::ureq::Error::ConnectProxyFailed(response) => {
            let refused = |message: &str| {
                TransportFailure::new(FailureKind::Connect, message)
                    .with_code(ErrorCode::PROXY_REFUSED)
            };
            // The same password would be refused again.
            match response.contains("407") {
                true => refused(
                    "the proxy requires other credentials (407); set proxy to \
                     http://user:password@host:port",
                )
                .final_for_now(),
                false => refused(
                    "the proxy refused to connect to the service; check that it allows this host",
                ),
            }
        }
        ::ureq::Error::Timeout(_) => TransportFailure::ended(Ended::Deadline),
        _ if stage == ConnectionStage::Connecting => {
            TransportFailure::new(FailureKind::Connect, "could not connect").of_address()
        }
        _ => TransportFailure::broken(),
    }
}

fn of_io(error: io::Error, stage: ConnectionStage) -> TransportFailure {
    let error = match error.downcast::<rustls::Error>() {
        Ok(error) => return tls(error, stage),
        Err(error) => error,
    };
    let error = match error.downcast::<::ureq::Error>() {
        Ok(error) => return classify(error, stage),
        Err(error) => error,
    };
    match stage {
        ConnectionStage::Connecting => {
            TransportFailure::new(FailureKind::Connect, "could not connect")
                .of_address()
                .with_source(error)
        }
        ConnectionStage::Handshaking => TransportFailure::new(
            FailureKind::Tls,
            "the connection broke during the TLS handshake; check that the port speaks TLS",
        )
        .with_code(ErrorCode::HANDSHAKE_BROKEN)
        .with_source(error),
        ConnectionStage::Open => TransportFailure::broken().with_source(error),
    }
}

fn tls(error: rustls::Error, stage: ConnectionStage) -> TransportFailure {
    if stage == ConnectionStage::Open {
        return TransportFailure::broken().with_source(error);
    }
    use rustls::CertificateError::{
        Expired, ExpiredContext, NotValidForName, NotValidForNameContext, NotValidYet,
        NotValidYetContext,
    };
    let (code, message) = match &error {
        rustls::Error::InvalidCertificate(
            Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. },
        ) => (
            ErrorCode::CERTIFICATE_EXPIRED,
            "the certificate of the service has expired or is not valid yet; check the clock of \
             this host, and tell the provider",
        ),
        rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => (
            ErrorCode::CERTIFICATE_OF_ANOTHER_HOST,
            "the certificate of the service is for another host name; check base_url and auth_url",
        ),
        rustls::Error::InvalidCertificate(_) => (
            ErrorCode::CERTIFICATE_REFUSED,
            "the service's certificate is not trusted; behind a corporate proxy or with a \
             private certificate authority, set ca_file",
        ),
        rustls::Error::General(_) => (
            ErrorCode::NO_ROOTS,
            "could not use the operating system's root certificates; install them \
             (ca-certificates) or set ca_file",
        ),
        _ => (
            ErrorCode::TLS_FAILED,
            "the TLS handshake failed; check that the port speaks TLS 1.2 or 1.3",
        ),
    };
    TransportFailure::new(FailureKind::Tls, message)
        .with_code(code)
        .final_for_now()
        .with_source(error)
}
