//! Translates the errors of ureq's connectors.

use crate::call::context::Ended;
use crate::failure::{FailureKind, TransportFailure};
use crate::pace::ConnectionStage;
use crate::proxy_url::ProxyName;

/// The two ends of a connection, for messages.
#[derive(Clone, Default, Debug)]
pub(super) struct Ends {
    /// The host and port of the service or the token server.
    pub(super) host: String,
    /// Whether messages leave out the host, whose address is secret.
    pub(super) is_concealed: bool,
    pub(super) proxy: Option<ProxyName>,
}

impl Ends {
    /// The peer at `stage`: until there is a tunnel, the proxy.
    pub(super) fn peer(&self, stage: ConnectionStage) -> &str {
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
        ::ureq::Error::Io(error) => match error.downcast::<::ureq::Error>() {
            Ok(error) => classify(error, stage, ends),
            Err(error) if stage == ConnectionStage::Open => {
                TransportFailure::broken().with_source(error)
            }
            Err(error) => could_not_connect(ends).with_source(error),
        },
        ::ureq::Error::Timeout(_) => TransportFailure::ended(Ended::Deadline),
        _ if stage == ConnectionStage::Connecting => could_not_connect(ends),
        _ => TransportFailure::broken(),
    }
}

/// The failure for a peer that closed the connection before any byte was
/// exchanged.
pub(super) fn could_not_connect(ends: &Ends) -> TransportFailure {
    let message = format!("could not connect to {}", ends.peer(ConnectionStage::Connecting));
    let failure = TransportFailure::new(FailureKind::Connect, message).of_address();
    match &ends.proxy {
        Some(proxy) => failure.of_proxy(proxy.set_by),
        None => failure,
    }
}

#[cfg(test)]
mod tests {
    use ureq::Error;

    use super::*;
    use crate::failure::Cause;
    use ConnectionStage::{Connecting, Open};

    fn classified(error: Error, stage: ConnectionStage) -> (FailureKind, Cause, String) {
        let shown = "the proxy 10.0.0.1:3128".to_owned();
        let proxy = Some(ProxyName { shown, set_by: "proxy" });
        let ends = Ends { host: "api.example:443".to_owned(), proxy, is_concealed: false };
        let failure = classify(error, stage, &ends);
        (failure.kind(), failure.cause(), failure.message)
    }

    #[test]
    fn a_failure_without_a_reason_names_its_stage() {
        let (kind, code, message) = classified(Error::ConnectionFailed, Connecting);
        assert_eq!((kind, code), (FailureKind::Connect, Cause::NotConnected));
        let advice =
            "could not connect to the proxy 10.0.0.1:3128; check proxy, and that the proxy is up";
        assert_eq!(message, advice);
        let ends = Ends { host: "api.example:443".to_owned(), ..Ends::default() };
        let direct = classify(Error::ConnectionFailed, Connecting, &ends);
        assert_eq!(direct.message, "could not connect to api.example:443");
        let (kind, ..) = classified(Error::ConnectionFailed, Open);
        assert_eq!(kind, FailureKind::Broken);
        let (kind, code, _) = classified(Error::Timeout(ureq::Timeout::Global), Open);
        assert_eq!((kind, code), (FailureKind::Timeout, Cause::Deadline));
    }
}
