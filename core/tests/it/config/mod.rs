//! The configuration and its sources.

mod configuration;
mod configuration_environment;
