//! Translates the errors of ureq's connectors.

use std::io;

use super::pace::ConnectionStage;
use super::proxy_url::ProxyName;
use super::{FailureKind, TransportFailure};
use crate::call::context::Ended;
use crate::model::error::ErrorCode;

/// The two ends of a way, for messages.
#[derive(Clone, Default, Debug)]
pub(super) struct Ends {
    /// The host and port of the service or the token server.
    pub(super) host: String,
    pub(super) proxy: Option<ProxyName>,
}

impl Ends {
    /// Who is at the other end at `stage`: until there is a tunnel, the proxy.
    fn peer(&self, stage: ConnectionStage) -> &str {
        let proxy = self.proxy.as_ref().filter(|_| stage == ConnectionStage::Connecting);
        proxy.map_or(&self.host, |proxy| &proxy.shown)
    }
}

/// The failure of a connection between `ends` that has reached `stage`.
pub(super) fn classify(
    error: ::ureq::Error,
    stage: ConnectionStage,
    ends: &Ends,
) -> TransportFailure {
    match error {
        ::ureq::Error::Rustls(error) => tls(error, stage, ends),
        ::ureq::Error::Tls(reason) => {
            let message = format!("the TLS handshake with {} failed: {reason}", ends.peer(stage));
            TransportFailure::new(FailureKind::Tls, message).final_for_now()
        }
        ::ureq::Error::Io(error) => of_io(error, stage, ends),
        ::ureq::Error::ConnectProxyFailed(response) => proxy_refused(&response, ends),
        ::ureq::Error::Timeout(_) => TransportFailure::ended(Ended::Deadline),
        _ if stage == ConnectionStage::Connecting => could_not_connect(ends),
        _ => TransportFailure::broken(),
    }
}

fn could_not_connect(ends: &Ends) -> TransportFailure {
    let message = format!("could not connect to {}", ends.peer(ConnectionStage::Connecting));
    let failure = TransportFailure::new(FailureKind::Connect, message).of_address();
    match &ends.proxy {
        Some(proxy) => failure.of_proxy(proxy.set_by),
        None => failure,
    }
}

/// The proxy gave `response` instead of a tunnel.
fn proxy_refused(response: &str, ends: &Ends) -> TransportFailure {
    let Ends { host, proxy } = ends;
    let (shown, set_by) = proxy.as_ref().map_or(("the proxy", "proxy"), ProxyName::parts);
    let refused = |message: String| {
        TransportFailure::new(FailureKind::Connect, message).with_code(ErrorCode::PROXY_REFUSED)
    };
    // The same password would be refused again.
    if response.contains("407") {
        return refused(format!(
            "{shown} requires other credentials (407); set {set_by} to \
             http://user:password@host:port, and percent-encode characters such as @ : / and % in \
             user and password"
        ))
        .final_for_now();
    }
    let or_direct = match set_by {
        "proxy" => "",
        _ => ", or add the host to NO_PROXY if it can be reached without",
    };
    let response = response.replace("proxy server", "it");
    let response = response.split('/').next().unwrap_or_default();
    refused(format!(
        "{shown} refused to connect to {host}: {response}; have the proxy allow this host{or_direct}"
    ))
}

fn of_io(error: io::Error, stage: ConnectionStage, ends: &Ends) -> TransportFailure {
    let error = match error.downcast::<rustls::Error>() {
        Ok(error) => return tls(error, stage, ends),
        Err(error) => error,
    };
    let error = match error.downcast::<::ureq::Error>() {
        Ok(error) => return classify(error, stage, ends),
        Err(error) => error,
    };
    match stage {
        ConnectionStage::Connecting => could_not_connect(ends).with_source(error),
        ConnectionStage::Handshaking => TransportFailure::new(
            FailureKind::Tls,
            format!(
                "the connection to {} broke during the TLS handshake; check that the port speaks \
                 TLS",
                ends.host
            ),
        )
        .with_code(ErrorCode::HANDSHAKE_BROKEN)
        .with_source(error),
        ConnectionStage::Open => TransportFailure::broken().with_source(error),
    }
}

fn tls(error: rustls::Error, stage: ConnectionStage, ends: &Ends) -> TransportFailure {
    if stage == ConnectionStage::Open {
        return TransportFailure::broken().with_source(error);
    }
    use rustls::CertificateError::{
        Expired, ExpiredContext, NotValidForName, NotValidForNameContext, NotValidYet,
        NotValidYetContext,
    };
    let (code, advice) = match &error {
        rustls::Error::InvalidCertificate(
            Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. },
        ) => {
            (ErrorCode::CERTIFICATE_EXPIRED, "check the clock of this host, and tell the provider")
        }
        rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
            (ErrorCode::CERTIFICATE_OF_ANOTHER_HOST, "check the host in the address")
        }
        rustls::Error::InvalidCertificate(_) => (
            ErrorCode::CERTIFICATE_REFUSED,
            "behind a corporate proxy or with a private certificate authority, set ca_file",
        ),
        rustls::Error::General(_) => (
            ErrorCode::NO_ROOTS,
            "install the root certificates of the operating system (ca-certificates), or set \
             ca_file",
        ),
        _ => (ErrorCode::TLS_FAILED, "check that the port speaks TLS 1.2 or 1.3"),
    };
    let (peer, reason) = (ends.peer(stage), in_words(&error));
    let message = format!("the TLS handshake with {peer} failed: {reason}; {advice}");
    TransportFailure::new(FailureKind::Tls, message)
        .with_code(code)
        .final_for_now()
        .with_source(error)
}

/// The reason in words, as far as people meet it; otherwise as rustls has it.
fn in_words(error: &rustls::Error) -> String {
    use rustls::CertificateError as Refused;
    match error {
        rustls::Error::InvalidCertificate(Refused::UnknownIssuer) => {
            "its certificate is of an authority that is not trusted".to_owned()
        }
        rustls::Error::InvalidCertificate(Refused::Expired | Refused::ExpiredContext { .. }) => {
            "its certificate has expired".to_owned()
        }
        rustls::Error::InvalidCertificate(
            Refused::NotValidYet | Refused::NotValidYetContext { .. },
        ) => "its certificate is not valid yet".to_owned(),
        rustls::Error::InvalidCertificate(Refused::NotValidForNameContext {
            presented, ..
        }) => {
            let names = presented.iter().map(|name| name.split('"').nth(1).unwrap_or(name));
            let names: Vec<_> = names.collect();
            format!("its certificate is for another host: {}", names.join(", "))
        }
        rustls::Error::InvalidMessage(_) => "it does not respond with TLS".to_owned(),
        rustls::Error::General(why) => why.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rustls::CertificateError::{Expired, NotValidYet, UnknownIssuer};
    use ureq::Error;

    use super::*;
    use ConnectionStage::{Connecting, Handshaking, Open};

    fn told(error: Error, stage: ConnectionStage) -> (FailureKind, ErrorCode, String) {
        let shown = "the proxy 10.0.0.1:3128".to_owned();
        let proxy = Some(ProxyName { shown, set_by: "proxy" });
        let ends = Ends { host: "api.example:443".to_owned(), proxy };
        let failure = classify(error, stage, &ends);
        (failure.kind, failure.code, failure.message)
    }

    #[test]
    fn a_certificate_that_is_refused_says_why_and_what_to_do() {
        let of_host = rustls::CertificateError::NotValidForNameContext {
            expected: "api.example".try_into().unwrap(),
            presented: vec!["DnsName(\"other.example\")".to_owned()],
        };
        for (refused, code, said) in [
            (Expired, ErrorCode::CERTIFICATE_EXPIRED, "has expired; check the clock"),
            (NotValidYet, ErrorCode::CERTIFICATE_EXPIRED, "is not valid yet; check the clock"),
            (
                of_host,
                ErrorCode::CERTIFICATE_OF_ANOTHER_HOST,
                "is for another host: other.example; check the host",
            ),
            (UnknownIssuer, ErrorCode::CERTIFICATE_REFUSED, "not trusted; behind a corporate"),
        ] {
            let error = Error::Rustls(rustls::Error::InvalidCertificate(refused));
            let (kind, told_code, message) = told(error, Handshaking);
            assert_eq!((kind, told_code), (FailureKind::Tls, code), "{message}");
            assert!(message.contains(said), "{message}");
            assert!(message.contains("handshake with api.example:443 failed"), "{message}");
        }
    }

    #[test]
    fn a_handshake_fails_with_the_proxy_until_there_is_a_tunnel() {
        for (stage, peer) in [(Connecting, "the proxy 10.0.0.1:3128"), (Handshaking, "api.example")]
        {
            let (kind, _, message) = told(Error::Tls("no certificate"), stage);
            assert_eq!(kind, FailureKind::Tls);
            assert!(message.contains(&format!("with {peer}")), "{message}");
            assert!(message.ends_with("no certificate"), "{message}");
        }
    }

    #[test]
    fn what_else_may_go_wrong_in_tls_has_an_advice() {
        let message = rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType);
        let roots = rustls::Error::General("no roots".to_owned());
        for (error, code, said) in [
            (message, ErrorCode::TLS_FAILED, "does not respond with TLS; check that the port"),
            (roots, ErrorCode::NO_ROOTS, "failed: no roots; install the root certificates"),
        ] {
            let (_, told_code, said_so) = told(Error::Rustls(error.clone()), Handshaking);
            assert_eq!(told_code, code);
            assert!(said_so.contains(said), "{said_so}");
            // Under a request it does not matter why.
            let (kind, told_code, _) = told(Error::Rustls(error), Open);
            assert_eq!((kind, told_code), (FailureKind::Broken, ErrorCode::CONNECTION_BROKEN));
        }
    }

    #[test]
    fn what_has_no_reason_is_told_by_how_far_it_came() {
        let (kind, code, message) = told(Error::ConnectionFailed, Connecting);
        assert_eq!((kind, code), (FailureKind::Connect, ErrorCode::CONNECT_FAILED));
        let advice =
            "could not connect to the proxy 10.0.0.1:3128; check proxy, and that the proxy is up";
        assert_eq!(message, advice);
        let ends = Ends { host: "api.example:443".to_owned(), proxy: None };
        let direct = classify(Error::ConnectionFailed, Connecting, &ends);
        assert_eq!(direct.message, "could not connect to api.example:443");
        let (kind, ..) = told(Error::ConnectionFailed, Open);
        assert_eq!(kind, FailureKind::Broken);
        let (kind, code, _) = told(Error::Timeout(ureq::Timeout::Global), Open);
        assert_eq!((kind, code), (FailureKind::Timeout, ErrorCode::DEADLINE_PASSED));
    }
}
