//! JSON Pointer (RFC 6901): reads and sets one value of a tree.

use std::error::Error as StdError;
use std::fmt;

use super::{Json, MAX_DEPTH, Members};
use crate::model::error_code::{ErrorCode, Message};

/// Why a value cannot be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PointerError {
    /// The pointer is not empty and does not begin with `/`, or a `~` is not
    /// followed by `0` or `1`.
    Malformed,
    /// It leads more than [`MAX_DEPTH`] levels deep.
    TooDeep,
    /// It leads through a value that is neither an object nor an array.
    NotAContainer,
    /// The array has no such element. `-` appends.
    NoSuchElement,
}

impl PointerError {
    /// A stable code: `value_invalid`.
    pub fn code(self) -> ErrorCode {
        self.message().code
    }

    /// The mistake; completes a sentence after the pointer's name.
    pub fn problem(self) -> &'static str {
        self.message().text
    }

    fn message(self) -> Message {
        match self {
            Self::Malformed => Message::POINTER_MALFORMED,
            Self::TooDeep => Message::POINTER_TOO_DEEP,
            Self::NotAContainer => Message::POINTER_NOT_A_CONTAINER,
            Self::NoSuchElement => Message::POINTER_NO_SUCH_ELEMENT,
        }
    }
}

impl fmt::Display for PointerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the JSON Pointer {}", self.problem())
    }
}

impl StdError for PointerError {}

impl Json {
    /// The value at a JSON Pointer, for example `/payment/hash` or
    /// `/result/0/status`. The empty pointer is the whole tree.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        tokens(pointer).ok()?.try_fold(self, |value, token| {
            let token = unescaped(token)?;
            match value {
                Self::Object(members) => members.get(&token),
                Self::Array(elements) => elements.get(element_index(&token)?),
                _ => None,
            }
        })
    }

    /// Sets the value at a JSON Pointer. Creates missing objects on the way,
    /// and a missing array where the next token is `-`. `-` appends to an
    /// array. `null` on the way counts as missing.
    ///
    /// # Errors
    /// If the pointer is malformed or leads to a place that cannot be set. The
    /// tree is then unchanged.
    pub fn set_pointer(&mut self, pointer: &str, value: Self) -> Result<(), PointerError> {
        let steps = tokens(pointer)?
            .map(|token| unescaped(token).ok_or(PointerError::Malformed))
            .collect::<Result<Vec<_>, _>>()?;
        if steps.len() > MAX_DEPTH {
            return Err(PointerError::TooDeep);
        }
        set(self, &steps, value)
    }
}

fn set(place: &mut Json, steps: &[String], value: Json) -> Result<(), PointerError> {
    let Some((step, rest)) = steps.split_first() else {
        *place = value;
        return Ok(());
    };
    match place {
        Json::Object(members) => {
            if let Some(member) = members.get_mut(step) {
                return set(member, rest, value);
            }
            let mut member = Json::Null;
            set(&mut member, rest, value)?;
            members.push(step.as_str(), member);
            Ok(())
        }
        Json::Array(elements) => {
            if step == "-" {
                let mut element = Json::Null;
                set(&mut element, rest, value)?;
                elements.push(element);
                return Ok(());
            }
            let index = element_index(step).ok_or(PointerError::NoSuchElement)?;
            set(elements.get_mut(index).ok_or(PointerError::NoSuchElement)?, rest, value)
        }
        Json::Null => {
            let mut made =
                if step == "-" { Json::Array(Vec::new()) } else { Json::Object(Members::new()) };
            set(&mut made, steps, value)?;
            *place = made;
            Ok(())
        }
        _ => Err(PointerError::NotAContainer),
    }
}

/// Whether the text is a JSON Pointer.
pub(crate) fn is_pointer(text: &str) -> bool {
    tokens(text).is_ok_and(|mut tokens| tokens.all(|token| unescaped(token).is_some()))
}

/// The reference tokens of a pointer, still escaped.
fn tokens(pointer: &str) -> Result<impl Iterator<Item = &str>, PointerError> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return Err(PointerError::Malformed);
    }
    // Skips the empty text before the first slash.
    Ok(pointer.split('/').skip(1))
}

fn unescaped(token: &str) -> Option<String> {
    let mut pieces = token.split('~');
    let mut name = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (escaped, rest) = match piece.as_bytes().first() {
            Some(b'0') => ('~', &piece[1..]),
            Some(b'1') => ('/', &piece[1..]),
            _ => return None,
        };
        name.push(escaped);
        name.push_str(rest);
    }
    Some(name)
}

fn element_index(token: &str) -> Option<usize> {
    let digits = !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit());
    let canonical = token == "0" || !token.starts_with('0');
    (digits && canonical).then(|| token.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::is_pointer;

    #[test]
    fn every_name_of_a_pointer_must_be_escaped() {
        for pointer in ["", "/", "/payment/hash", "/result/0", "/a~0b/c~1d"] {
            assert!(is_pointer(pointer), "{pointer}");
        }
        for other in ["payment", "/a~", "/a~2", "/payment/~", "/~/payment"] {
            assert!(!is_pointer(other), "{other}");
        }
    }
}
