//! The part of the configuration that requests and answers depend on.

/// What requests and answers must know of the configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The member of a refund request that holds the payment hash: `hash`
    /// unless configured otherwise.
    pub refund_hash_member: String,
    /// Service codes that say a reference was used before: `BP-DR-0` unless
    /// configured otherwise.
    pub duplicate_codes: Vec<String>,
    /// Whether `extra` members and the JSON bodies of `send` are searched for
    /// raw card numbers. No typed member is named after a card.
    pub card_guard: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            refund_hash_member: "hash".to_owned(),
            duplicate_codes: vec!["BP-DR-0".to_owned()],
            card_guard: true,
        }
    }
}
