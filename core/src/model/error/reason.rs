//! Why an operation failed, for code that decides by it.

/// The reason of an error, where its kind says too little. Codes are for people
/// and for other programs; nothing here compares them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The response is not JSON.
    NotJson,
}
