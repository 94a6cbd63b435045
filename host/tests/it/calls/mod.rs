//! Calls by name, following and waiting.

mod by_name;
mod ensuring;
mod ensuring_clicks;
mod ensuring_comparison;
mod ensuring_outcomes;
mod following;
mod following_journal;
#[cfg(unix)]
mod following_outages;
mod following_payouts;
#[cfg(unix)]
mod following_restarts;
mod following_waits;
mod interrupted_calls;
mod response_memory;
mod traceparent;
mod waiting;
