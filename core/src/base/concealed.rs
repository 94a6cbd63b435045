//! Hides secrets in a path that is shown.

use std::borrow::Cow;

/// What is shown instead of a secret.
const HIDDEN: &str = "***";
/// A secret of so many bytes is hidden also within a longer word. In a shorter
/// one, such as `ws`, it would hide what everybody may see.
const LONG: usize = 8;

/// `path` without `secrets`, also where they are percent-encoded.
pub(crate) fn without_secrets<'p, 's>(
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

/// Where `secret` begins and ends in `path`.
fn places(path: &str, secret: &[u8]) -> Vec<(usize, usize)> {
    let decoded = decoded(path);
    let is_within_a_word = |at: Option<usize>| {
        at.and_then(|at| decoded.get(at)).is_some_and(|(byte, ..)| byte.is_ascii_alphanumeric())
    };
    let windows = decoded.windows(secret.len().max(1)).enumerate();
    let found = windows.filter(|(index, window)| {
        let is_whole = !is_within_a_word(index.checked_sub(1))
            && !is_within_a_word(Some(index + window.len()));
        window.iter().map(|(byte, ..)| byte).eq(secret) && (is_whole || secret.len() >= LONG)
    });
    let ends =
        |(_, window): (usize, &[(u8, usize, usize)])| Some((window.first()?.1, window.last()?.2));
    found.filter_map(ends).collect()
}

/// The bytes of a path without percent-encoding, each with where it begins and
/// ends in `path`.
fn decoded(path: &str) -> Vec<(u8, usize, usize)> {
    let bytes = path.as_bytes();
    let digit = |at: usize| {
        let digit = char::from(*bytes.get(at)?).to_digit(16)?;
        u8::try_from(digit).ok()
    };
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%').then(|| Some(16 * digit(at + 1)? + digit(at + 2)?)).flatten();
        let (value, length) = escaped.map_or((byte, 1), |value| (value, 3));
        decoded.push((value, at, at + length));
        at += length;
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_hidden_wherever_it_is_in_a_path() {
        for (path, expected) in [
            ("/w/query/key-0001", "/w/query/***"),
            ("/w/query;integration_key=key-0001", "/w/query;integration_key=***"),
            ("/w/key%2D0001/%6bey-0001", "/w/***/***"),
            ("/w/xkey-0001x", "/w/x***x"),
            ("/w/Key-0001/key-000", "/w/Key-0001/key-000"),
            ("/key-0001", "/***"),
            ("/a+/b=%", "/***%"),
            ("/ws/direct", "/***/direct"),
            ("/wsx/xws", "/wsx/xws"),
            ("/", "/"),
        ] {
            assert_eq!(without_secrets(path, ["key-0001", "a+/b=", "ws", ""]), expected, "{path}");
        }
        assert_eq!(without_secrets("/a/*/b", ["*"]), "/a/***/b");
    }
}
