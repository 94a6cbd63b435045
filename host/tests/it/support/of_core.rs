//! Helpers that are shared with the tests of the core, included from their
//! files.

#![allow(dead_code, unused_imports, reason = "the tests of the core use the rest")]

#[path = "../../../../core/tests/it/support/calls.rs"]
pub mod calls;
#[path = "../../../../core/tests/it/support/child.rs"]
pub mod child;
#[path = "../../../../core/tests/it/support/folder.rs"]
pub mod folder;
#[path = "../../../../core/tests/it/support/journal.rs"]
pub mod journal;
#[path = "../../../../core/tests/it/support/journaled.rs"]
pub mod journaled;
#[path = "../../../../core/tests/it/support/merchant.rs"]
pub mod merchant;
#[path = "../../../../transport/tests/it/support/raw_server.rs"]
pub mod raw_server;
#[path = "../../../../transport/tests/it/support/silent.rs"]
pub mod silent;
#[cfg(all(unix, feature = "journal-sqlite"))]
#[path = "../../../../core/tests/it/support/sqlite.rs"]
pub mod sqlite;
#[path = "../../../../core/tests/it/support/tokens/mod.rs"]
pub mod tokens;
#[path = "../../../../core/tests/it/support/vectors.rs"]
pub mod vectors;
#[path = "../../../../core/tests/it/support/wait.rs"]
pub mod wait;
