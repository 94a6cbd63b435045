//! Makes and takes apart DER and PEM.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A DER element.
pub fn element(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
    let contents = contents.concat();
    let length = contents.len();
    let head = match length {
        0..0x80 => vec![tag, length as u8],
        0x80..0x100 => vec![tag, 0x81, length as u8],
        _ => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    [head, contents].concat()
}

/// The elements of a DER sequence.
pub fn elements(sequence: &[u8]) -> Vec<&[u8]> {
    let length_of = |der: &[u8]| match der[1] {
        0x82 => (4, usize::from(der[2]) << 8 | usize::from(der[3])),
        0x81 => (3, usize::from(der[2])),
        short => (2, usize::from(short)),
    };
    let mut rest = &sequence[length_of(sequence).0..];
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (head, length) = length_of(rest);
        let (first, others) = rest.split_at(head + length);
        found.push(first);
        rest = others;
    }
    found
}

/// A PEM block.
pub fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}
