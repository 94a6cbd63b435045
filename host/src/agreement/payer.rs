//! Whether a service shows the payer of a request. Pure.

use payments_core::json::Json;

use super::Compared;

/// The payer of a request, or of the object `customer` in a response.
#[derive(Clone, Default)]
pub(crate) struct Payer {
    name: Option<String>,
    email: Option<String>,
    /// The digits of the document.
    document: Option<String>,
}

impl Payer {
    /// The payer with the members `name`, `email` and `document` of an object.
    pub(crate) fn of(object: Option<&Json>) -> Self {
        let text = |name: &str| {
            let text = object?.get(name)?.as_text_or_number()?;
            (!is_masked(text)).then_some(text)
        };
        let filled = |text: String| Some(text).filter(|it| !it.is_empty());
        let digits = |text: &str| filled(text.chars().filter(char::is_ascii_digit).collect());
        Self {
            name: text("name").and_then(|it| filled(folded(it))),
            email: text("email").and_then(|it| filled(folded(it))),
            document: text("document").and_then(digits),
        }
    }

    /// Compares it with the payer that a response shows. Documents decide; where one of
    /// the two has none, they are different only if both name and e-mail are.
    pub(crate) fn compare(&self, shown: &Self) -> Compared {
        let same =
            |one: &Option<String>, other: &Option<String>| Some(one.as_ref()? == other.as_ref()?);
        if let Some(is_same) = same(&self.document, &shown.document) {
            return Compared::of(is_same);
        }
        match (same(&self.name, &shown.name), same(&self.email, &shown.email)) {
            (Some(false), Some(false)) => Compared::Differs,
            (Some(true), _) | (_, Some(true)) => Compared::Same,
            _ => Compared::NotShown,
        }
    }
}

/// Whether some characters are hidden, as in `***.513.468-**` and `m…@example.com`.
fn is_masked(text: &str) -> bool {
    let is_mask = |it: char| matches!(it, '*' | '#' | '•' | '●' | '…' | '█');
    let has_dots = text.contains("...");
    let lower = text.to_ascii_lowercase();
    // One x may be a letter of a name.
    text.contains(is_mask) || has_dots || lower.contains("xxx")
}

/// The text without case, accents and white space.
fn folded(text: &str) -> String {
    let lower = text.chars().flat_map(char::to_lowercase);
    lower.filter(|it| !it.is_whitespace() && !is_combining(*it)).map(without_accent).collect()
}

fn is_combining(it: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&it)
}

/// The base of a lower-case letter of a European language.
fn without_accent(letter: char) -> char {
    const ACCENTS: [(&str, char); 12] = [
        ("àáâãäåāăą", 'a'),
        ("çćĉċč", 'c'),
        ("ďđ", 'd'),
        ("èéêëēĕėęě", 'e'),
        ("ìíîïĩīĭį", 'i'),
        ("ñńņň", 'n'),
        ("òóôõöøōŏő", 'o'),
        ("ŕřŗ", 'r'),
        ("śŝşšș", 's'),
        ("ùúûüũūŭůűų", 'u'),
        ("ýÿŷ", 'y'),
        ("źżž", 'z'),
    ];
    ACCENTS.iter().find(|(letters, _)| letters.contains(letter)).map_or(letter, |(_, base)| *base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Compared::{Differs, NotShown, Same};

    #[test]
    fn a_document_decides_and_otherwise_name_and_email() {
        let asked = r#"{"name":"José da Silva","email":"jose@example.com",
            "document":"853.513.468-93"}"#;
        let without = r#"{"name":"José da Silva","email":"jose@example.com"}"#;
        for (asked, shown, expected) in [
            (asked, r#"{"document":"85351346893","name":"Another","email":"a@b.c"}"#, Same),
            (asked, r#"{"document":85351346893}"#, Same),
            (asked, r#"{"document":"111.444.777-35","email":"jose@example.com"}"#, Differs),
            (asked, r#"{"document":"***.513.468-**","email":"JOSE@example.com"}"#, Same),
            (asked, r#"{"document":"xxx.513.468-xx"}"#, NotShown),
            (asked, r#"{"name":"JOSE DASILVA","email":"other@example.com"}"#, Same),
            (asked, r#"{"name":"Jose\u0301 da Silva"}"#, Same),
            (asked, r#"{"name":"Maria Souza","email":"jose@example.com"}"#, Same),
            (asked, r#"{"name":"Maria Souza","email":"maria@example.com"}"#, Differs),
            (asked, r#"{"name":"Maria Souza","email":"m***@example.com"}"#, NotShown),
            (asked, r#"{"name":"Maria Souza"}"#, NotShown),
            (asked, r#"{"name":" ","email":"","document":null}"#, NotShown),
            (asked, "null", NotShown),
            (without, r#"{"document":"111.444.777-35","email":"jose@example.com"}"#, Same),
            (without, r#"{"document":"111.444.777-35","name":"Ana","email":"a@b.c"}"#, Differs),
        ] {
            let payer = |text: &str| Payer::of(Some(&Json::parse(text.as_bytes()).unwrap()));
            assert_eq!(payer(asked).compare(&payer(shown)), expected, "{shown}");
        }
        assert_eq!(Payer::default().compare(&Payer::of(None)), NotShown);
    }
}
