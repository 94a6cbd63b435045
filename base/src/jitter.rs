//! Jitter: keeps the processes of a fleet from acting at the same time.

use std::time::Duration;

/// A random part of `range`.
pub fn random_part(range: Duration) -> Duration {
    let mut bytes = [0; 4];
    // Without random numbers there is no jitter, which is acceptable.
    let _ = aws_lc_rs::rand::fill(&mut bytes);
    let permille = u32::from_be_bytes(bytes) % 1001;
    range * permille / 1000
}
