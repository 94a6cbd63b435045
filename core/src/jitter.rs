//! Randomness that keeps a fleet from acting in step.

use std::time::Duration;

/// `range` times a random number from 0 to 1.
pub(crate) fn random_part(range: Duration) -> Duration {
    let mut bytes = [0; 4];
    // Without randomness there is no jitter, which costs nothing but step.
    let _ = aws_lc_rs::rand::fill(&mut bytes);
    let permille = u32::from_be_bytes(bytes) % 1001;
    range * permille / 1000
}
