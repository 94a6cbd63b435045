//! What hosts are built on: operations by name, the journal, following, recovery
//! and the commands.

#![allow(unused_imports, reason = "of a crate of its own, soon")]

pub mod agreement;
pub mod answer;
pub mod by_name;
pub mod commands;
pub mod follow;
pub mod journal;
pub mod recovery;
pub mod threads;
pub mod turns;
pub mod waiting;
