//! Draws from the numbers of the execution.

use std::chance::next;

/// A number from `least` to `most`.
pub fn between(least: u32, most: u32) -> u32 {
    let range = u64::from(most - least) + 1;
    least + u32::try_from(next() % range).expect("it is in the range")
}

pub fn one_in(count: u32) -> bool {
    between(1, count) == 1
}

pub fn among<T: Copy>(choices: &[T]) -> T {
    let last = u32::try_from(choices.len()).expect("few") - 1;
    choices[between(0, last) as usize]
}

pub fn hex(digits: usize) -> String {
    let text: String = (0..digits.div_ceil(16)).map(|_| format!("{:016x}", next())).collect();
    text[..digits].to_owned()
}
