//! The modules for the table of phases, at the places of the core's tests.

#![allow(dead_code, unused_imports, reason = "the tests of the core use the rest")]
#![allow(unexpected_cfgs, reason = "the features are those of the core")]

#[path = "../../../../../core/tests/it/support/calls.rs"]
pub mod calls;
#[path = "../../../../../core/tests/it/support/journal.rs"]
pub mod journal;
#[path = "../../../../../core/tests/it/support/phases/mod.rs"]
pub mod phases;
#[path = "../../../../../core/tests/it/support/tokens/mod.rs"]
pub mod tokens;

pub(crate) use crate::{folder, raw_server, silent, tls_server, wait};
