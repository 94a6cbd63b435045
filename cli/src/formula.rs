//! Protects CSV cells from being read as spreadsheet formulas.

/// Returns `text` as a cell, prefixed with a quote if it looks like a formula.
pub(crate) fn harmless(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_never_begin_a_formula() {
        for text in ["=1+1", "+1", "-1", "@sum", "\t=1"] {
            assert_eq!(harmless(text), format!("'{text}"));
        }
        assert_eq!(harmless("payout-1"), "payout-1");
        assert_eq!(harmless(""), "");
    }
}
