//! The configuration and its sources.

mod authorities;
mod builders;
mod configuration;
mod configuration_environment;
mod features;
mod headers;
mod secrets;
mod values_as_files;
