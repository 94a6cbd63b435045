//! Where two sequences of bytes differ.

use std::ops::Range;

/// More edits than this are shown as one difference.
const MOST_EDITS: usize = 800;

/// Bytes that differ: their places in the signed and in the sent bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The signed bytes; empty if only the other side has any.
    pub signed: Range<usize>,
    /// The sent bytes; empty if only the other side has any.
    pub sent: Range<usize>,
}

/// The differences between signed and sent bytes, in order. A number
/// differs as a whole.
pub fn differences(signed: &[u8], sent: &[u8]) -> Vec<Difference> {
    let equal = |(a, b): &(&u8, &u8)| a == b;
    let start = signed.iter().zip(sent).take_while(equal).count();
    let ends = (signed[start..].iter().rev()).zip(sent[start..].iter().rev());
    let end = ends.take_while(equal).count();
    let middles = (&signed[start..signed.len() - end], &sent[start..sent.len() - end]);
    let mut all: Vec<Difference> = Vec::new();
    for (a, b) in edits(middles.0, middles.1) {
        let mut next = Difference {
            signed: start + a.start..start + a.end,
            sent: start + b.start..start + b.end,
        };
        widen(&mut next, signed, sent);
        match all.last_mut() {
            Some(last)
                if next.signed.start <= last.signed.end && next.sent.start <= last.sent.end =>
            {
                last.signed.end = next.signed.end.max(last.signed.end);
                last.sent.end = next.sent.end.max(last.sent.end);
            }
            _ => all.push(next),
        }
    }
    all
}

/// The name of the member of a JSON text that contains `at`, or precedes it.
pub fn member_at(text: &[u8], at: usize) -> Option<&str> {
    let mut name = None;
    let mut string: Option<Range<usize>> = None;
    let mut index = 0;
    while index < at.min(text.len()) {
        match text[index] {
            b'"' => {
                let length = string_length(&text[index + 1..]);
                string = Some(index + 1..index + 1 + length);
                index += length + 1;
            }
            b':' => name = string.take().or(name),
            _ => {}
        }
        index += 1;
    }
    std::str::from_utf8(text.get(name?)?).ok()
}

/// The text with the value of each `integration_key` covered, so that it can be
/// shown. The places of all bytes stay.
pub fn with_covered_keys(text: &[u8]) -> Vec<u8> {
    const NAME: &[u8] = b"\"integration_key\"";
    let mut covered = text.to_vec();
    let mut from = 0;
    while let Some(at) = text[from..].windows(NAME.len()).position(|it| it == NAME) {
        from += at + NAME.len();
        let is_gap = |it: &&u8| it.is_ascii_whitespace() || **it == b':';
        let start = from + text[from..].iter().take_while(is_gap).count();
        if text.get(start) == Some(&b'"') {
            let length = string_length(&text[start + 1..]);
            covered[start + 1..start + 1 + length].fill(b'*');
        }
    }
    covered
}

/// The bytes before the quote that ends a JSON string.
fn string_length(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let is_end = |&byte: &u8| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    };
    text.iter().position(is_end).unwrap_or(text.len())
}

/// Extends a difference within a number to the whole number.
fn widen(difference: &mut Difference, signed: &[u8], sent: &[u8]) {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E');
    let (a, b) = (&signed[difference.signed.clone()], &sent[difference.sent.clone()]);
    if !a.iter().chain(b).all(is_digit) {
        return;
    }
    let before =
        signed[..difference.signed.start].iter().rev().take_while(|it| is_digit(it)).count();
    let after = signed[difference.signed.end..].iter().take_while(|it| is_digit(it)).count();
    difference.signed = difference.signed.start - before..difference.signed.end + after;
    // The bytes around a difference are the same in both.
    let before = before.min(difference.sent.start);
    let end = (difference.sent.end + after).min(sent.len());
    difference.sent = difference.sent.start - before..end;
}

/// The ranges of `a` to replace with ranges of `b`, by Myers' algorithm.
fn edits(a: &[u8], b: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    if a.is_empty() && b.is_empty() {
        return Vec::new();
    }
    let most = MOST_EDITS.min(a.len() + b.len());
    let at = |diagonal: isize| usize::try_from(diagonal + most.cast_signed() + 1).unwrap_or(0);
    let mut reach = vec![0_usize; 2 * most + 3];
    let mut trace = Vec::new();
    for count in 0..=most.cast_signed() {
        trace.push(reach.clone());
        for diagonal in (-count..=count).step_by(2) {
            let mut x = step(&reach, diagonal, count, at);
            let y = |x: usize| x.checked_add_signed(-diagonal).unwrap_or(usize::MAX);
            while x < a.len() && y(x) < b.len() && a[x] == b[y(x)] {
                x += 1;
            }
            reach[at(diagonal)] = x;
            if x >= a.len() && y(x) >= b.len() {
                return walk_back(&trace, (a.len(), b.len()), at);
            }
        }
    }
    vec![(0..a.len(), 0..b.len())]
}

/// Where on a diagonal an edit leads.
fn step(reach: &[usize], diagonal: isize, count: isize, at: impl Fn(isize) -> usize) -> usize {
    let (below, above) = (reach[at(diagonal - 1)], reach[at(diagonal + 1)]);
    let is_insertion = diagonal == -count || (diagonal != count && below < above);
    if is_insertion { above } else { below + 1 }
}

/// The edits that led to the end.
fn walk_back(
    trace: &[Vec<usize>],
    end: (usize, usize),
    at: impl Fn(isize) -> usize,
) -> Vec<(Range<usize>, Range<usize>)> {
    let mut all: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut x, mut y) = end;
    for (count, reach) in trace.iter().enumerate().skip(1).rev() {
        let diagonal = x.cast_signed() - y.cast_signed();
        let reached = step(reach, diagonal, count.cast_signed(), &at);
        let reached_y = reached.checked_add_signed(-diagonal).unwrap_or(0);
        let is_insertion = reach[at(diagonal + 1)] == reached && {
            let below = reach[at(diagonal - 1)];
            diagonal == -count.cast_signed()
                || (diagonal != count.cast_signed() && below < reach[at(diagonal + 1)])
        };
        let from = if is_insertion { (reached, reached_y - 1) } else { (reached - 1, reached_y) };
        let edit = (from.0..reached, from.1..reached_y);
        match all.last_mut() {
            Some(last) if last.0.start == edit.0.end && last.1.start == edit.1.end => {
                *last = (edit.0.start..last.0.end, edit.1.start..last.1.end);
            }
            _ => all.push(edit),
        }
        (x, y) = from;
    }
    all.reverse();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(signed: &'a str, sent: &'a str) -> Vec<(&'a str, &'a str)> {
        let all = differences(signed.as_bytes(), sent.as_bytes());
        all.into_iter().map(|it| (&signed[it.signed], &sent[it.sent])).collect()
    }

    #[test]
    fn differences_are_the_least_ones() {
        assert_eq!(texts("same", "same"), []);
        assert_eq!(texts("", "x"), [("", "x")]);
        assert_eq!(texts(r#"{"a":1}"#, r#"{"a": 1}"#), [("", " ")]);
        assert_eq!(
            texts(r#"{"a":"x","b":2}"#, r#"{"a": "y", "b":2}"#),
            [("", " "), ("x", "y"), ("", " ")]
        );
        let (long, other) = ("ab".repeat(2000), "cd".repeat(2000));
        assert_eq!(texts(&long, &other), [(long.as_str(), other.as_str())]);
    }

    #[test]
    fn a_number_differs_as_a_whole() {
        for (signed, sent) in [("100.10", "100.1"), ("100.00", "100"), ("1e2", "100.0")] {
            let [signed_text, sent_text] =
                [signed, sent].map(|it| format!(r#"{{"a":{it},"b":1}}"#));
            assert_eq!(texts(&signed_text, &sent_text), [(signed, sent)]);
            assert_eq!(texts(&sent_text, &signed_text), [(sent, signed)]);
        }
    }

    #[test]
    fn every_edit_is_found_again_in_both() {
        let words = ["", "a", "ab", "abc", "bca", "cab", "aabbcc", "ccbbaa", "xaxbxcx"];
        for signed in words {
            for sent in words {
                let (mut rebuilt, mut at) = (String::new(), 0);
                for it in differences(signed.as_bytes(), sent.as_bytes()) {
                    rebuilt.push_str(&signed[at..it.signed.start]);
                    rebuilt.push_str(&sent[it.sent]);
                    at = it.signed.end;
                }
                rebuilt.push_str(&signed[at..]);
                assert_eq!(rebuilt, sent, "{signed}");
            }
        }
    }

    #[test]
    fn keys_are_covered() {
        let text = br#"{"integration_key" : "k-\"1","a":"k","x":{"integration_key":"k"}}"#;
        let covered = br#"{"integration_key" : "*****","a":"k","x":{"integration_key":"*"}}"#;
        assert_eq!(with_covered_keys(text), covered);
        assert_eq!(with_covered_keys(br#"{"integration_key":"k"#), br#"{"integration_key":"*"#);
    }

    #[test]
    fn a_place_is_in_a_member() {
        let text = r#"{"a":{"b\"":"x:\"y"},"c": 12}"#;
        let at = |part: &str| member_at(text.as_bytes(), text.find(part).unwrap());
        assert_eq!(at("{\"a"), None);
        assert_eq!(at("y"), Some(r#"b\""#));
        assert_eq!(at("12"), Some("c"));
    }
}
