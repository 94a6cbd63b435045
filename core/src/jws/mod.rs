//! Detached JWS signatures: making, checking, diagnosing.

/// What the doctor found.
#[derive(Clone, Debug)]
pub struct Diagnosis(());

/// An RSA public key.
#[derive(Clone, Debug)]
pub struct PublicKey(());
