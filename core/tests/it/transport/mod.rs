//! Connections: requests as sent, TLS, proxies.

#[cfg(unix)]
mod addresses;
mod connections;
mod no_proxy;
mod proxy;
mod proxy_environment;
mod tls;
mod tls_chains;
mod tls_reuse;
mod tls_words;
mod transport_custom;
mod transport_requests;
mod warm_up;
