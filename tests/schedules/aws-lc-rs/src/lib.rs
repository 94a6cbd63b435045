//! `aws-lc-rs`, except that `rand::fill` gives the numbers of an execution.

pub use original::*;

pub mod rand {
    pub use original::rand::*;

    pub fn fill(bytes: &mut [u8]) -> Result<(), original::error::Unspecified> {
        schedules_std::chance::fill(bytes);
        Ok(())
    }
}
