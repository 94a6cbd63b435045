//! The members of errors and events as JSON.

/// The type of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Holds {
    /// A text.
    Text,
    /// A whole number.
    Integer,
    /// The name of an [`Operation`](crate::Operation).
    Operation,
    /// The name of an [`ErrorKind`](crate::ErrorKind).
    Kind,
    /// The name of an [`Outcome`](crate::Outcome).
    Outcome,
    /// A diagnosis, as an object.
    Diagnosis,
    /// The entry of an earlier call, as an object.
    JournalEntry,
    /// One of these texts.
    OneOf(&'static [&'static str]),
}

/// A member of an error report or of an event.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The name. `_us` at the end marks a duration in microseconds.
    pub name: &'static str,
    /// The type.
    pub holds: Holds,
    /// Whether it may be `null`.
    pub may_be_null: bool,
    /// The meaning, unless the name is enough.
    pub doc: &'static str,
}

impl Member {
    pub(crate) const fn new(name: &'static str, holds: Holds, doc: &'static str) -> Self {
        Self { name, holds, may_be_null: false, doc }
    }

    pub(crate) const fn or_null(mut self) -> Self {
        self.may_be_null = true;
        self
    }
}
