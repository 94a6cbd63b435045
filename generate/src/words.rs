//! Wording and line wrapping of the packages' documentation.

use payments_core::operation::{Definition, RequestMember, RequestShape, ResponseMember};

use crate::requests::fields;

/// `create_payment` as `createPayment`.
pub(crate) fn in_camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + &in_capital(part))
}

/// Capitalizes the first letter.
pub(crate) fn in_capital(text: &str) -> String {
    let mut text = text.to_owned();
    text.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    text
}

/// Doubles the backticks around code, as reStructuredText requires.
pub(crate) fn in_rst(text: &str) -> String {
    text.replace('`', "``")
}

/// The meaning of a response member, as a sentence.
pub(crate) fn doc_of_member(member: &ResponseMember) -> String {
    in_capital(member.meaning) + "."
}

/// What an operation does, in sentences.
pub(crate) fn doc_of_operation(definition: &Definition) -> String {
    format!("{} {}", definition.summary, definition.details).trim_end().to_owned()
}

/// Turns the first word into an imperative: "Creates" becomes "Create".
pub(crate) fn in_imperative(summary: &str) -> String {
    let (verb, rest) = summary.split_once(' ').unwrap_or((summary, ""));
    let verb = match verb.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => verb.strip_suffix('s').unwrap_or(verb).to_owned(),
    };
    format!("{verb} {rest}")
}

/// The members of a request, including those of inner objects, by path:
/// `payment.name`, `tracking_code[].items[].sku`.
pub(crate) fn places(of: &Definition) -> Vec<(String, &'static RequestMember)> {
    let mut places = Vec::new();
    if let Some(request) = of.request {
        push_places(&mut places, fields(request), "");
    }
    places
}

fn push_places(
    places: &mut Vec<(String, &'static RequestMember)>,
    fields: impl Iterator<Item = &'static RequestMember>,
    above: &str,
) {
    for field in fields {
        let place = format!("{above}{}", field.name);
        places.push((place.clone(), field));
        if let Some(object) = field.shape.object() {
            let list = if matches!(field.shape, RequestShape::Object(_)) { "" } else { "[]" };
            push_places(places, self::fields(object), &format!("{place}{list}."));
        }
    }
}

/// Wraps text into lines of at most `width` characters. `first` precedes the
/// first line, `start` the others.
pub(crate) fn wrapped(text: &str, first: &str, start: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            lines += &(line + "\n");
            line = start.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_become_commands() {
        assert_eq!(in_imperative("Creates a payment."), "Create a payment.");
        assert_eq!(in_imperative("Queries a payment."), "Query a payment.");
        assert_eq!(in_imperative("Releases it."), "Release it.");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three", "- ", "  ", 9), "- one two\n  three\n");
        assert_eq!(wrapped("alonglongword x", "- ", "  ", 4), "- alonglongword\n  x\n");
    }
}
