//! The forms of tax documents of Brazil.

/// Whether the text contains a CPF or a CNPJ with its check digits, with or
/// without punctuation, and with no further digit on either side.
pub fn holds_tax_document(text: &str) -> bool {
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

/// Whether the text is a CPF.
pub fn is_cpf(characters: &str) -> bool {
    has_form_of_cpf(characters) && has_check_digits_of_cpf(characters)
}

/// Whether the text is a CNPJ.
pub fn is_cnpj(characters: &str) -> bool {
    has_form_of_cnpj(characters) && has_check_digits_of_cnpj(characters)
}

/// A document without dots, hyphens and slashes.
pub fn without_punctuation(document: &str) -> String {
    document.replace(['.', '-', '/'], "")
}

fn has_form_of_cpf(characters: &str) -> bool {
    characters.len() == 11 && characters.bytes().all(|it| it.is_ascii_digit())
}

/// 12 digits or, since July 2026, capital letters; then 2 digits.
pub fn has_form_of_cnpj(characters: &str) -> bool {
    characters.len() == 14
        && characters
            .bytes()
            .enumerate()
            .all(|(index, it)| it.is_ascii_digit() || index < 12 && it.is_ascii_uppercase())
}

/// The weights of a CPF go from 2 to 11.
pub fn has_check_digits_of_cpf(characters: &str) -> bool {
    has_check_digits(characters, 10)
}

/// The weights of a CNPJ go from 2 to 9.
pub fn has_check_digits_of_cnpj(characters: &str) -> bool {
    has_check_digits(characters, 8)
}

/// Whether the last two digits are those that modulo 11 gives for the
/// characters before them, and not all characters are the same.
///
/// A character counts its ASCII code less 48, so that a digit counts itself.
/// From the right, the weights rise from 2, and begin again after `weights` of
/// them.
fn has_check_digits(characters: &str, weights: usize) -> bool {
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
