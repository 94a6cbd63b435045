//! Finds the known name that a mistyped one probably means.

/// The number of letters to insert, delete, replace or swap with a neighbor to
/// turn one name into the other.
pub use strsim::osa_distance as distance;

/// Letters and digits only, in lower case: the same for `amountTotal` and
/// `amount_total`.
fn letters(name: &str) -> String {
    name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether `name` has the same letters as `known`, and so must be a slip.
pub fn has_letters_of(name: &str, known: &str) -> bool {
    letters(name) == letters(known)
}

/// Whether `name` is at most `most` slips away from `known`, and `known` is
/// long enough that this is no coincidence.
pub fn is_slip_of(name: &str, known: &str, most: usize) -> bool {
    let known = letters(known);
    known.chars().count() >= 4 + 2 * most && distance(&letters(name), &known) <= most
}

/// Whether `name` is one slip away from `known` and has no other letters: one of them
/// is there twice, or two are swapped. This also finds slips in short names.
pub fn has_slip_within(name: &str, known: &str) -> bool {
    let (name, known) = (letters(name), letters(known));
    name.chars().all(|it| known.contains(it))
        && known.chars().all(|it| name.contains(it))
        && distance(&name, &known) == 1
}

/// The known name closest to `name`, if one is close enough.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let most = 1 + letters(name).chars().count() / 4;
    let rated = known.into_iter().map(|known| (remoteness(name, known), known));
    rated.filter(|((rating, _), _)| *rating <= most).min().map(|(_, known)| known)
}

/// How far `name` is from `known`: the less, the more likely `known` is meant. A
/// name that is part of the other is close.
pub fn remoteness(name: &str, known: &str) -> (usize, usize) {
    const SHORTEST_PART: usize = 4;
    let (name, known) = (letters(name), letters(known));
    let (short, long) = if known.len() < name.len() { (&known, &name) } else { (&name, &known) };
    let is_part = short.chars().count() >= SHORTEST_PART && long.contains(short);
    let slips = distance(&name, &known);
    (if is_part { slips.min(2) } else { slips }, slips)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUND: [&str; 5] =
        ["hash", "operation", "amount", "description", "merchant_refund_code"];

    #[test]
    fn slips_are_counted() {
        let count = |a: &str, b: &str| distance(&letters(a), &letters(b));
        for (a, b, slips) in [
            ("amount", "amount", 0),
            ("amout", "amount", 1),
            ("amonut", "amount", 1),
            ("ammount", "amount", 1),
            ("amaunt", "amount", 1),
            ("", "amount", 6),
            ("hash", "", 4),
        ] {
            assert_eq!(count(a, b), slips, "{a} {b}");
        }
    }

    #[test]
    fn the_nearest_name_is_found() {
        for (wrong, meant) in [
            ("amout", Some("amount")),
            ("Amount", Some("amount")),
            ("refund_amount", Some("amount")),
            ("amount_total", Some("amount")),
            ("refundCode", Some("merchant_refund_code")),
            ("hsah", Some("hash")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(wrong, REFUND), meant, "{wrong}");
        }
    }

    #[test]
    fn a_part_of_two_names_finds_the_nearer_one() {
        let names = ["connect_timeout_ms", "timeout_ms"];
        assert_eq!(nearest("timeout", names), Some("timeout_ms"));
        assert_eq!(nearest("connect_timeout", names), Some("connect_timeout_ms"));
    }

    #[test]
    fn short_names_have_no_slips() {
        assert!(is_slip_of("amonut", "amount", 1) && is_slip_of("timeout", "timeout_ms", 2));
        assert!(!is_slip_of("emial", "email", 1) && !is_slip_of("amont", "amount", 2));
        assert!(has_slip_within("kidd", "kid") && has_slip_within("kdi", "kid"));
        assert!(!["pid", "id", "kids", "kid"].iter().any(|it| has_slip_within(it, "kid")));
        assert!(has_letters_of("E-Mail", "email") && !has_letters_of("emial", "email"));
    }
}
