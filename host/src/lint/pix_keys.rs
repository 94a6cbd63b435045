//! The forms of Pix keys in the directory of Pix (DICT). Random keys are also known
//! without hyphens, which services take.

use payments_base::invisible::is_invisible;
use payments_core::inside::forms::{has_form_of_cnpj, is_cnpj, is_cpf, without_punctuation};

use super::documents::is_shortened;

/// The area codes of Brazil, by their first digit.
const AREAS: [(u8, &[u8]); 9] = [
    (b'1', b"123456789"),
    (b'2', b"12478"),
    (b'3', b"1234578"),
    (b'4', b"123456789"),
    (b'5', b"1345"),
    (b'6', b"123456789"),
    (b'7', b"134579"),
    (b'8', b"123456789"),
    (b'9', b"123456789"),
];

const LONGEST_EMAIL: usize = 77;
const RANDOM_LENGTH: usize = 32;

const CPF: &str = "write a CPF with its 11 digits only, as in its source";
const CNPJ: &str = "write a CNPJ with its 14 digits or capital letters only, as in its source";
const ZEROS: &str = "write a CPF with 11 digits or a CNPJ with 14, in a column of text";
const EMAIL: &str = "write an e-mail address in small letters, such as maria@example.com";
const PHONE: &str = "write a phone as +55, the area code and the nine digits of a mobile number, such \
                     as +5511999990000";
const RANDOM: &str = "write a random key in small letters, with its hyphens as in \
                      123e4567-e89b-12d3-a456-426655440000, or its 32 characters alone";
const ANY: &str = "write a CPF (11 digits) or CNPJ (14 characters) without punctuation, an e-mail \
                   address in small letters, a phone such as +5511999990000, or a random key (UUID)";

/// The mistake in a key, and how to write it.
pub(super) fn problem(key: &str) -> Option<String> {
    let (seen, remedy) = seen(key)?;
    Some(format!("{seen}; {remedy}"))
}

fn seen(key: &str) -> Option<(&'static str, &'static str)> {
    let with = |remedy| move |seen| (seen, remedy);
    let count = |is: fn(&u8) -> bool| key.bytes().filter(is).count();
    let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
    if key.chars().any(|it| it.is_control() || is_invisible(it)) {
        Some(("has a character that nobody sees", ANY))
    } else if key.contains('@') {
        of_email(key)
    } else if key.starts_with('+') {
        of_phone(key).map(with(PHONE))
    } else if is_shortened(&without_punctuation(key)) {
        Some(("was shortened by a spreadsheet", ANY))
    } else if digits + letters > 20 && !key.contains(' ') {
        of_random(key).map(with(RANDOM))
    } else {
        of_document(key, digits, letters)
    }
}

/// The directory takes no other characters, and a domain needs a name and a top level.
fn of_email(key: &str) -> Option<(&'static str, &'static str)> {
    let is_of_user = |it: u8| it.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&it);
    let is_label = |it: &str| {
        let is_clean = it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
        is_clean && !it.is_empty() && !it.starts_with('-') && !it.ends_with('-')
    };
    let is_address = key.split_once('@').is_some_and(|(user, domain)| {
        let is_top = |it: &str| it.len() > 1 && !it.bytes().all(|it| it.is_ascii_digit());
        !user.is_empty()
            && user.bytes().all(is_of_user)
            && domain.split('.').all(is_label)
            && domain.rsplit_once('.').is_some_and(|(_, top)| is_top(top))
    });
    if !is_address {
        Some(("is no e-mail address", EMAIL))
    } else if key.len() > LONGEST_EMAIL {
        Some(("is an e-mail address of more than 77 characters", "ask the payee for another key"))
    } else if key.bytes().any(|it| it.is_ascii_uppercase()) {
        Some(("is an e-mail address with capital letters", EMAIL))
    } else {
        None
    }
}

fn of_phone(key: &str) -> Option<&'static str> {
    let Some(number) = key.strip_prefix("+55") else {
        return Some("is a phone that does not begin with +55");
    };
    if !number.bytes().all(|it| it.is_ascii_digit()) {
        Some("is a phone with other characters than + and digits")
    } else if !has_area(number) {
        Some("is a phone whose area code does not exist")
    } else if !is_mobile(number) {
        Some("is a phone without the nine digits of a mobile number, which begin with 9")
    } else {
        None
    }
}

fn has_area(number: &str) -> bool {
    let [first, second, ..] = *number.as_bytes() else { return false };
    AREAS.iter().any(|(it, seconds)| *it == first && seconds.contains(&second))
}

/// Whether the digits are an area code and a mobile number.
fn is_mobile(number: &str) -> bool {
    number.len() == 11 && has_area(number) && number.as_bytes()[2] == b'9'
}

/// A random key is a UUID.
fn of_random(key: &str) -> Option<&'static str> {
    let groups: Vec<&str> = key.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_hexadecimal = groups.concat().bytes().all(|it| it.is_ascii_hexdigit());
    if !matches!(lengths[..], [8, 4, 4, 4, 12] | [RANDOM_LENGTH]) || !is_hexadecimal {
        Some("is no random key, whose 32 characters are digits and letters from a to f")
    } else if key.bytes().any(|it| it.is_ascii_uppercase()) {
        Some("is a random key with capital letters")
    } else {
        None
    }
}

/// Judges a CPF or CNPJ, or a phone without +55, by its numbers of `digits` and
/// `letters`.
fn of_document(key: &str, digits: usize, letters: usize) -> Option<(&'static str, &'static str)> {
    let is_punctuation = |it: char| " ()./-".contains(it);
    let characters = key.replace(is_punctuation, "");
    let is_plain = characters == key;
    let national = characters.trim_start_matches('0');
    let national = national.strip_prefix("55").filter(|it| it.len() > 9).unwrap_or(national);
    let padded = |length: usize| format!("{characters:0>length$}");
    if characters.len() != digits + letters {
        Some(("is no Pix key", ANY))
    } else if is_cpf(&characters) {
        (!is_plain).then_some(("is a CPF with punctuation", CPF))
    } else if is_cnpj(&characters) {
        (!is_plain).then_some(("is a CNPJ with punctuation", CNPJ))
    } else if is_cnpj(&characters.to_uppercase()) {
        Some(("is a CNPJ with small letters", CNPJ))
    } else if letters == 0 && is_mobile(national) {
        Some(("is a phone that does not begin with +55", PHONE))
    } else if is_plain && letters == 0 && (is_cpf(&padded(11)) || is_cnpj(&padded(14))) {
        Some(("is a CPF or CNPJ without its leading zeros", ZEROS))
    } else if letters == 0 && digits == 11 {
        Some(("is no CPF, since its check digits are wrong", CPF))
    } else if has_form_of_cnpj(&characters.to_uppercase()) {
        Some(("is no CNPJ, since its check digits are wrong", CNPJ))
    } else {
        Some(("is no Pix key", ANY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(key: &str) -> String {
        let (seen, remedy) = seen(key).unwrap_or_else(|| panic!("{key}"));
        assert!(!seen.contains(key) || key == "-", "{seen}");
        format!("{seen}; {remedy}")
    }

    #[test]
    fn the_directory_has_five_forms() {
        let longest = format!("{}@example.com", "a".repeat(65));
        for known in [
            "85351346893",
            "11222333000181",
            "12ABC34501DE35",
            "maria@example.com",
            "maria.souza+pix@mail.example.com.br",
            "o'brien_{1}@example.xn--p1ai",
            &longest,
            "+5511999990000",
            "123e4567-e89b-12d3-a456-426655440000",
            "123e4567e89b12d3a456426655440000",
            "00000000-0000-0000-0000-000000000000",
        ] {
            assert_eq!(problem(known), None, "{known}");
        }
    }

    #[test]
    fn a_phone_has_one_of_67_area_codes() {
        let areas = (0..100).filter(|area| problem(&format!("+55{area:02}987654321")).is_none());
        let areas: Vec<_> = areas.collect();
        assert_eq!(areas.len(), 67);
        for area in [11, 19, 21, 28, 38, 49, 55, 61, 69, 79, 81, 99] {
            assert!(areas.contains(&area), "{area}");
        }
        for none in ["+5501234567890", "+5500999990000", "+5523999990000", "+5580999990000", "+551"]
        {
            let expected = format!("is a phone whose area code does not exist; {PHONE}");
            assert_eq!(message(none), expected, "{none}");
        }
    }

    #[test]
    fn a_phone_is_a_mobile_number_in_its_international_form() {
        let of = |seen| format!("{seen}; {PHONE}");
        let no_mobile =
            of("is a phone without the nine digits of a mobile number, which begin with 9");
        for key in [
            "+551133330000",
            "+5511899990000",
            "+5511 9999000",
            "+55119999900001",
            "+5585351346893",
        ] {
            let key = key.replace(' ', "");
            assert_eq!(message(&key), no_mobile, "{key}");
        }
        let other = of("is a phone with other characters than + and digits");
        for key in ["+5511 99999-0000", "+55 11999990000", "+55(11)999990000", "+551199999000x"] {
            assert_eq!(message(key), other, "{key}");
        }
        let without = of("is a phone that does not begin with +55");
        for key in [
            "11988887777",
            "5511999990000",
            "005511999990000",
            "011 99999-0000",
            "(11) 99999-0000",
            "+14155550100",
            "+ 5511999990000",
        ] {
            assert_eq!(message(key), without, "{key}");
        }
    }

    #[test]
    fn an_email_address_has_small_letters_and_at_most_77_characters() {
        let none = format!("is no e-mail address; {EMAIL}");
        for key in [
            "maria@example",
            "maria@@example.com",
            "maria@example..com",
            "maria@example.com.",
            "maria@-example.com",
            "maria@exa_mple.com",
            "maria@example,com",
            "maria@example.c",
            "maria@192.168.0.1",
            "mailto:maria@example.com",
            "<maria@example.com>",
            "maria@example.com;joao@example.com",
            "\"maria\"@example.com",
            "@example.com",
            "maria souza@example.com",
            "josé@example.com",
        ] {
            assert_eq!(message(key), none, "{key}");
        }
        for key in ["Maria@example.com", "maria@Example.com", "MARIA@EXAMPLE.COM"] {
            let expected = format!("is an e-mail address with capital letters; {EMAIL}");
            assert_eq!(message(key), expected, "{key}");
        }
        let long = message(&format!("{}@example.com", "a".repeat(66)));
        assert!(long.starts_with("is an e-mail address of more than 77 characters; ask"), "{long}");
    }

    #[test]
    fn a_random_key_has_32_hexadecimal_digits() {
        let none =
            "is no random key, whose 32 characters are digits and letters from a to f; write";
        for key in [
            "123e4567-e89b-12d3-a456-42665544000",
            "123e4567e89b12d3a45642665544000",
            "123e4567-e89b12d3a456426655440000",
            "123g4567-e89b-12d3-a456-426655440000",
            "{123e4567-e89b-12d3-a456-426655440000}",
            "urn:uuid:123e4567-e89b-12d3-a456-426655440000",
        ] {
            let message = message(key);
            assert!(message.starts_with(none), "{key}: {message}");
        }
        let capital = format!("is a random key with capital letters; {RANDOM}");
        for key in ["123E4567-E89B-12D3-A456-426655440000", "123e4567E89b12d3a456426655440000"] {
            assert_eq!(message(key), capital, "{key}");
        }
    }

    #[test]
    fn a_tax_document_is_a_key_without_punctuation() {
        for (key, seen, remedy) in [
            ("853.513.468-93", "is a CPF with punctuation", CPF),
            ("853 513 468 93", "is a CPF with punctuation", CPF),
            ("11.222.333/0001-81", "is a CNPJ with punctuation", CNPJ),
            ("12.ABC.345/01DE-35", "is a CNPJ with punctuation", CNPJ),
            ("12abc34501de35", "is a CNPJ with small letters", CNPJ),
            ("12345678901", "is no CPF, since its check digits are wrong", CPF),
            ("853.513.468-92", "is no CPF, since its check digits are wrong", CPF),
            ("11222333000180", "is no CNPJ, since its check digits are wrong", CNPJ),
            ("12ABD34501DE35", "is no CNPJ, since its check digits are wrong", CNPJ),
            ("3973638004", "is a CPF or CNPJ without its leading zeros", ZEROS),
            ("191", "is a CPF or CNPJ without its leading zeros", ZEROS),
        ] {
            assert_eq!(message(key), format!("{seen}; {remedy}"), "{key}");
        }
    }

    #[test]
    fn other_texts_are_not_keys() {
        for key in [
            "Maria",
            "example.com",
            "4111111111111111",
            "0001/12345-6",
            "８５３５１３４６８９３",
            "-",
            "a b c",
        ] {
            assert_eq!(message(key), format!("is no Pix key; {ANY}"), "{key}");
        }
        let name = message("Maria Souza Silva dos Santos");
        assert!(name.starts_with("is no Pix key"), "{name}");
        let unseen = message("+5511\u{200b}999990000");
        assert!(unseen.starts_with("has a character that nobody sees; write a CPF"), "{unseen}");
        for shortened in ["8.5351E+10", "5,51198E+12"] {
            let message = message(shortened);
            assert!(message.starts_with("was shortened by a spreadsheet; write"), "{message}");
        }
    }
}
