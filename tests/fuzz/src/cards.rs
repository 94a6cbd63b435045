//! The card guard never misses a number in a form that it claims to find.

use payments_core::card_guard::{CARD, refuse_card_numbers_in};
use payments_core::json::{Json, Members, ParseOptions};

/// The first byte chooses the name, the second the form; the others are digits
/// and the characters between them.
pub(crate) fn card_guard(data: &[u8]) {
    if let Ok(tree) = Json::parse_with(data, ParseOptions::new().keeping_duplicates()) {
        // Any result is fine, as long as there is no panic.
        let _ = refuse_card_numbers_in(&tree);
    }
    let [name, form, rest @ ..] = data else { return };
    let digits: Vec<u8> = rest.iter().take(18).map(|byte| byte % 10).collect();
    if digits.len() < 12 || digits.iter().all(|digit| *digit == 0) {
        return;
    }
    let number = with_check_digit(&digits);
    let value = match form % 4 {
        0 => Json::from(number.as_str()),
        1 => Json::from(spread(&number, rest).as_str()),
        // An integer has no leading zero.
        2 if !number.starts_with('0') => Json::number(&number).expect("a number"),
        3 if !number.starts_with('0') => Json::number(&format!("{number}.0")).expect("a number"),
        _ => return,
    };
    let name = CARD[usize::from(*name) % CARD.len()];
    let tree = Json::Object(Members::from([(name, value)]));
    assert!(refuse_card_numbers_in(&tree).is_err(), "{} was missed", tree.to_text());
}

/// `digits` with the digit that Luhn's check asks for.
fn with_check_digit(digits: &[u8]) -> String {
    let doubled = |digit: u8| if digit > 4 { 2 * digit - 9 } else { 2 * digit };
    let places = digits.iter().rev().enumerate();
    let sum: u32 = places
        .map(|(place, digit)| u32::from(if place % 2 == 0 { doubled(*digit) } else { *digit }))
        .sum();
    let all = digits.iter().map(u8::to_string).chain([((10 - sum % 10) % 10).to_string()]);
    all.collect()
}

/// `number` with separators between its digits, as `seed` says.
fn spread(number: &str, seed: &[u8]) -> String {
    let between = [" ", "-", ".", ""];
    let seeds = seed.iter().map(|byte| between[usize::from(byte >> 4) % between.len()]);
    number
        .chars()
        .zip(seeds.chain(std::iter::repeat("")))
        .fold(String::new(), |text, (digit, after)| text + &digit.to_string() + after)
}
