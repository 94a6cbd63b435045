//! Rewrites BER as DER. Some programs write keys in forms that OpenSSL reads and
//! DER does not allow: lengths that are longer than necessary or left open, and
//! strings in pieces.

use crate::secret::SecretBytes;

const DEEPEST: usize = 16;
const CONSTRUCTED: u8 = 0x20;
const INTEGER: u8 = 2;
const OCTET_STRING: u8 = 4;
const SEQUENCE: u8 = 0x10 | CONSTRUCTED;

/// An element as DER writes it. Its bytes stay where they are, since they may
/// be secret.
struct Element<'b> {
    tag: u8,
    contents: Contents<'b>,
    /// The number of bytes of the contents.
    length: usize,
}

enum Contents<'b> {
    Pieces(Vec<&'b [u8]>),
    Elements(Vec<Element<'b>>),
}

/// The first element of `ber` as DER. `None` if it is not BER, or nested deeper
/// than keys are.
pub fn to_der(ber: &[u8]) -> Option<SecretBytes> {
    Some(Element::read(ber, 0)?.0.to_der())
}

/// A sequence of these numbers, which have no leading zeros.
pub fn sequence_of(numbers: &[&[u8]]) -> SecretBytes {
    let numbers = numbers.iter().map(|digits| integer(digits));
    Element::new(SEQUENCE, Contents::Elements(numbers.collect())).to_der()
}

/// A positive number begins with a bit that is not set.
fn integer(digits: &[u8]) -> Element<'_> {
    let zero: &[u8] = if digits.first().is_none_or(|first| *first >= 0x80) { &[0] } else { &[] };
    Element::new(INTEGER, Contents::Pieces(vec![zero, digits]))
}

impl<'b> Element<'b> {
    fn new(tag: u8, contents: Contents<'b>) -> Self {
        let length = match &contents {
            Contents::Pieces(pieces) => pieces.iter().map(|piece| piece.len()).sum(),
            Contents::Elements(elements) => elements.iter().map(Self::whole_length).sum(),
        };
        Self { tag, contents, length }
    }

    /// Reads the first element, and returns it with the bytes after it.
    fn read(ber: &'b [u8], depth: usize) -> Option<(Self, &'b [u8])> {
        let (&tag, rest) = ber.split_first()?;
        // Keys have no tag of several bytes.
        if tag == 0 || tag & 0x1f == 0x1f || depth > DEEPEST {
            return None;
        }
        let is_constructed = tag & CONSTRUCTED != 0;
        let (inside, after) = match read_length(rest)? {
            (Some(length), rest) => {
                let (inside, after) = rest.split_at_checked(length)?;
                (inside, Some(after))
            }
            (None, rest) => (rest, None),
        };
        if !is_constructed {
            return Some((Self::new(tag, Contents::Pieces(vec![inside])), after?));
        }
        let (elements, rest) = Self::read_all(inside, depth + 1)?;
        let rest = match after {
            Some(after) => rest.is_empty().then_some(after)?,
            None => rest.strip_prefix(&[0, 0])?,
        };
        if tag == OCTET_STRING | CONSTRUCTED {
            let contents = Contents::Pieces(pieces_of(elements)?);
            return Some((Self::new(OCTET_STRING, contents), rest));
        }
        Some((Self::new(tag, Contents::Elements(elements)), rest))
    }

    /// Reads elements up to the end, or up to the mark that ends an open length.
    fn read_all(ber: &'b [u8], depth: usize) -> Option<(Vec<Self>, &'b [u8])> {
        let (mut elements, mut rest) = (Vec::new(), ber);
        while !rest.is_empty() && !rest.starts_with(&[0, 0]) {
            let (element, after) = Self::read(rest, depth)?;
            elements.push(element);
            rest = after;
        }
        Some((elements, rest))
    }

    /// The bytes of the length in its shortest form.
    fn written_length(&self) -> ([u8; 9], usize) {
        let mut written = [0; 9];
        let digits = self.length.to_be_bytes();
        let digits = &digits[self.length.leading_zeros() as usize / 8..];
        let start = usize::from(self.length >= 0x80);
        if start == 1 {
            written[0] = 0x80 | digits.len() as u8;
        }
        written[start..start + digits.len()].copy_from_slice(digits);
        (written, (start + digits.len()).max(1))
    }

    fn whole_length(&self) -> usize {
        1 + self.written_length().1 + self.length
    }

    fn to_der(&self) -> SecretBytes {
        // Reserves everything at once: growing would leave a copy behind.
        let mut der = Vec::with_capacity(self.whole_length());
        self.write_to(&mut der);
        SecretBytes::new(der)
    }

    fn write_to(&self, der: &mut Vec<u8>) {
        let (length, digits) = self.written_length();
        der.push(self.tag);
        der.extend_from_slice(&length[..digits]);
        match &self.contents {
            Contents::Pieces(pieces) => pieces.iter().for_each(|it| der.extend_from_slice(it)),
            Contents::Elements(elements) => elements.iter().for_each(|it| it.write_to(der)),
        }
    }
}

/// The pieces of a string in several strings.
fn pieces_of(elements: Vec<Element<'_>>) -> Option<Vec<&[u8]>> {
    let pieces = elements.into_iter().map(|it| match it.contents {
        Contents::Pieces(pieces) if it.tag == OCTET_STRING => Some(pieces),
        _ => None,
    });
    Some(pieces.collect::<Option<Vec<_>>>()?.concat())
}

/// The length, which is `None` if it is left open, and the bytes after it.
fn read_length(ber: &[u8]) -> Option<(Option<usize>, &[u8])> {
    let (&first, rest) = ber.split_first()?;
    match first {
        0..0x80 => Some((Some(usize::from(first)), rest)),
        0x80 => Some((None, rest)),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let add =
                |sum: usize, digit: &u8| sum.checked_mul(256).map(|sum| sum + usize::from(*digit));
            Some((Some(digits.iter().try_fold(0, add)?), rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der_of(ber: &[u8]) -> Option<Vec<u8>> {
        to_der(ber).map(|der| der.expose().to_vec())
    }

    #[test]
    fn der_stays_as_it_is() {
        for (length, head) in [
            (0, &[0x30, 2, 2, 0][..]),
            (127, &[0x30, 0x81, 129, 2, 127]),
            (128, &[0x30, 0x81, 131, 2, 0x81, 128]),
            (256, &[0x30, 0x82, 1, 4, 2, 0x82, 1, 0]),
            (0x1_0000, &[0x30, 0x83, 1, 0, 5, 2, 0x83, 1, 0, 0]),
        ] {
            let der = [head, &vec![7; length]].concat();
            assert_eq!(der_of(&der).unwrap(), der, "{length}");
        }
    }

    #[test]
    fn numbers_are_positive_and_never_empty() {
        let der = sequence_of(&[&[], &[0x7f], &[0x80, 1]]);
        assert_eq!(der.expose(), [0x30, 11, 2, 1, 0, 2, 1, 0x7f, 2, 3, 0, 0x80, 1]);
    }

    #[test]
    fn lengths_become_definite_and_short() {
        let der = [0x30, 5, 2, 1, 9, 5, 0];
        for ber in [
            &[0x30, 0x81, 5, 2, 1, 9, 5, 0][..],
            &[0x30, 0x84, 0, 0, 0, 5, 2, 1, 9, 5, 0],
            &[0x30, 0x80, 2, 1, 9, 5, 0, 0, 0],
            &[0x30, 0x80, 2, 0x82, 0, 1, 9, 5, 0x81, 0, 0, 0],
            &[0x30, 5, 2, 1, 9, 5, 0, b'\n'],
        ] {
            assert_eq!(der_of(ber).unwrap(), der, "{ber:?}");
        }
        let nested = [0x30, 0x80, 0x30, 0x80, 2, 1, 9, 0, 0, 0, 0];
        assert_eq!(der_of(&nested).unwrap(), [0x30, 5, 0x30, 3, 2, 1, 9]);
    }

    #[test]
    fn strings_are_put_together() {
        for ber in [
            &[0x24, 7, 4, 2, b'a', b'b', 4, 1, b'c'][..],
            &[0x24, 0x80, 4, 1, b'a', 0x24, 0x80, 4, 2, b'b', b'c', 0, 0, 0, 0],
        ] {
            assert_eq!(der_of(ber).unwrap(), [4, 3, b'a', b'b', b'c'], "{ber:?}");
        }
        assert_eq!(der_of(&[0x24, 3, 2, 1, 9]), None);
    }

    #[test]
    fn bytes_that_are_not_ber_are_nothing() {
        for bytes in [
            &b""[..],
            &[0x30],
            &[0x30, 2, 2],
            &[0x30, 0x80, 2, 1, 9],
            &[0x30, 5, 2, 1, 9, 0, 0],
            &[4, 0x80, 0, 0],
            &[0x1f, 1, 0],
            &[0x30, 0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        ] {
            assert_eq!(der_of(bytes), None, "{bytes:?}");
        }
        assert_eq!(der_of(&[0x30, 0x80].repeat(1000)), None);
    }
}
