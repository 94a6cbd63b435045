//! Deterministic random numbers: equal seeds give equal sequences.

use serde::{Deserialize, Serialize};

/// A splitmix64 generator. Not for secrets: its numbers are used only on
/// loopback and must be repeatable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rng(u64);

impl Rng {
    /// Creates the generator of a stream. Streams of the same seed are
    /// independent, so that issuing one more token does not change the payment
    /// hashes.
    pub(crate) fn new(seed: u64, stream: &str) -> Self {
        let mut mixed = seed;
        for byte in stream.bytes() {
            mixed = mixed.wrapping_mul(0x0000_0100_0000_01b3) ^ u64::from(byte);
        }
        Self(mixed)
    }

    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, or 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        match u64::try_from(bound) {
            Ok(0) | Err(_) => 0,
            Ok(bound) => usize::try_from(self.next_u64() % bound).unwrap_or(0),
        }
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 8);
        while bytes.len() < count {
            bytes.extend_from_slice(&self.next_u64().to_be_bytes());
        }
        bytes.truncate(count);
        bytes
    }

    /// That many lowercase hexadecimal digits.
    pub(crate) fn hex(&mut self, digits: usize) -> String {
        let mut text = String::with_capacity(digits + 16);
        while text.len() < digits {
            text.push_str(&format!("{:016x}", self.next_u64()));
        }
        text.truncate(digits);
        text
    }

    /// That many decimal digits.
    pub(crate) fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + u8::try_from(self.below(10)).unwrap_or(0))).collect()
    }

    /// Text in the format of a version 4 UUID.
    pub(crate) fn uuid(&mut self) -> String {
        let hex = self.hex(32);
        format!(
            "{}-{}-4{}-a{}-{}",
            &hex[..8],
            &hex[8..12],
            &hex[13..16],
            &hex[17..20],
            &hex[20..32]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_and_stream_give_the_same_values() {
        let mut first = Rng::new(7, "payments");
        let mut second = Rng::new(7, "payments");
        assert_eq!(first.hex(48), second.hex(48));
        assert_eq!(first.uuid(), second.uuid());
        assert_ne!(Rng::new(7, "payments").hex(48), Rng::new(7, "tokens").hex(48));
        assert_ne!(Rng::new(7, "payments").hex(48), Rng::new(8, "payments").hex(48));
    }

    #[test]
    fn lengths_are_as_requested() {
        let mut rng = Rng::new(1, "lengths");
        for count in [0, 1, 7, 8, 9, 48] {
            assert_eq!(rng.bytes(count).len(), count);
            assert_eq!(rng.hex(count).len(), count);
            assert_eq!(rng.digits(count).len(), count);
        }
        assert_eq!(rng.uuid().len(), 36);
    }
}
