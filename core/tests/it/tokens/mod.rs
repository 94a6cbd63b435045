//! Bearer tokens and token stores.

mod file_store;
mod file_store_fleet;
#[cfg(all(unix, feature = "redis"))]
mod redis_store;
#[cfg(all(unix, feature = "redis"))]
mod redis_store_configured;
#[cfg(all(unix, feature = "redis"))]
mod redis_store_failures;
#[cfg(all(unix, feature = "redis"))]
mod redis_store_fleet;
#[cfg(all(unix, feature = "redis"))]
mod storms;
mod storms_in_one_process;
mod tokens_arbitration;
mod tokens_backoff;
mod tokens_callbacks;
mod tokens_clock;
mod tokens_forgetting;
mod tokens_merchants;
mod tokens_refused_hours;
mod tokens_replacing;
mod tokens_responses;
mod tokens_restart;
mod tokens_secrets;
mod tokens_single_flight;
mod tokens_sockets;
mod tokens_status;
mod tokens_store;
