//! `spec/methods.toml`: the payment methods that were seen, and their countries.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::operations::Operation;
use super::requests::Known;
use super::responses::Responses;
use super::{Mistakes, Text};

/// The response that tells a payer how to pay.
const RESPONSE: &str = "PaymentResponse";

#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Methods {
    /// By their codes of two letters.
    #[serde(rename(serialize = "countries"))]
    country: IndexMap<String, Country>,
    /// By their `payment_type_code`.
    #[serde(rename(serialize = "methods"))]
    method: IndexMap<String, Method>,
    #[serde(skip_deserializing)]
    known_codes: IndexMap<Known, Codes>,
}

/// A type of texts with known values, in their order.
#[derive(Serialize)]
struct Codes {
    name: &'static str,
    /// Its description, in sentences.
    doc: &'static str,
    values: Vec<String>,
}

impl Methods {
    /// Gives members of requests their known values.
    pub(super) fn complete(&self, operations: &mut [Operation]) {
        for operation in operations {
            let objects = operation.request.iter_mut().chain(operation.object.values_mut());
            for member in objects.flat_map(|it| it.members.values_mut()) {
                if let Some(known) = member.known {
                    member.examples.clone_from(&self.known_codes[&known].values);
                }
            }
        }
    }
}

fn known_codes(
    countries: &IndexMap<String, Country>,
    methods: &IndexMap<String, Method>,
) -> IndexMap<Known, Codes> {
    let currencies: IndexSet<_> = countries.values().map(|it| it.currency.clone()).collect();
    let country = Codes {
        name: "CountryCode",
        doc: "A lower-case two-letter country code. The service may know others.",
        values: countries.keys().cloned().collect(),
    };
    let currency = Codes {
        name: "CurrencyCode",
        doc: "A three-letter currency code. The service may know others.",
        values: currencies.into_iter().collect(),
    };
    let method = Codes {
        name: "PaymentTypeCode",
        doc: "A payment method. The service has others, and knows which of them an account may use.",
        values: methods.keys().cloned().collect(),
    };
    [(Known::Countries, country), (Known::Currencies, currency), (Known::Methods, method)].into()
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Country {
    name: String,
    /// Its currency, ISO 4217.
    currency: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Method {
    /// Where it was seen. Empty if it is one of many countries.
    #[serde(default)]
    countries: Vec<String>,
    /// The members of the response that tell the payer how to pay.
    #[serde(default)]
    shows: Vec<String>,
    seen: Vec<Source>,
    /// The kind of the next action.
    #[serde(skip_deserializing)]
    kind: String,
}

#[derive(PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Source {
    Interface,
    Clients,
    Guides,
}

pub(super) fn read(file: &Text, responses: &Responses, mistakes: &mut Mistakes) -> Methods {
    let Methods { country: countries, method: mut methods, .. } =
        file.parsed(mistakes).unwrap_or_default();
    for (code, country) in &countries {
        let place = file.place(&format!("[country.{code}]"));
        if code.len() != 2 || !code.bytes().all(|it| it.is_ascii_lowercase()) {
            mistakes.add(&place, format!("{code} is no lower-case code of two letters"));
        }
        let Country { name, currency } = country;
        if currency.len() != 3 || !currency.bytes().all(|it| it.is_ascii_uppercase()) {
            mistakes.add(&place, format!("the currency of {name} is no code of ISO 4217"));
        }
    }
    let actions: Vec<_> = responses.actions(RESPONSE).collect();
    for (code, method) in &mut methods {
        let mut add = |what: String| mistakes.add(&file.place(&format!("[method.{code}]")), what);
        let is_sign = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
        if code.len() > 32 || !code.bytes().all(is_sign) {
            add(format!("{code} is no code of lower-case letters, digits and hyphens"));
        }
        if let Some(again) = repeated(&method.countries).or_else(|| repeated(&method.shows)) {
            add(format!("{code} has {again} twice"));
        }
        if method.seen.is_empty() || repeated(&method.seen).is_some() {
            add(format!("{code} was seen nowhere, or somewhere twice"));
        }
        for country in method.countries.iter().filter(|it| !countries.contains_key(*it)) {
            add(format!("there is no [country.{country}]"));
        }
        for member in &method.shows {
            let is_known = actions.iter().any(|(_, names)| names.contains(&member.as_str()));
            if !is_known {
                add(format!("next_action knows no {member}"));
            }
        }
        let is_shown = |name: &str| method.shows.iter().any(|it| it == name);
        let first = actions.iter().find(|(_, names)| is_shown(names[0]));
        if first.is_none() && !method.shows.is_empty() {
            add(format!("next_action shows nothing of {code}"));
        }
        method.kind = first.map_or("none", |(kind, _)| kind).to_owned();
    }
    Methods { known_codes: known_codes(&countries, &methods), country: countries, method: methods }
}

/// The first item that occurs twice.
fn repeated<T: PartialEq + Serialize>(items: &[T]) -> Option<String> {
    let (_, item) = items.iter().enumerate().find(|(at, it)| items[..*at].contains(it))?;
    serde_json::to_string(item).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{codes, file, folder, operations, responses};

    const GOOD: &str = "[country.br]
name = 'Brazil'
currency = 'BRL'
[method.pix]
countries = ['br']
shows = ['qr_code_value']
seen = ['guides']
[method.spei]
shows = ['clabe_reference', 'spei_url', 'clabe_account']
seen = ['clients']
[method.visa]
seen = ['clients']
";

    fn read_from(text: &str) -> (Methods, Vec<String>) {
        let mut mistakes = Mistakes::default();
        let codes = codes::read(&file("spec/codes.toml"), &mut mistakes);
        let files = folder("spec/operations");
        let mut operations = operations::read(&files, &codes, &mut mistakes);
        let responses = responses::read(&files, &mut operations, &codes, &mut mistakes);
        let text = Text { path: "file".to_owned(), text: text.to_owned() };
        (read(&text, &responses, &mut mistakes), mistakes.0)
    }

    #[test]
    fn the_kind_of_a_method_is_that_of_its_first_action() {
        let (methods, mistakes) = read_from(GOOD);
        assert_eq!(mistakes, [""; 0]);
        let kinds: Vec<_> = methods.method.values().map(|it| it.kind.as_str()).collect();
        assert_eq!(kinds, ["qr_code", "account", "none"]);
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        for (right, wrong, expected) in [
            ("country.br", "country.BR", "file:1: BR is no lower-case code of two letters"),
            ("'BRL'", "'brl'", "file:1: the currency of Brazil is no code of ISO 4217"),
            ("method.pix", "method.Pix", "file:4: Pix is no code of lower-case letters"),
            ("['br']", "['mx']", "file:4: there is no [country.mx]"),
            ("['br']", "['br', 'br']", "file:4: pix has \"br\" twice"),
            ("['qr_code_value']", "['qr_code']", "file:4: next_action knows no qr_code"),
            ("'spei_url', 'clabe_account'", "", "file:8: next_action shows nothing of spei"),
            ("['guides']", "[]", "file:4: pix was seen nowhere, or somewhere twice"),
            ("['guides']", "['guides', 'guides']", "file:4: pix was seen nowhere, or somewhere"),
            ("'guides'", "'guide'", "file:7: unknown variant `guide`"),
            ("shows", "show", "file:6: unknown field `show`"),
            ("method.visa", "method.pix", "file:11: duplicate key"),
        ] {
            let (_, found) = read_from(&GOOD.replacen(right, wrong, 1));
            assert!(found.iter().any(|it| it.starts_with(expected)), "{expected} {found:?}");
        }
    }
}
