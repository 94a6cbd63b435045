//! Exact sums of amounts, which are decimal strings of up to 64 characters.

use payments_core::amount::MAX_AMOUNT_LENGTH;

/// The number of digits before the decimal point, and also after it. Large
/// enough that summing the amounts of all requests cannot overflow.
const PLACES: usize = MAX_AMOUNT_LENGTH + 20;

/// An amount, most significant digit first, so that arrays compare as numbers.
type Digits = [u8; 2 * PLACES];

/// Whether the sum of the amounts exceeds `limit`.
pub(crate) fn exceeds<'a>(amounts: impl Iterator<Item = &'a str>, limit: &str) -> bool {
    let mut sum: Digits = [0; 2 * PLACES];
    for amount in amounts {
        let mut carry = 0;
        for (digit, more) in sum.iter_mut().zip(digits(amount)).rev() {
            let total = *digit + more + carry;
            *digit = total % 10;
            carry = total / 10;
        }
    }
    sum > digits(limit)
}

/// Converts an amount that has already been validated. Other text is reduced to
/// its digits, and truncated if too long.
fn digits(amount: &str) -> Digits {
    let mut digits: Digits = [0; 2 * PLACES];
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    let value = |letter: u8| letter.saturating_sub(b'0').min(9);
    let (before, after) = digits.split_at_mut(PLACES);
    for (place, letter) in before.iter_mut().rev().zip(whole.bytes().rev()) {
        *place = value(letter);
    }
    for (place, letter) in after.iter_mut().zip(fraction.bytes()) {
        *place = value(letter);
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::exceeds;

    #[test]
    fn sums_are_exact() {
        let sum = |amounts: &[&str], limit| exceeds(amounts.iter().copied(), limit);
        assert!(!sum(&["0.1", "0.2"], "0.3") && !sum(&["0.10", "0.2"], "0.300"));
        assert!(sum(&["0.1", "0.2", "0.0000000000000000000001"], "0.3"));
        assert!(!sum(&["99.99", "0.01"], "100") && sum(&["99.99", "0.02"], "100"));
        assert!(sum(&["100"], "99.99") && !sum(&[], "0.01"));
        let many = "9".repeat(64);
        assert!(!sum(&[&many], &many) && sum(&[&many, "1"], &many));
    }
}
