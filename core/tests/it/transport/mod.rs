//! Connections: requests as sent, TLS, proxies.

mod addresses;
mod connections;
mod proxy;
mod tls;
mod tls_reuse;
mod transport_custom;
mod transport_requests;
mod warm_up;
