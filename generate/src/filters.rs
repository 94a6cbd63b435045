//! Filters of templates for texts.

use minijinja::value::Kwargs;
use minijinja::{Environment, Error, ErrorKind, State, Value};

use crate::sql::listed;

/// The longest line of generated code.
const WIDTH: usize = 100;

/// The longest line of text in a comment of several lines.
const COMMENT_WIDTH: usize = 90;

/// Adds all filters.
pub(crate) fn add(environment: &mut Environment<'_>) {
    environment.add_filter("camel", in_camel_case);
    environment.add_filter("pascal", in_pascal);
    environment.add_filter("constant", constant);
    environment.add_filter("capital", in_capital);
    environment.add_filter("rust_name", rust_name);
    environment.add_filter("phrase", in_a_phrase);
    environment.add_filter("sentence", |text: &str| format!("{}.", in_capital(text)));
    environment.add_filter("plain", without_links);
    environment.add_filter("literal", |text: &str| format!("{text:?}"));
    environment.add_filter("rst", in_rst);
    environment.add_filter("json", json);
    environment.add_filter("jsdoc", jsdoc);
    environment.add_filter("listed", listed);
    environment.add_filter("docstring", docstring);
    environment.add_filter("braced", braced);
    environment.add_filter("with_own_names", |text: &str, names: Vec<String>| {
        names.iter().fold(text.to_owned(), |text, name| {
            text.replace(&format!("`{name}`"), &format!("`{}`", in_camel_case(name)))
        })
    });
    environment.add_filter("members", with_members);
    environment.add_filter("python_error", python_error);
    environment.add_filter("python_event", |name: &str| format!("{}Event", in_pascal(name)));
    environment.add_filter("imperative", in_imperative);
    environment.add_filter("wrapped", with_first);
}

/// `create_payment` as `createPayment`.
pub(crate) fn in_camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + &in_capital(part))
}

/// Capitalizes the first letter.
pub(crate) fn in_capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// Turns the first word into an imperative: "Creates" becomes "Create".
fn in_imperative(summary: &str) -> String {
    let (verb, rest) = summary.split_once(' ').unwrap_or((summary, ""));
    let verb = match verb.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => verb.strip_suffix('s').unwrap_or(verb).to_owned(),
    };
    format!("{verb} {rest}")
}

/// `retry_after` as `RetryAfter`.
pub(crate) fn in_pascal(name: &str) -> String {
    name.split('_').map(in_capital).collect()
}

/// `TrackingDetails` as `TRACKING_DETAILS`.
fn constant(name: &str) -> String {
    let part = |(index, letter): (usize, char)| {
        if letter.is_uppercase() && index > 0 {
            format!("_{letter}")
        } else {
            letter.to_uppercase().to_string()
        }
    };
    name.char_indices().map(part).collect()
}

/// The name of a member in Rust, where some words need a mark.
fn rust_name(name: &str) -> String {
    const WORDS: [&str; 25] = [
        "abstract", "as", "async", "box", "const", "do", "enum", "final", "fn", "for", "gen", "if",
        "impl", "in", "let", "loop", "match", "mod", "move", "override", "ref", "return", "type",
        "use", "where",
    ];
    if WORDS.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

/// Turns a sentence into a phrase: no capital, no final period.
pub(crate) fn in_a_phrase(sentence: &str) -> String {
    let sentence = sentence.strip_suffix('.').unwrap_or(sentence);
    let is_abbreviation = sentence.chars().nth(1).is_some_and(char::is_uppercase);
    let mut text = sentence.to_owned();
    if let Some(first) = text.get_mut(..1).filter(|_| !is_abbreviation) {
        first.make_ascii_lowercase();
    }
    text
}

/// Doubles the backticks around code, except in roles.
pub(crate) fn in_rst(text: &str) -> String {
    let text = text.replace('`', "``");
    let mut parts = text.split(":``");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        whole.push_str(":`");
        whole.push_str(&part.replacen("``", "`", 1));
    }
    whole
}

/// JSON for no page of HTML, unlike that of `tojson`.
fn json(value: &Value) -> Result<String, Error> {
    let failed = |error| Error::new(ErrorKind::BadSerialization, "json").with_source(error);
    serde_json::to_string(value).map_err(failed)
}

/// The text of a page without the targets of its links.
pub(crate) fn without_links(text: &str) -> String {
    let mut parts = text.split("](");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, after) = part.split_once(')').unwrap_or_default();
        if let Some(start) = plain.rfind('[') {
            plain.remove(start);
        }
        plain.push_str(after);
    }
    plain
}

/// `{ a, b }` between `before` and `after`, as JavaScript is formatted: in one line if
/// it fits. With `trailing`, the last item may have a comma.
fn braced(items: Vec<String>, before: &str, after: &str, trailing: bool) -> String {
    let line = format!("{before}{{ {} }}{after}", items.join(", "));
    if line.chars().count() <= WIDTH {
        return line;
    }
    let comma = if trailing { "," } else { "" };
    format!("{before}{{\n  {}{comma}\n}}{after}", items.join(",\n  "))
}

/// A comment of JSDoc, in one line if it fits.
fn jsdoc(text: &str, indent: &str) -> String {
    if text.chars().count() + indent.len() + 7 <= WIDTH {
        return format!("{indent}/** {text} */");
    }
    let lines = wrapped(text, COMMENT_WIDTH, &format!("{indent} * "));
    format!("{indent}/**\n{lines}{indent} */")
}

/// A docstring, whose first sentence has its own line.
fn docstring(text: &str, indent: &str) -> String {
    let text = in_rst(text);
    if text.chars().count() + indent.len() + 6 <= WIDTH {
        return format!("{indent}\"\"\"{text}\"\"\"");
    }
    let Some((first, rest)) = text.split_once(". ") else {
        let opened = format!("{indent}\"\"\"");
        return format!("{}{opened}", wrapped_after(&opened, &text, COMMENT_WIDTH, indent));
    };
    let rest = wrapped(rest, COMMENT_WIDTH, indent);
    format!("{indent}\"\"\"{first}.\n\n{rest}{indent}\"\"\"")
}

/// Text in which the members of an error have the names of a language.
fn with_members(state: &State<'_, '_>, text: &str, language: &str) -> Result<String, Error> {
    let error = state.lookup("error").unwrap_or_default();
    let members = error.get_attr("members")?;
    let details = error.get_attr("details")?;
    let is_member = |name: &str| {
        [&members, &details].iter().any(|it| it.get_attr(name).is_ok_and(|it| !it.is_undefined()))
    };
    let named = |name: &str| match language {
        _ if !is_member(name) => format!("`{name}`"),
        "c" if name == "diagnosis" => "`payments_error_diagnosis_message`".to_owned(),
        "c" if name == "retry_after" => "`payments_error_retry_after_ms`".to_owned(),
        "c" => format!("`payments_error_{name}`"),
        "node" => format!("`{}`", in_camel_case(name)),
        "php" if name == "code" => "`getErrorCode()`".to_owned(),
        "php" => format!("`get{}()`", in_pascal(name)),
        _ => format!(":attr:`{name}`"),
    };
    let parts = text.split('`').enumerate();
    Ok(parts.map(|(n, part)| if n % 2 == 0 { part.to_owned() } else { named(part) }).collect())
}

/// The exception of a kind. Python has its own `TimeoutError`, and asyncio its
/// own `CancelledError`.
fn python_error(kind: &str) -> String {
    let call = if matches!(kind, "timeout" | "cancelled") { "Call" } else { "" };
    format!("{call}{}Error", in_pascal(kind))
}

/// Wraps text into lines, each with `indent`, or the first one with `first`.
fn with_first(
    text: &str,
    indent: &str,
    width: Option<usize>,
    options: Kwargs,
) -> Result<String, Error> {
    let first: Option<&str> = options.get("first")?;
    options.assert_all_used()?;
    let lines = wrapped_after(first.unwrap_or(indent), text, width.unwrap_or(WIDTH), indent);
    Ok(lines.trim_end().to_owned())
}

/// Wraps text into lines of at most `width` characters, each indented.
pub(crate) fn wrapped(text: &str, width: usize, indent: &str) -> String {
    wrapped_after(indent, text, width, indent)
}

fn wrapped_after(first: &str, text: &str, width: usize, indent: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            lines += &(line + "\n");
            line = indent.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines + line.trim_end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_fitted_to_their_place() {
        assert_eq!(in_a_phrase("The TLS handshake failed."), "the TLS handshake failed");
        assert_eq!(constant("TrackingDetails"), "TRACKING_DETAILS");
        assert_eq!(in_a_phrase("A bug."), "a bug");
        assert_eq!(in_a_phrase("TLS failed."), "TLS failed");
        assert_eq!(in_rst("`a` and :attr:`b`"), "``a`` and :attr:`b`");
        assert_eq!(wrapped("one two three", 9, "  "), "  one two\n  three\n");
        assert_eq!(wrapped_after("- ", "one two three", 9, "  "), "- one two\n  three\n");
        assert_eq!(wrapped("alonglongword x", 4, "  "), "  alonglongword\n  x\n");
        assert_eq!(jsdoc("One.", "  "), "  /** One. */");
        let items = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(braced(items.clone(), "x(", ");", true), "x({ a, b });");
        let many = [items, vec!["c".repeat(90)]].concat();
        let lines = format!("x({{\n  a,\n  b,\n  {}\n}});", "c".repeat(90));
        assert_eq!(braced(many, "x(", ");", false), lines);
        let long = "word ".repeat(20);
        assert_eq!(docstring("One. Two.", "  "), "  \"\"\"One. Two.\"\"\"");
        assert_eq!(
            docstring(&format!("One. {long}"), "  "),
            format!(
                "  \"\"\"One.\n\n  {}word word word\n  \"\"\"",
                "word ".repeat(17).trim_end().to_owned() + "\n  "
            )
        );
        assert_eq!(
            docstring(&format!("{long}end."), "  "),
            format!("  \"\"\"{}\n  word word word end.\n  \"\"\"", "word ".repeat(17).trim_end())
        );
        assert_eq!(without_links("See [`a`](b.md#c) and [d](e)."), "See `a` and d.");
        assert_eq!(without_links("Write `[]`."), "Write `[]`.");
    }

    #[test]
    fn sentences_become_commands() {
        assert_eq!(in_imperative("Creates a payment."), "Create a payment.");
        assert_eq!(in_imperative("Queries a payment."), "Query a payment.");
        assert_eq!(in_imperative("Releases it."), "Release it.");
    }

    #[test]
    fn names_are_spelled_as_in_javascript() {
        assert_eq!(in_camel_case("http_status"), "httpStatus");
        assert_eq!(in_camel_case("kind"), "kind");
    }
}
