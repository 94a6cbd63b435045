//! Cells of CSV that no spreadsheet takes for a formula.

/// Characters that begin a formula, also after white space that a spreadsheet
/// skips.
const BEGINS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];
/// The prefix that makes it a text.
const MARK: char = '\'';

/// `text` as a cell, behind an apostrophe if it looks like a formula.
pub fn protected_cell(text: &str) -> String {
    if text.starts_with(BEGINS) { format!("{MARK}{text}") } else { text.to_owned() }
}

/// The text of a cell that [`protected_cell`] may have written. `None` for other
/// cells.
pub(super) fn unprotected(cell: &str) -> Option<&str> {
    cell.strip_prefix(MARK).filter(|text| text.starts_with(BEGINS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_never_begin_a_formula() {
        for text in ["=1+1", "+1", "-1", "@sum", "\t=1", "\r=1"] {
            let cell = protected_cell(text);
            assert_eq!(cell, format!("'{text}"));
            assert_eq!(unprotected(&cell), Some(text));
        }
        for text in ["payout-1", "", "'payout-1", "'", "''-1"] {
            assert_eq!(protected_cell(text), text);
            assert_eq!(unprotected(text), None, "{text}");
        }
    }
}
