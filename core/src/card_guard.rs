//! Refuses raw card numbers.
