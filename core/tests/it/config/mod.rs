//! The configuration and its sources.

mod builders;
mod configuration;
mod configuration_environment;
mod secrets;
