//! The path of a member in error messages.

use std::fmt;

/// The path from the root of a tree to a member. It borrows, so walking a tree
/// costs nothing; its text is made only for errors.
///
/// Displayed as `tracking_code[2].items[0].quantity`. Names that do not look
/// like member names are displayed as `?`, since the keys of a tree may be
/// payer data.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The root.
    Root,
    /// A member of an object.
    Member(&'a Path<'a>, &'a str),
    /// An element of an array.
    Element(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    pub(crate) fn member(&'a self, name: &'a str) -> Self {
        Self::Member(self, name)
    }

    pub(crate) fn element(&'a self, index: usize) -> Self {
        Self::Element(self, index)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Self::Root, name) => f.write_str(shown(name)),
            Self::Member(parent, name) => write!(f, "{parent}.{}", shown(name)),
            Self::Element(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// The name if it looks like a member name, otherwise `?`.
fn shown(name: &str) -> &str {
    const MOST_DIGITS: usize = 8;
    let like_a_name = name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && name.bytes().filter(u8::is_ascii_digit).count() <= MOST_DIGITS;
    if like_a_name { name } else { "?" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_shows_members_and_elements() {
        let codes = Path::Root.member("tracking_code");
        let code = codes.element(2);
        let items = code.member("items");
        let item = items.element(0);
        assert_eq!(item.member("quantity").to_string(), "tracking_code[2].items[0].quantity");
    }

    #[test]
    fn path_hides_a_name_that_may_be_payer_data() {
        let too_long = "a".repeat(65);
        for name in [
            "4111111111111111",
            "card 1",
            "a@example.com",
            "n4111111111111111",
            "n123456789",
            "",
            &too_long,
        ] {
            assert_eq!(Path::Root.member(name).to_string(), "?");
        }
        let longest = "a".repeat(64);
        for name in ["due_20261231", "_id", "x-request-id", &longest] {
            assert_eq!(Path::Root.member(name).to_string(), name);
        }
    }
}
