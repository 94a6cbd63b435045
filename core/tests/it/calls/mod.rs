//! What becomes of a call: its outcome, its end, what it shows.

mod answer_memory;
mod answered_calls;
mod call_context;
mod call_context_hook;
mod event_paths;
mod example_pay;
mod log;
mod messages;
mod outcome_before_sending;
mod outcome_broken;
mod outcome_connecting;
mod outcome_resending;
mod outcome_statuses;
mod secrets;
mod shared_clients;
