//! The commands for keys and signatures. None of them makes a call.

pub(crate) mod doctor;
pub(crate) mod keygen;
mod public_keys;
pub(crate) mod sign;
pub(crate) mod verify;
