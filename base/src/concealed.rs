//! Hides secrets in a path that is shown.

use std::borrow::Cow;

/// The text shown instead of a secret.
const HIDDEN: &str = "***";
/// A secret of at least this many bytes is also hidden within a longer word. A
/// shorter one, such as `ws`, would hide text that everybody may see.
const LONG: usize = 8;

/// `path` without `secrets`, also where they are percent-encoded, even twice.
pub fn without_secrets<'p, 's>(
    path: &'p str,
    secrets: impl IntoIterator<Item = &'s str>,
) -> Cow<'p, str> {
    let mut shown = Cow::Borrowed(path);
    for secret in secrets {
        let mut text = String::new();
        let mut rest = 0;
        for (start, end) in places(&shown, secret.as_bytes()) {
            if start >= rest {
                text = text + &shown[rest..start] + HIDDEN;
                rest = end;
            }
        }
        if rest > 0 {
            text.push_str(&shown[rest..]);
            shown = Cow::Owned(text);
        }
    }
    shown
}

/// Where `secret` begins and ends in `path`, as it is, percent-encoded, or
/// encoded twice, by a client that encodes it too.
fn places(path: &str, secret: &[u8]) -> Vec<(usize, usize)> {
    let plain: Vec<Byte> = path.bytes().enumerate().map(|(at, byte)| (byte, at, at + 1)).collect();
    let once = decoded(&plain);
    let twice = decoded(&once);
    let mut places: Vec<_> =
        [plain, once, twice].iter().flat_map(|it| within(it, secret)).collect();
    places.sort_unstable();
    places
}

/// A byte of a text, and where its spelling begins and ends in the path.
type Byte = (u8, usize, usize);

fn within<'b>(text: &'b [Byte], secret: &'b [u8]) -> impl Iterator<Item = (usize, usize)> + 'b {
    let is_within_a_word = |at: Option<usize>| {
        at.and_then(|at| text.get(at)).is_some_and(|(byte, ..)| byte.is_ascii_alphanumeric())
    };
    let windows = text.windows(secret.len().max(1)).enumerate();
    let found = windows.filter(move |(index, window)| {
        let is_whole = !is_within_a_word(index.checked_sub(1))
            && !is_within_a_word(Some(index + window.len()));
        window.iter().map(|(byte, ..)| byte).eq(secret) && (is_whole || secret.len() >= LONG)
    });
    found.filter_map(|(_, window)| Some((window.first()?.1, window.last()?.2)))
}

/// A text without percent-encoding.
fn decoded(text: &[Byte]) -> Vec<Byte> {
    let digit = |at: usize| {
        let digit = char::from(text.get(at)?.0).to_digit(16)?;
        u8::try_from(digit).ok()
    };
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&(byte, start, end)) = text.get(at) {
        let escaped = (byte == b'%').then(|| Some(16 * digit(at + 1)? + digit(at + 2)?)).flatten();
        let (value, end, length) = match escaped {
            Some(value) => (value, text.get(at + 2).map_or(end, |it| it.2), 3),
            None => (byte, end, 1),
        };
        decoded.push((value, start, end));
        at += length;
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_hidden_anywhere_in_a_path() {
        for (path, expected) in [
            ("/w/query/key-0001", "/w/query/***"),
            ("/w/query;integration_key=key-0001", "/w/query;integration_key=***"),
            ("/w/key%2D0001/%6bey-0001", "/w/***/***"),
            ("/w/key%252d0001/%256bey%2D0001/x", "/w/***/***/x"),
            ("/w/p%41th-000/p%2541th-000", "/w/***/***"),
            ("/w/xkey-0001x", "/w/x***x"),
            ("/w/Key-0001/key-000", "/w/Key-0001/key-000"),
            ("/key-0001", "/***"),
            ("/a+/b=%", "/***%"),
            ("/ws/direct", "/***/direct"),
            ("/wsx/xws", "/wsx/xws"),
            ("/", "/"),
        ] {
            assert_eq!(
                without_secrets(path, ["key-0001", "a+/b=", "p%41th-000", "ws", ""]),
                expected,
                "{path}"
            );
        }
        assert_eq!(without_secrets("/a/*/b", ["*"]), "/a/***/b");
    }
}
