//! Filters of templates for the values of samples, as each language writes them.

use minijinja::{Environment, Error};
use serde::Deserialize as _;

use crate::spec::samples::{Kind, Value};

/// The longest line of a program.
const WIDTH: usize = 100;

/// The longest line of a command.
const SHELL_WIDTH: usize = 92;

pub(crate) fn add(environment: &mut Environment<'_>) {
    type Given = minijinja::Value;
    environment.add_filter(
        "literal_of",
        |value: Given, language: &str, before: &str, after: &str| {
            Ok::<_, Error>(Syntax::of(language).call(&Value::deserialize(value)?, before, after))
        },
    );
    environment
        .add_filter("c_text", |value: Given| Ok::<_, Error>(c_text(&Value::deserialize(value)?)));
    environment.add_filter("shell", |value: Given, before: &str| {
        Ok::<_, Error>(shell(&Value::deserialize(value)?, before))
    });
}

/// How a language writes values.
struct Syntax {
    indent: usize,
    /// Around an object, and within it if it is in one line.
    object: [&'static str; 2],
    padding: &'static str,
    list: [&'static str; 2],
    key: fn(&str) -> String,
    text: fn(&str) -> String,
    amount: fn(&str) -> String,
    found: fn(&Value) -> String,
    /// The comma after the last item of several lines.
    last: &'static str,
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

const JSON: Syntax = Syntax {
    indent: 2,
    object: ["{", "}"],
    padding: "",
    list: ["[", "]"],
    key: |name| format!("{name:?}: "),
    text: quoted,
    amount: quoted,
    found: |it| it.text.clone(),
    last: "",
};
const PYTHON: Syntax =
    Syntax { indent: 4, found: |it| format!("{}.{}", it.found, it.text), last: ",", ..JSON };
const NODE: Syntax = Syntax {
    indent: 2,
    padding: " ",
    key: |name| format!("{name}: "),
    text: single_quoted,
    amount: single_quoted,
    found: |it| format!("{}.{}", it.found, crate::filters::in_camel_case(&it.text)),
    ..PYTHON
};
const PHP: Syntax = Syntax {
    indent: 4,
    object: ["[", "]"],
    padding: "",
    key: |name| format!("'{name}' => "),
    found: |it| format!("${}->{}()", it.found, crate::filters::in_camel_case(&it.text)),
    ..NODE
};
/// The members of a request are named arguments.
const PYTHON_ARGUMENTS: Syntax =
    Syntax { object: ["", ""], key: |name| format!("{name}="), ..PYTHON };

impl Syntax {
    fn of(language: &str) -> Self {
        match language {
            "python" => PYTHON_ARGUMENTS,
            "node" => NODE,
            "php" => PHP,
            _ => JSON,
        }
    }

    /// A value between two texts, in one line if it fits.
    fn call(&self, value: &Value, before: &str, after: &str) -> String {
        let used = before.chars().count() + after.chars().count();
        format!("{before}{}{after}", self.fitted(value, 0, used))
    }

    fn fitted(&self, value: &Value, indent: usize, used: usize) -> String {
        let line = self.in_one_line(value);
        if value.parts.is_empty() || indent + used + line.chars().count() <= WIDTH {
            return line;
        }
        let [open, close] = if value.kind == Kind::List { self.list } else { self.object };
        let inner = indent + self.indent;
        // Arguments of Python contain dictionaries.
        let within = if open.is_empty() { &PYTHON } else { self };
        let mut lines = format!("{open}\n");
        for (index, part) in value.parts.iter().enumerate() {
            let key = self.key_of(part);
            let comma = if index + 1 < value.parts.len() { "," } else { self.last };
            let part = within.fitted(part, inner, key.chars().count() + 1);
            lines += &format!("{:inner$}{key}{part}{comma}\n", "");
        }
        format!("{lines}{:indent$}{close}", "")
    }

    fn in_one_line(&self, value: &Value) -> String {
        let within = if self.object[0].is_empty() { &PYTHON } else { self };
        let parts = value.parts.iter().map(|it| self.key_of(it) + &within.in_one_line(it));
        let parts = parts.collect::<Vec<_>>().join(", ");
        match value.kind {
            Kind::Object => {
                let [open, close] = self.object;
                format!("{open}{0}{parts}{0}{close}", self.padding)
            }
            Kind::List => format!("{}{parts}{}", self.list[0], self.list[1]),
            Kind::Integer => value.text.clone(),
            Kind::Amount => (self.amount)(&value.text),
            Kind::Found => (self.found)(value),
            Kind::Text => (self.text)(&value.text),
        }
    }

    fn key_of(&self, value: &Value) -> String {
        if value.name.is_empty() { String::new() } else { (self.key)(&value.name) }
    }
}

/// JSON in lines of texts for C, where an amount is a number.
fn c_text(value: &Value) -> String {
    const INDENT: &str = "        ";
    let json = Syntax { amount: str::to_owned, ..JSON }.in_one_line(value);
    let mut lines = vec![String::new()];
    for piece in json.split_inclusive(", ") {
        let piece = piece.replace('"', "\\\"");
        let line = lines.last_mut().map(std::mem::take).unwrap_or_default();
        // With the quotes.
        if line.is_empty() || INDENT.len() + 2 + line.len() + piece.trim_end().len() <= WIDTH {
            lines.pop();
            lines.push(line + &piece);
        } else {
            lines.pop();
            lines.extend([line.trim_end().to_owned(), format!(" {piece}")]);
        }
    }
    let lines: Vec<_> = lines.iter().map(|it| format!("{INDENT}\"{it}\"")).collect();
    lines.join("\n")
}

/// A command with the options of a request, or with its JSON if an option would be a
/// list.
fn shell(value: &Value, before: &str) -> String {
    if has_list(value) {
        let json = JSON.fitted(value, 0, WIDTH);
        return format!("{before} - <<'JSON'\n{json}\nJSON");
    }
    let mut words = Vec::new();
    push_options(value, "", &mut words);
    let mut lines = before.to_owned();
    let mut used = lines.chars().count();
    for word in words {
        // With the mark of a line that continues.
        if used + word.chars().count() + 3 > SHELL_WIDTH {
            lines += " \\\n ";
            used = 1;
        }
        used += 1 + word.chars().count();
        lines += &format!(" {word}");
    }
    lines
}

fn has_list(value: &Value) -> bool {
    value.kind == Kind::List || value.parts.iter().any(has_list)
}

fn push_options(value: &Value, prefix: &str, words: &mut Vec<String>) {
    for part in &value.parts {
        let name = format!("{prefix}{}", part.name.replace('_', "-"));
        let is_plain =
            |text: &str| text.chars().all(|it| it.is_alphanumeric() || "@.-_".contains(it));
        match part.kind {
            // The only member of a request is no prefix.
            Kind::Object if prefix.is_empty() && value.parts.len() == 1 => {
                push_options(part, "", words)
            }
            Kind::Object => push_options(part, &format!("{name}-"), words),
            Kind::Found => words.push(format!("--{name} \"${}\"", part.text)),
            _ if is_plain(&part.text) => words.push(format!("--{name} {}", part.text)),
            _ => words.push(format!("--{name} '{}'", part.text.replace('\'', "'\\''"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, kind: Kind, text: &str, parts: Vec<Value>) -> Value {
        let owned = str::to_owned;
        Value {
            name: owned(name),
            kind,
            text: owned(text),
            found: owned("it"),
            parts,
            ..Value::default()
        }
    }

    fn sample(name: &str) -> Value {
        let inner =
            vec![node("n", Kind::Text, "it's", vec![]), node("a", Kind::Amount, "1.50", vec![])];
        let list = node("l", Kind::List, "", vec![node("", Kind::Integer, "2", vec![])]);
        let found = node("h", Kind::Found, "a_b", vec![]);
        node("", Kind::Object, "", vec![node(name, Kind::Object, "", inner), list, found])
    }

    #[test]
    fn each_language_writes_a_value_in_its_own_form() {
        let short = sample("o");
        let written = |language: &str| Syntax::of(language).call(&short, "f(", ")");
        assert_eq!(written("python"), r#"f(o={"n": "it's", "a": "1.50"}, l=[2], h=it.a_b)"#);
        assert_eq!(written("node"), r"f({ o: { n: 'it\'s', a: '1.50' }, l: [2], h: it.aB })");
        assert_eq!(
            written("php"),
            r"f(['o' => ['n' => 'it\'s', 'a' => '1.50'], 'l' => [2], 'h' => $it->aB()])"
        );
        assert_eq!(
            c_text(&short),
            r#"        "{\"o\": {\"n\": \"it's\", \"a\": 1.50}, \"l\": [2], \"h\": a_b}""#
        );
    }

    #[test]
    fn a_value_that_is_too_long_is_in_several_lines() {
        let name = "o".repeat(60);
        let long = sample(&name);
        let written = |language: &str| Syntax::of(language).call(&long, "f(", ")");
        let object = r#"{"n": "it's", "a": "1.50"}"#;
        let expected = format!("f(\n    {name}={object},\n    l=[2],\n    h=it.a_b,\n)");
        assert_eq!(written("python"), expected);
        let expected =
            format!("f({{\n  {name}: {{ n: 'it\\'s', a: '1.50' }},\n  l: [2],\n  h: it.aB,\n}})");
        assert_eq!(written("node"), expected);
        assert_eq!(c_text(&long).lines().count(), 2);
    }

    #[test]
    fn a_command_has_options_or_reads_json() {
        let inner =
            vec![node("a_b", Kind::Text, "it's", vec![]), node("h", Kind::Found, "hash", vec![])];
        let whole = node("", Kind::Object, "", vec![node("o", Kind::Object, "", inner)]);
        assert_eq!(shell(&whole, "pay"), r#"pay --a-b 'it'\''s' --h "$hash""#);
        let list = shell(&sample("o"), "pay");
        assert!(
            list.starts_with("pay - <<'JSON'\n{\n  \"o\": {") && list.ends_with("}\nJSON"),
            "{list}"
        );
    }
}
