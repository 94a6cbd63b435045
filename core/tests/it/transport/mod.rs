//! Connections: requests as sent, TLS, proxies.

#[cfg(unix)]
mod addresses;
mod connections;
mod proxy;
mod tls;
mod tls_reuse;
mod transport_custom;
mod transport_requests;
mod warm_up;
