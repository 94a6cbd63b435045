//! How a prepared request reaches the service.

// From the highest to the lowest; xtask/src/layers.rs checks their order:
//
// - `http.rs`: the crate's own transport: one request, from pool to response
// - `transport.rs`: what a transport promises and returns
// - `exchange.rs`, `response.rs`, `head.rs`, `request.rs`: one request and its response on
//   a connection
// - `response_bytes.rs`: a response as received
// - `connections.rs`, `pool.rs`: the connections of a process, and how long one may be idle
// - `connector.rs`, `connect.rs`, `race.rs`, `socket.rs`, `address.rs`, `connection.rs`:
//   making connections, and the sockets below them, which abort
// - `proxy.rs`, `proxy_url.rs`, `no_proxy.rs`, `tunnel.rs`: the proxy of an address, and
//   the tunnel that it opens
// - `tls/`: TLS over rustls, and the words for each failure of a handshake
// - `pace.rs`: the limits of a call on its connection
// - `failure.rs`, `classify.rs`: why there is no response
// - `call/`: the deadline, the cancellation and the turns of a call
// - `fuzzing.rs`: readers for `tests/fuzz`

mod address;
mod call;
mod classify;
mod connect;
mod connection;
mod connections;
mod connector;
mod exchange;
mod failure;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod head;
mod http;
mod no_proxy;
mod pace;
mod pool;
mod proxy;
mod proxy_url;
mod race;
mod request;
mod response;
mod response_bytes;
mod socket;
mod tls;
mod transport;
mod tunnel;

pub use call::context;
pub use call::context::{CallContext, CancelHandle};
pub use connect::Lookup;
pub use failure::{FailureKind, TransportFailure};
pub use http::{HttpSettings, HttpTransport};
pub use proxy::ProxySetting;
pub use proxy_url::InvalidProxy;
pub use request::PreparedRequest;
pub use response_bytes::ResponseBytes;
pub use tls::TlsRoots;
pub use transport::{Received, Transport};

/// Internals for the core, the host and the command. Nothing here is stable:
/// they depend on exactly this version.
#[doc(hidden)]
pub mod inside {
    pub use ureq::http::Uri;

    pub use crate::address::{has_usable_port, ip_of};
    pub use crate::call::context::ByteRecord;
    pub use crate::call::semaphore::{Permit, Semaphore};
    pub use crate::call::waiters::Waiters;
    pub use crate::connection::Connection;
    pub use crate::connections::PooledConnection;
    pub use crate::connector::Connector;
    pub use crate::failure::Cause;
    pub use crate::no_proxy::NoProxy;
    pub use crate::pace::Pace;
    pub use crate::proxy::{FOR_HTTPS as PROXY_VARIABLES, Proxies, ProxyTrial};
    pub use crate::request::{ACCEPT_ENCODING, SignedBody, USER_AGENT, authority_of};
    pub use crate::transport::{guarded, send_once};
    pub use payments_base::wait::Waker;
}
