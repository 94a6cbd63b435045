//! The command as it is built, run as its own process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests may panic")]

#[cfg(unix)]
mod batch;
#[cfg(unix)]
mod batch_amounts;
#[cfg(unix)]
mod batch_changes;
#[cfg(unix)]
mod batch_checks;
#[cfg(unix)]
mod batch_doubts;
#[cfg(unix)]
mod batch_files;
#[cfg(unix)]
mod batch_people;
#[cfg(unix)]
mod batch_queries;
#[cfg(unix)]
mod batch_references;
#[cfg(unix)]
mod batch_reports;
mod check;
mod configuration;
mod demo;
mod docs;
mod doctor;
mod failures;
#[path = "../../../core/tests/it/support/folder.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod folder;
#[cfg(target_os = "linux")]
mod follow;
#[cfg(target_os = "linux")]
#[path = "../../../core/tests/it/support/format_1.rs"]
mod format_1;
mod help;
#[cfg(unix)]
mod interruption;
#[cfg(unix)]
mod journal;
#[cfg(unix)]
mod journal_cases;
#[cfg(unix)]
mod journal_copies;
#[cfg(target_os = "linux")]
mod journal_disk;
#[cfg(target_os = "linux")]
mod journal_list;
#[cfg(unix)]
#[path = "../../../core/tests/it/support/journal_lock.rs"]
mod journal_lock;
#[cfg(target_os = "linux")]
mod journal_upgrade;
mod keys;
mod log;
#[cfg(target_os = "linux")]
mod message_peers;
#[cfg(target_os = "linux")]
mod messages;
mod operations;
mod options;
mod prepare;
#[cfg(unix)]
#[path = "../../../transport/tests/it/support/raw_server.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod raw_server;
#[cfg(unix)]
#[path = "../../../core/tests/it/support/redis.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod redis;
#[cfg(unix)]
mod reference;
mod refunds;
mod sandbox;
mod secrets;
mod send;
mod support;
#[cfg(unix)]
#[path = "../../../transport/tests/it/support/tls_server.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod tls_server;
mod token;
mod token_status;
