//! Why an operation failed, for code that decides by it.

/// The reason of an error, where its kind says too little. Codes are for people
/// and for other programs: nothing here compares them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// A required member is missing.
    Required,
    /// The configuration file cannot be opened.
    NoConfigFile,
    /// The private key is a public one.
    PublicKey,
    /// The key is smaller than the service asks for.
    SmallKey,
    /// The amount has a comma, or a point that may separate thousands.
    DecimalMark,
    /// The token server refuses the client, which waiting does not change.
    TokenRefused,
    /// The response is not JSON.
    NotJson,
    /// The service has no such payment.
    NotFound,
    /// The service refused the operation, with or without its reason.
    Refused,
    /// The service knows the reference.
    ReferenceKnown,
    /// Something else has the reference.
    ReferenceTaken,
    /// A call with the same reference is in progress.
    InProgress,
    /// Another process recovers the journal, or follows.
    AlreadyRunning,
    /// The journal is a copy that was not adopted.
    Copy,
    /// The journal has no such entry.
    NoEntry,
}
