//! Connections as a client uses them: requests as sent, TLS, proxies.

#[cfg(unix)]
mod addresses;
mod connections;
mod proxy;
mod proxy_environment;
mod tls;
mod tls_chains;
mod transport_custom;
mod transport_requests;
mod warm_up;
