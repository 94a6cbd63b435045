//! The forms of tax documents of Brazil and of Pix keys.

/// The weights of a CPF go from 2 to 11.
pub(super) const CPF_WEIGHTS: usize = 10;
/// The weights of a CNPJ go from 2 to 9.
pub(super) const CNPJ_WEIGHTS: usize = 8;

/// Whether a CPF or a CNPJ with its check digits stands in the text, with or
/// without punctuation, and with no further digit on either side.
pub(crate) fn holds_tax_document(text: &str) -> bool {
    let bytes = text.as_bytes();
    (0..bytes.len()).filter(|&at| at == 0 || !bytes[at - 1].is_ascii_digit()).any(|at| {
        let is_free = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        document_at(&bytes[at..], 11).is_some_and(|it| is_cpf(&it))
            || document_at(&bytes[at..], 14).is_some_and(|it| {
                is_cnpj(&it) && (is_free || it.bytes().all(|it| it.is_ascii_digit()))
            })
    })
}

/// The first `length` letters and digits, without the punctuation between
/// them, if no digit follows.
fn document_at(bytes: &[u8], length: usize) -> Option<String> {
    let mut found = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' => found.push(char::from(*byte)),
            b'.' | b'-' | b'/' if !found.is_empty() => continue,
            _ => return None,
        }
        if found.len() == length {
            let is_followed = bytes.get(index + 1).is_some_and(u8::is_ascii_digit);
            return (!is_followed).then_some(found);
        }
    }
    None
}

pub(super) fn is_cpf(characters: &str) -> bool {
    has_form_of_cpf(characters) && has_check_digits(characters, CPF_WEIGHTS)
}

pub(super) fn is_cnpj(characters: &str) -> bool {
    has_form_of_cnpj(characters) && has_check_digits(characters, CNPJ_WEIGHTS)
}

pub(super) fn without_punctuation(document: &str) -> String {
    document.replace(['.', '-', '/'], "")
}

pub(super) fn has_form_of_cpf(characters: &str) -> bool {
    characters.len() == 11 && characters.bytes().all(|it| it.is_ascii_digit())
}

/// 12 digits or, since July 2026, capital letters; then 2 digits.
pub(super) fn has_form_of_cnpj(characters: &str) -> bool {
    characters.len() == 14
        && characters
            .bytes()
            .enumerate()
            .all(|(index, it)| it.is_ascii_digit() || index < 12 && it.is_ascii_uppercase())
}

/// Whether the last two digits are those that modulo 11 gives for the
/// characters before them, and not all characters are the same.
///
/// A character counts its ASCII code less 48, so that a digit counts itself.
/// From the right, the weights rise from 2, and after `weights` of them begin
/// again.
pub(super) fn has_check_digits(characters: &str, weights: usize) -> bool {
    let values: Vec<usize> = characters.bytes().map(|it| usize::from(it) - 48).collect();
    let expected = |before: &[usize]| {
        let weighted = before.iter().rev().enumerate();
        let sum: usize = weighted.map(|(index, value)| (2 + index % weights) * value).sum();
        match sum % 11 {
            0 | 1 => 0,
            rest => 11 - rest,
        }
    };
    let (first, second) = (values.len() - 2, values.len() - 1);
    values[first] == expected(&values[..first])
        && values[second] == expected(&values[..second])
        && values.iter().any(|value| *value != values[0])
}

/// `+55`, two digits of the area and eight or nine of the number.
pub(super) fn is_phone(key: &str) -> bool {
    key.strip_prefix("+55").is_some_and(|number| {
        matches!(number.len(), 10 | 11) && number.bytes().all(|it| it.is_ascii_digit())
    })
}

pub(super) fn is_email(key: &str) -> bool {
    let is_clean = key.bytes().all(|it| it.is_ascii_graphic());
    is_clean
        && key.split_once('@').is_some_and(|(user, domain)| {
            let mut labels = domain.split('.');
            let is_host = labels.all(|label| !label.is_empty() && !label.contains('@'));
            !user.is_empty() && is_host && domain.contains('.')
        })
}

/// A random key is a UUID, with or without its hyphens.
pub(super) fn is_random(key: &str) -> bool {
    let groups: Vec<&str> = key.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    matches!(lengths[..], [8, 4, 4, 4, 12] | [32])
        && groups.iter().all(|group| group.bytes().all(|it| it.is_ascii_hexdigit()))
}
