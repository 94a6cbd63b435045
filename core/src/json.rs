//! JSON trees: ordered, with numbers as text.

/// The members of a JSON object, in order.
#[derive(Clone, Debug, Default)]
pub struct Members(());
