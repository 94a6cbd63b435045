//! A transport that asks one service, without a credential.

use std::sync::Arc;
use std::time::Duration;

use payments_base::pem;
use payments_transport::inside::{Cause, SignedBody, USER_AGENT};
use payments_transport::{
    CallContext, CancelHandle, FailureKind, HttpSettings, HttpTransport, PreparedRequest,
    ProxySetting, Received, TlsRoots, Transport as _, TransportFailure,
};

use super::raw_server::RawServer;

/// Far enough that only a hanging request reaches it.
pub const DISTANT: Duration = Duration::from_secs(20);

const LARGEST_RESPONSE: usize = 16 << 20;

pub struct Caller {
    transport: HttpTransport,
    url: String,
}

/// A failure, and whether it proves that no byte of the request was sent.
#[derive(Debug)]
pub struct Failed {
    pub failure: TransportFailure,
    pub nothing_sent: bool,
}

impl Failed {
    pub fn kind(&self) -> (FailureKind, bool) {
        (self.failure.kind(), self.nothing_sent)
    }

    pub fn cause(&self) -> (Cause, bool) {
        (self.failure.cause(), self.nothing_sent)
    }

    pub fn message(&self) -> String {
        self.failure.message_for("base_url")
    }
}

/// Settings with a distant limit for connecting.
pub fn settings() -> HttpSettings {
    HttpSettings { connect_timeout: DISTANT, ..HttpSettings::default() }
}

/// Settings that trust the certificates of `pem` only.
pub fn trusting(pem: &str) -> HttpSettings {
    let certificates = pem::read(pem.as_bytes()).unwrap();
    let certificates =
        certificates.into_iter().map(|it| it.der.unwrap().expose().to_vec()).collect();
    HttpSettings { roots: TlsRoots::Certificates(Arc::new(certificates)), ..settings() }
}

/// Settings with the proxy at this URL.
pub fn through(proxy_url: &str, settings: HttpSettings) -> HttpSettings {
    HttpSettings { proxy: ProxySetting::Url(proxy_url.into()), ..settings }
}

/// The URL of a server with TLS, with a name that the operating system resolves.
pub fn tls_url(server: &RawServer) -> String {
    format!("https://localhost:{}", server.port())
}

impl Caller {
    pub fn of(server: &RawServer) -> Self {
        Self::new(&server.base_url(), &settings())
    }

    pub fn new(url: &str, settings: &HttpSettings) -> Self {
        Self { transport: HttpTransport::new(settings).unwrap(), url: url.to_owned() }
    }

    /// Posts a small body.
    pub fn post(&self) -> Result<Received, Failed> {
        self.post_within(&CallContext::with_timeout(DISTANT))
    }

    pub fn post_within(&self, context: &CallContext) -> Result<Received, Failed> {
        self.send("POST", b"{}", context)
    }

    /// Posts a small body until it is cancelled after this time.
    pub fn post_until(&self, cancelled_after: Duration) -> Failed {
        let cancel = CancelHandle::new();
        let context = CallContext::new(DISTANT * 3, cancel.clone(), None);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(cancelled_after);
                cancel.cancel();
            });
            self.post_within(&context).map(drop).unwrap_err()
        })
    }

    pub fn send(
        &self,
        method: &str,
        body: &[u8],
        context: &CallContext,
    ) -> Result<Received, Failed> {
        let (url, body) = (format!("{}/ws/x", self.url), SignedBody::new(body.to_vec(), 0));
        let is_read_only = method == "GET";
        let mut request =
            PreparedRequest::new(method, url.into(), body, LARGEST_RESPONSE, is_read_only);
        request.push_header("user-agent", USER_AGENT.into());
        self.transport.send(context, &request).map_err(|failure| Failed {
            nothing_sent: failure.proves_nothing_sent(context),
            failure,
        })
    }

    /// Posts, and reads the body of the response, which is whole.
    pub fn body(&self) -> String {
        let response = self.post().unwrap();
        assert!(response.body_failure.is_none(), "{response:?}");
        String::from_utf8(response.raw.body().to_vec()).unwrap()
    }

    /// Posts, which fails.
    pub fn failure(&self) -> Failed {
        self.post().map(drop).unwrap_err()
    }

    pub fn warm_up(&self) {
        self.transport.warm_up(&CallContext::with_timeout(DISTANT), &self.url).unwrap();
    }
}
