//! Tax documents: their forms and check digits.

use payments_base::invisible::is_invisible;
use payments_core::inside::forms::{
    has_check_digits_of_cnpj, has_check_digits_of_cpf, without_punctuation,
};
use payments_core::json::Members;

use super::{Finding, text};

/// A kind of tax document.
struct Kind {
    country: &'static str,
    /// Its `document_type`.
    name: &'static str,
    /// Its characters, the longest form first: `9` is a digit, `A` a capital letter, `N` one of a
    /// name in Mexico, `K` a digit or the letter K, `X` a digit or a capital letter.
    forms: &'static [&'static str],
    /// The forms in words.
    words: &'static str,
    /// Whether the check digits of a text of that form are right.
    check: fn(&str) -> bool,
}

const CPF: Kind = Kind {
    country: "br",
    name: "CPF",
    forms: &["99999999999"],
    words: "11 digits",
    check: has_check_digits_of_cpf,
};
const CNPJ: Kind = Kind {
    country: "br",
    name: "CNPJ",
    forms: &["XXXXXXXXXXXX99"],
    words: "14 characters: 12 digits or capital letters, then 2 digits",
    check: has_check_digits_of_cnpj,
};
const CURP: Kind = Kind {
    country: "mx",
    name: "CURP",
    forms: &["AAAA999999AAAAAAX9"],
    words: "18 characters: 4 letters, 6 digits, 6 letters, then 2 characters",
    check: has_check_digit_of_curp,
};
/// The tax authority issues some whose check digit is wrong, such as the one for the
/// public.
const RFC: Kind = Kind {
    country: "mx",
    name: "RFC",
    forms: &["NNNN999999XXX", "NNN999999XXX"],
    words: "12 or 13 characters: 3 or 4 letters, 6 digits, then 3 characters",
    check: |_| true,
};
const CUIT: Kind = Kind {
    country: "ar",
    name: "CUIT",
    forms: &["99999999999"],
    words: "11 digits",
    check: has_check_digit_of_cuit,
};
const CUIL: Kind = Kind { name: "CUIL", ..CUIT };
const RUT: Kind = Kind {
    country: "cl",
    name: "RUT",
    forms: &["99999999K", "9999999K"],
    words: "7 or 8 digits, then a check digit or K",
    check: has_check_digit_of_rut,
};
const RUN: Kind = Kind { name: "RUN", ..RUT };
const RUC: Kind = Kind {
    country: "pe",
    name: "RUC",
    forms: &["99999999999"],
    words: "11 digits",
    check: has_check_digit_of_ruc,
};

const KINDS: [Kind; 9] = [CPF, CNPJ, CURP, RFC, CUIT, CUIL, RUT, RUN, RUC];

const ZEROS: &str = "; a spreadsheet may have removed leading zeros: make its column text";

/// Judges `document` by `document_type`; in Brazil, by its length without one.
pub(super) fn of_document(country: &str, members: &Members) -> Option<Finding> {
    let characters = without_punctuation(text(members, "document")?);
    let name = text(members, "document_type");
    let is_named = |kind: &&Kind| match name {
        Some(name) => name.eq_ignore_ascii_case(kind.name),
        None => country == CPF.country,
    };
    let in_country = || KINDS.iter().filter(|kind| kind.country == country);
    let reaches = |kind: &Kind| kind.forms[0].len() >= characters.chars().count();
    let kind = in_country()
        .filter(is_named)
        .reduce(|kind, next| if reaches(kind) { kind } else { next })?;
    let is_right = |kind: &&Kind| kind.has_form(&characters) && (kind.check)(&characters);
    if is_right(&kind) {
        return None;
    }
    Some(match in_country().find(is_right) {
        Some(Kind { name, .. }) => {
            Finding::document_form(format!("has the form of a {name}; correct document_type"))
        }
        None => kind.problem(&characters),
    })
}

impl Kind {
    fn has_form(&self, characters: &str) -> bool {
        let is_of = |(class, it): (char, char)| match class {
            '9' => it.is_ascii_digit(),
            'A' => it.is_ascii_uppercase(),
            'N' => it.is_ascii_uppercase() || matches!(it, 'Ñ' | '&'),
            'K' => it.is_ascii_digit() || it.eq_ignore_ascii_case(&'K'),
            _ => it.is_ascii_digit() || it.is_ascii_uppercase(),
        };
        self.forms.iter().any(|form| {
            form.len() == characters.chars().count()
                && form.chars().zip(characters.chars()).all(is_of)
        })
    }

    /// The finding about a text that is not of this kind.
    fn problem(&self, characters: &str) -> Finding {
        let Self { name, words, .. } = *self;
        if self.has_form(characters) {
            return match name {
                "CPF" => Finding::CPF_CHECK_DIGITS,
                "CNPJ" => Finding::CNPJ_CHECK_DIGITS,
                _ => Finding::document_form(format!(
                    "the check digit of the {name} is wrong; compare it with its source"
                )),
            };
        }
        if let Some(seen) = unusual(characters) {
            return Finding::document_form(seen);
        }
        let length = characters.chars().count();
        let is_of_digits = characters.bytes().all(|it| it.is_ascii_digit());
        let unit = if is_of_digits { "digits" } else { "characters" };
        let article = if name == RFC.name { "an" } else { "a" };
        let of = format!("{article} {name} ({words})");
        Finding::document_form(if self.has_form(&characters.to_uppercase()) {
            "has small letters; write them as capital letters".to_owned()
        } else if self.forms.iter().all(|it| length < it.len()) {
            let zeros = if is_of_digits { ZEROS } else { "" };
            format!("has {length} {unit}, too few for {of}{zeros}")
        } else if self.forms.iter().all(|it| length > it.len()) {
            format!("has {length} {unit}, too many for {of}; compare it with its source")
        } else {
            format!("has letters or digits where {of} has none; compare it with its source")
        })
    }
}

/// Characters that are in no document.
fn unusual(characters: &str) -> Option<&'static str> {
    let any = |is: fn(char) -> bool| characters.chars().any(is);
    let is_other = |it: char| !it.is_ascii_alphanumeric() && !matches!(it, 'Ñ' | '&');
    if any(is_invisible) || any(char::is_control) {
        Some("has a character that nobody sees; type it again")
    } else if any(char::is_whitespace) {
        Some("has spaces; remove them")
    } else if is_shortened(characters) {
        Some("was shortened by a spreadsheet; make the column text, and enter it again")
    } else if any(is_other) {
        Some(
            "has characters that are no letters A to Z, digits, points, hyphens or slashes; type it again",
        )
    } else {
        None
    }
}

/// Whether it is a number with an exponent, without the decimal point.
pub(super) fn is_shortened(characters: &str) -> bool {
    characters.split_once("E+").is_some_and(|(digits, exponent)| {
        let is_number = |it: &str| {
            !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'.' | b','))
        };
        is_number(digits) && is_number(exponent)
    })
}

/// The check digit that modulo 11 gives for values whose weights rise from 2 on the
/// right, and begin again after 7: 10 and 11 for the remainders 1 and 0.
fn modulo_11(digits: &str) -> u32 {
    let values = digits.chars().rev().filter_map(|it| it.to_digit(10));
    let sum: u32 = values.zip((2..=7).cycle()).map(|(value, weight)| value * weight).sum();
    11 - sum % 11
}

fn has_check_digit_of_cuit(characters: &str) -> bool {
    let (digits, last) = characters.split_at(10);
    let expected = match modulo_11(digits) {
        11 => 0,
        10 => 9,
        other => other,
    };
    last.parse() == Ok(expected)
}

fn has_check_digit_of_ruc(characters: &str) -> bool {
    let (digits, last) = characters.split_at(10);
    last.parse() == Ok(modulo_11(digits) % 10)
}

fn has_check_digit_of_rut(characters: &str) -> bool {
    let (digits, last) = characters.split_at(characters.len() - 1);
    match modulo_11(digits) {
        11 => last == "0",
        10 => last.eq_ignore_ascii_case("K"),
        other => last.parse() == Ok(other),
    }
}

/// A letter counts its place in the Spanish alphabet, where Ñ follows N.
fn has_check_digit_of_curp(characters: &str) -> bool {
    let value = |it: char| {
        let value = it.to_digit(36)?;
        Some(if it > 'N' { value + 1 } else { value })
    };
    let weighted = characters.chars().take(17).zip((2..=18).rev());
    let sum: u32 = weighted.filter_map(|(it, weight)| Some(value(it)? * weight)).sum();
    characters.chars().last().and_then(|it| it.to_digit(10)) == Some((10 - sum % 10) % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(country: &str, kind: &str, document: &str) -> Option<Finding> {
        of_document(country, &Members::from([("document", document), ("document_type", kind)]))
    }

    fn message(country: &str, kind: &str, text: &str) -> String {
        let found = document(country, kind, text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(found.code, "document_form", "{text}");
        assert!(!found.message.contains(text), "{}", found.message);
        found.message.into_owned()
    }

    #[test]
    fn a_cpf_has_two_check_digits() {
        for valid in ["85351346893", "853.513.468-93", "111.444.777-35", "529.982.247-25"] {
            assert_eq!(document("br", "CPF", valid), None, "{valid}");
        }
        // The last two have the check digits 0 for the rests 0 and 1.
        for valid in ["123.456.789-09", "000.000.001-91", "100.000.001-08"] {
            assert_eq!(document("br", "cpf", valid), None, "{valid}");
        }
        for wrong in ["85351346883", "853.513.468-92", "853.513.486-93", "123.456.789-10"] {
            assert_eq!(document("br", "CPF", wrong), Some(Finding::CPF_CHECK_DIGITS), "{wrong}");
        }
        for digit in '0'..='9' {
            let equal = digit.to_string().repeat(11);
            assert_eq!(document("br", "CPF", &equal), Some(Finding::CPF_CHECK_DIGITS), "{equal}");
        }
    }

    #[test]
    fn a_cnpj_has_two_check_digits_and_may_have_letters() {
        for valid in [
            "11222333000181",
            "11.222.333/0001-81",
            "00.000.000/0001-91",
            "33.000.167/0001-01",
            "12ABC34501DE35",
            "12.ABC.345/01DE-35",
        ] {
            assert_eq!(document("br", "CNPJ", valid), None, "{valid}");
        }
        for wrong in [
            "11222333000180",
            "11.222.333/0001-91",
            "12.ABC.345/01DE-36",
            "12.ABD.345/01DE-35",
            "00000000000000",
            "11111111111111",
        ] {
            assert_eq!(document("br", "CNPJ", wrong), Some(Finding::CNPJ_CHECK_DIGITS), "{wrong}");
        }
    }

    #[test]
    fn a_finding_says_what_is_seen() {
        const SMALL: &str = "has small letters; write them as capital letters";
        const PLACES: &str = "where a CNPJ (14 characters: 12 digits or capital letters, then 2 \
                              digits) has none; compare it with its source";
        for (country, kind, text, expected) in [
            (
                "br",
                "CPF",
                "8535134689",
                "has 10 digits, too few for a CPF (11 digits); a spreadsheet",
            ),
            ("br", "CPF", "853513468930", "has 12 digits, too many for a CPF (11 digits); compare"),
            ("br", "CPF", "853 513 468 93", "has spaces; remove them"),
            ("br", "CPF", "853\u{a0}513\u{a0}468\u{a0}93", "has spaces; remove them"),
            ("br", "CPF", "853.513\u{200b}.468-93", "has a character that nobody sees; type it"),
            ("br", "CPF", "853.513.468–93", "has characters that are no letters A to Z, digits,"),
            ("br", "CPF", "８５３５１３４６８９３", "has characters that are no letters A to Z"),
            ("br", "CPF", "=\"85351346893\"", "has characters that are no letters A to Z"),
            ("br", "CPF", "8.5351E+10", "was shortened by a spreadsheet; make"),
            ("br", "CPF", "8535134689X", "has letters or digits where a CPF (11 digits) has none;"),
            ("br", "CNPJ", "1122233300018", "has 13 digits, too few for a CNPJ (14 characters: 12"),
            ("br", "CNPJ", "12ABC34501DE3", "has 13 characters, too few for a CNPJ"),
            ("br", "CNPJ", "12345678901234567", "has 17 digits, too many for a CNPJ"),
            ("br", "CNPJ", "12abc34501de35", SMALL),
            ("br", "CNPJ", "12ABC34501DEA5", PLACES),
            ("br", "CNPJ", "12ABC34501DE3A", PLACES),
            ("br", "CNPJ", "853.513.468-93", "has the form of a CPF; correct document_type"),
            ("br", "CPF", "11.222.333/0001-81", "has the form of a CNPJ; correct document_type"),
            ("mx", "CURP", "roce000131hnldnda0", SMALL),
            ("mx", "CURP", "ROCE000131HNLDNDA1", "the check digit of the CURP is wrong; compare"),
            ("mx", "CURP", "ROCE000131HNLDND0", "has 17 characters, too few for a CURP (18"),
            ("mx", "RFC", "galp900211ab1", SMALL),
            ("mx", "RFC", "GALP900211", "has 10 characters, too few for an RFC (12 or 13"),
            ("mx", "RFC", "ROCE000131HNLDNDA0", "has the form of a CURP; correct document_type"),
            ("ar", "CUIT", "20-26756539-4", "the check digit of the CUIT is wrong; compare"),
            ("ar", "CUIL", "20 26756539 3", "has spaces; remove them"),
            ("cl", "RUT", "12.531.909-3", "the check digit of the RUT is wrong; compare"),
            ("cl", "RUN", "12.531.909", "the check digit of the RUN is wrong; compare"),
            ("pe", "RUC", "2051233379", "has 10 digits, too few for a RUC (11 digits); a spread"),
            ("pe", "RUC", "20512333798", "the check digit of the RUC is wrong; compare"),
        ] {
            let message = message(country, kind, text);
            assert!(message.contains(expected), "{kind} {text}: {message}");
        }
    }

    #[test]
    fn documents_of_other_countries_have_their_check_digits() {
        for (country, kind, valid) in [
            ("mx", "curp", "ROCE000131HNLDNDA0"),
            ("mx", "CURP", "BOXW310820HNERXN09"),
            ("mx", "RFC", "GALP-900211-AB1"),
            ("mx", "RFC", "XAXX010101000"),
            ("mx", "RFC", "Ñ&A900211AB1"),
            ("ar", "CUIT", "20-26756539-3"),
            ("ar", "CUIL", "20267565393"),
            ("cl", "RUT", "12.531.909-2"),
            ("cl", "RUN", "1000005-K"),
            ("cl", "RUT", "1000005k"),
            ("pe", "RUC", "20512333797"),
            // No kind that is known, or not in this country.
            ("ar", "DNI", "1"),
            ("mx", "CPF", "1"),
            ("co", "CC", "1"),
            ("br", "PASSPORT", "X1"),
        ] {
            assert_eq!(document(country, kind, valid), None, "{kind} {valid}");
        }
    }

    #[test]
    fn a_document_without_a_type_is_judged_by_its_length() {
        let of = |country, text: &str| of_document(country, &Members::from([("document", text)]));
        for fine in ["853.513.468-93", "12.ABC.345/01DE-35", " "] {
            assert_eq!(of("br", fine), None, "{fine}");
        }
        assert_eq!(of("br", "853.513.468-92"), Some(Finding::CPF_CHECK_DIGITS));
        assert_eq!(of("br", "11.222.333/0001-80"), Some(Finding::CNPJ_CHECK_DIGITS));
        for (text, expected) in [
            ("8535134689", "has 10 digits, too few for a CPF"),
            ("1122233300018", "has 13 digits, too few for a CNPJ"),
            ("112223330001811", "has 15 digits, too many for a CNPJ"),
            ("12.abc.345/01de-35", "has small letters"),
        ] {
            let found = of("br", text).unwrap();
            assert!(found.message.starts_with(expected), "{found:?}");
        }
        assert_eq!(of("mx", "1"), None);
    }
}
