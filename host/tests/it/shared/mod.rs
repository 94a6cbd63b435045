//! Tests that all languages share: manifest and scenarios.

mod manifest;
mod samples;
mod scenarios;
