//! Amounts of a CSV file with a decimal comma, as spreadsheets in Latin America
//! write them.

/// The column that `--decimal` applies to.
pub(super) const AMOUNT: &str = "amount";

const POINTS: &str = "with --decimal comma, points separate groups of three digits, as in 1.250,90; \
                      write the digits after a comma, or leave out --decimal comma if the file has \
                      decimal points";
const COMMAS: &str = "has more than one comma; with --decimal comma, write thousands with points or \
                      without anything, as in 1.250,90";
const THREE_DIGITS: &str = "three digits after the comma may be thousands or decimals; write \
                            thousands as 1.500 or 1500, and decimals as 1,50";
const NOT_AN_AMOUNT: &str = "is no amount with a decimal comma; write one such as 1.250,90 or \
                             1250,90";

/// Without quotes between commas, `10,50` would be two cells. In a row that lacks its
/// last cell, nothing else would show it.
pub(super) const UNQUOTED: &str = "--decimal comma needs quotes around each amount of a file with commas between its cells, as \
     in \"10,50\"; quote it, or separate the cells with semicolons";

/// The remedy for a decimal comma in a file that is read with decimal points.
pub(super) const WAY_OUT: &str =
    "if all amounts of the file have decimal commas, give --decimal comma";

/// The amount in a cell, with a decimal point. The core judges the result.
///
/// # Errors
/// The mistake in the cell, which it does not show.
pub(super) fn with_point(cell: &str) -> Result<String, &'static str> {
    // Without a point or a comma, both ways to write are the same.
    if !cell.contains(['.', ',']) {
        return Ok(cell.to_owned());
    }
    let (whole, decimals) = match cell.split_once(',') {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (cell, None),
    };
    if decimals.is_some_and(|it| it.contains(',')) {
        return Err(COMMAS);
    }
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let mut groups = whole.split('.');
    let first = groups.next().unwrap_or_default();
    let rest: Vec<_> = groups.collect();
    let are_digits = is_digits(first) && rest.iter().copied().chain(decimals).all(is_digits);
    let is_grouped = |first: &str| {
        first.len() <= 3 && !first.starts_with('0') && rest.iter().all(|it| it.len() == 3)
    };
    match decimals {
        // `1.25,0.0` has a point where only digits belong.
        Some(decimals) if decimals.contains('.') => Err(POINTS),
        _ if !are_digits => Err(NOT_AN_AMOUNT),
        _ if !rest.is_empty() && !is_grouped(first) => Err(POINTS),
        Some(decimals) if decimals.len() == 3 => Err(THREE_DIGITS),
        Some(decimals) => Ok(format!("{first}{}.{decimals}", rest.concat())),
        None => Ok(format!("{first}{}", rest.concat())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_with_a_decimal_comma_get_a_point() {
        for (cell, plain) in [
            ("1.250,90", "1250.90"),
            ("1.500", "1500"),
            ("10,5", "10.5"),
            ("1250", "1250"),
            ("1.234.567", "1234567"),
            ("1.234.567,89", "1234567.89"),
            ("1250,90", "1250.90"),
            ("0,50", "0.50"),
            ("1,2345", "1.2345"),
            ("", ""),
            // The core names the mistakes in these.
            ("-10", "-10"),
            ("x", "x"),
            ("007,50", "007.50"),
        ] {
            assert_eq!(with_point(cell).as_deref(), Ok(plain), "{cell}");
        }
    }

    #[test]
    fn an_ambiguous_or_unreadable_amount_is_refused() {
        for (cell, message) in [
            ("1,500", THREE_DIGITS),
            ("0,500", THREE_DIGITS),
            ("1.250,900", THREE_DIGITS),
            ("1,250,90", COMMAS),
            ("1,250.90", POINTS),
            ("1.25,00", POINTS),
            ("12.3456", POINTS),
            ("10.50", POINTS),
            ("1250.90", POINTS),
            ("1234.567", POINTS),
            ("0.500", POINTS),
            ("1..500", NOT_AN_AMOUNT),
            (".500", NOT_AN_AMOUNT),
            ("10,", NOT_AN_AMOUNT),
            (",50", NOT_AN_AMOUNT),
            ("-10,50", NOT_AN_AMOUNT),
            ("R$ 10,50", NOT_AN_AMOUNT),
            ("1 250,90", NOT_AN_AMOUNT),
            ("10,5O", NOT_AN_AMOUNT),
        ] {
            assert_eq!(with_point(cell), Err(message), "{cell}");
        }
    }
}
