//! Changes that parsing a document and writing it again makes to its values.

use payments_core::json::{Json, Members};

use super::finding::{Change, SignatureFinding};
use super::interface_order;

/// With more members of numbers than this, not every choice of them is tried.
const MOST_CHOSEN: usize = 4;

/// A change that a program makes when it parses a document and writes it again,
/// or its inverse.
#[derive(Clone, Debug)]
pub(super) enum TreeChange {
    /// Binary fractions in their shortest form.
    Shortest { keeps_zero: bool },
    /// The numbers of these members with that many decimals.
    Decimals { members: Vec<String>, places: usize },
    /// Each empty object as an empty array.
    EmptyArrays,
    /// The empty arrays of these members as empty objects.
    EmptyObjects { members: Vec<String> },
    /// The members in the order of the interface.
    InterfaceOrder,
}

/// Whether a value is one that a change is about, and whether the change has been
/// made to it already.
type Kind = fn(&Json) -> Option<bool>;

const NUMBER: Kind = |json| json.as_number_text().map(|text| text.contains('.'));
const EMPTY_ARRAY: Kind = |json| (json.as_array()?.is_empty()).then_some(false);

impl TreeChange {
    /// Every set of changes that makes a difference to `json`: to its numbers, to
    /// empty values, and to the order of members.
    pub(super) fn sets(json: &Json) -> Vec<Vec<Self>> {
        let mut numbers =
            vec![Self::Shortest { keeps_zero: true }, Self::Shortest { keeps_zero: false }];
        for members in choices(json, NUMBER) {
            for places in [2, 1] {
                numbers.push(Self::Decimals { members: members.clone(), places });
            }
        }
        let mut empty = vec![Self::EmptyArrays];
        let chosen = choices(json, EMPTY_ARRAY).into_iter();
        empty.extend(chosen.map(|members| Self::EmptyObjects { members }));
        let both = numbers
            .iter()
            .flat_map(|number| empty.iter().map(move |empty| vec![empty.clone(), number.clone()]));
        let single = numbers.iter().chain(&empty).map(|change| vec![change.clone()]);
        let values: Vec<Vec<Self>> = single.chain(both).collect();
        let ordered = std::iter::once(Vec::new()).chain(values.clone()).map(|mut set| {
            set.push(Self::InterfaceOrder);
            set
        });
        let mut all: Vec<Vec<Self>> = values.iter().cloned().chain(ordered).collect();
        let mut seen = vec![json.clone()];
        all.retain(|set| {
            let changed = Self::applied_in_turn(set, json);
            let is_new = !seen.contains(&changed);
            if is_new {
                seen.push(changed);
            }
            is_new
        });
        all
    }

    /// `json` with all of a set of changes.
    pub(super) fn applied_in_turn(set: &[Self], json: &Json) -> Json {
        set.iter().fold(json.clone(), |changed, change| match change {
            Self::InterfaceOrder => interface_order::arranged(&changed),
            change => change.applied_at("", &changed),
        })
    }

    /// Its name.
    pub(super) fn change(&self) -> Change {
        let numbers = SignatureFinding::NumbersRewritten;
        match self {
            Self::Shortest { keeps_zero: true } => {
                (numbers, "with its numbers as Python and Rust write them (100.1, 100.0)")
            }
            Self::Shortest { keeps_zero: false } => {
                (numbers, "with its numbers as JavaScript and PHP write them (100.1, 100)")
            }
            Self::Decimals { places: 1, .. } => {
                (numbers, "with a decimal in its whole numbers (100.0)")
            }
            Self::Decimals { .. } => (numbers, "with two decimals in its amounts (100.10)"),
            Self::EmptyArrays => {
                (SignatureFinding::BodyReserialized, "with [] in place of each {}, as PHP writes")
            }
            Self::EmptyObjects { .. } => {
                (SignatureFinding::BodyReserialized, "with {} in place of []")
            }
            Self::InterfaceOrder => {
                (SignatureFinding::BodyReserialized, "with its members in the interface's order")
            }
        }
    }

    /// `name` is that of the member which holds `json`, directly or in arrays.
    fn applied_at(&self, name: &str, json: &Json) -> Json {
        match json {
            Json::Number(text) => Json::Number(self.number(name, text)),
            Json::Array(elements) if elements.is_empty() => match self {
                Self::EmptyObjects { members } if members.iter().any(|it| it == name) => {
                    Members::new().into()
                }
                _ => json.clone(),
            },
            Json::Array(elements) => {
                Json::Array(elements.iter().map(|element| self.applied_at(name, element)).collect())
            }
            Json::Object(members) if members.is_empty() => match self {
                Self::EmptyArrays => Json::Array(Vec::new()),
                _ => json.clone(),
            },
            Json::Object(members) => {
                let changed: Members = members
                    .iter()
                    .map(|(name, value)| (name, self.applied_at(name, value)))
                    .collect();
                changed.into()
            }
            other => other.clone(),
        }
    }

    fn number(&self, name: &str, text: &str) -> String {
        let changed = match self {
            Self::Shortest { keeps_zero } => shortest(text, *keeps_zero),
            Self::Decimals { members, places } if members.iter().any(|it| it == name) => {
                with_decimals(text, *places)
            }
            _ => None,
        };
        changed.unwrap_or_else(|| text.to_owned())
    }
}

/// The number as a parser into binary fractions and a serializer leave it:
/// `100.1` for `100.10`, and `100.0` or `100` for `100.00`. JavaScript does the
/// same to integers, which changes large ones. `None` where an exponent would be
/// written.
fn shortest(text: &str, keeps_zero: bool) -> Option<String> {
    let is_fraction = text.contains(['.', 'e', 'E']);
    if keeps_zero && !is_fraction {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    let exponent_from = if keeps_zero { 1e16 } else { 1e21 };
    if number != 0.0 && !(1e-4..exponent_from).contains(&number.abs()) {
        return None;
    }
    let digits = number.to_string();
    let is_whole = !digits.contains('.');
    Some(if is_whole && keeps_zero { format!("{digits}.0") } else { digits })
}

/// The number with exactly that many decimals, if that leaves its value.
fn with_decimals(text: &str, places: usize) -> Option<String> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let fits = decimals.len() <= places && !text.contains(['e', 'E']);
    fits.then(|| format!("{whole}.{decimals:0<places$}"))
}

/// The sets of members whose values of that kind to change: every set of them, or,
/// if there are many, all and those where the change has been made to some.
fn choices(json: &Json, kind: Kind) -> Vec<Vec<String>> {
    let mut names: Vec<(String, bool)> = Vec::new();
    collect("", json, kind, &mut names);
    if names.len() > MOST_CHOSEN {
        let made = names.iter().filter(|(_, is_made)| *is_made);
        let made = made.map(|(name, _)| name.clone()).collect();
        return vec![names.into_iter().map(|(name, _)| name).collect(), made];
    }
    let is_in = |set: usize, at: usize| set >> at & 1 == 1;
    (1..1_usize << names.len())
        .rev()
        .map(|set| {
            let chosen = names.iter().enumerate().filter(|(at, _)| is_in(set, *at));
            chosen.map(|(_, (name, _))| name.clone()).collect()
        })
        .collect()
}

/// The names of members with values of that kind, directly or in arrays, and
/// whether the change has been made to one of these.
fn collect(name: &str, json: &Json, kind: Kind, names: &mut Vec<(String, bool)>) {
    if let Some(is_made) = kind(json) {
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known |= is_made,
            None => names.push((name.to_owned(), is_made)),
        }
    }
    for element in json.as_array().into_iter().flatten() {
        collect(name, element, kind, names);
    }
    for (name, value) in json.as_object().into_iter().flat_map(Members::iter) {
        collect(name, value, kind, names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_their_shortest_form() {
        for (text, with_zero, without) in [
            ("100.10", Some("100.1"), Some("100.1")),
            ("100.00", Some("100.0"), Some("100")),
            ("1e2", Some("100.0"), Some("100")),
            ("100", None, Some("100")),
            ("12345678901234567890", None, Some("12345678901234567000")),
            ("0.00001", None, None),
            ("1e16", None, Some("10000000000000000")),
            ("1e400", None, None),
        ] {
            assert_eq!(shortest(text, true).as_deref(), with_zero, "{text}");
            assert_eq!(shortest(text, false).as_deref(), without, "{text}");
        }
    }

    #[test]
    fn only_changes_that_make_a_difference_are_tried() {
        let count = |text: &str| TreeChange::sets(&Json::parse(text.as_bytes()).unwrap()).len();
        assert_eq!(count(r#"{"a":"1.50"}"#), 0);
        // Two decimals, and one.
        assert_eq!(count(r#"{"a":100}"#), 2);
        // The shortest form, an array, and both.
        assert_eq!(count(r#"{"a":1.50,"b":{}}"#), 3);
    }
}
