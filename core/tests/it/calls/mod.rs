//! Calls: their outcomes, their ends, and the secrets that they do not reveal.

mod call_context;
mod call_context_hook;
mod event_paths;
#[cfg(target_os = "linux")]
mod late_bytes;
mod log;
mod messages;
mod outcome_before_sending;
mod outcome_broken;
mod outcome_codes;
mod outcome_connecting;
mod outcome_resending;
mod outcome_statuses;
mod phases;
mod secrets;
mod shared_clients;
mod traceparent;
#[cfg(feature = "tracing")]
mod tracing_observer;
