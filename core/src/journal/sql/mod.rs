//! The statements of a journal in a database, for SQLite and PostgreSQL.
//!
//! Parameters are named, as in `:reference`, after the members of
//! [`Entry`](super::Entry) and [`Filter`](super::Filter). Differences between
//! the two databases are in braces; [`SQLITE`] and [`POSTGRESQL`] have the
//! replacements.
//!
//! The unique indexes of the table decide, so check it once per process, with
//! [`CHECK_SQLITE`] or [`CHECK_POSTGRESQL`]. Each write is a committed
//! transaction, on a connection that is in no other one. In PostgreSQL,
//! `pg_temp` comes last in its `search_path`, and `synchronous_commit` is at
//! least `on`. All times are of the database's clock.

mod generated;

pub use generated::*;

/// `statement` with replacements for the names in braces.
pub fn in_dialect(statement: &str, dialect: &[(&str, &str)]) -> String {
    let replaced = |text: String, (name, with): &(&str, &str)| text.replace(name, with);
    dialect.iter().fold(statement.to_owned(), replaced)
}

/// The number of the table's format.
pub const FORMAT: u32 = 2;
