//! Names the missing key of a template that uses an undefined value.

use std::ops::Range;

use minijinja::{Error, ErrorKind, Value};

use crate::environment::{ENTRY, environment, name_of};
use crate::spec::Text;

/// An error of a template, with its place, and with the key that an undefined value
/// would have. The engine knows only the expression, so the template is rendered once
/// more with a lookup in its place that reports its key.
pub(crate) fn explained(error: &Error, template: &Text, all: &[Text], values: &Value) -> Error {
    let place = match (error.name(), error.line()) {
        (Some(name), Some(line)) => format!("generate/templates/{name}:{line}"),
        _ => template.path.clone(),
    };
    let lookup = undefined(error).and_then(|(name, source, range)| {
        let (table, key) = subscript(&source[range.clone()])?;
        let lookup = format!("({table}|{ENTRY}({key}, {table:?}))");
        let text = format!("{}{lookup}{}", &source[..range.start], &source[range.end..]);
        missing_key(name, text, template, all, values)
    });
    let source = std::error::Error::source(error).map(|it| format!(": {it}"));
    let what = lookup.or_else(|| error.detail().map(str::to_owned));
    let what = what.unwrap_or_else(|| error.kind().to_string());
    let what = format!("{place}: {what}{}", source.unwrap_or_default());
    Error::new(ErrorKind::InvalidOperation, what)
}

/// The template of an undefined value, its source, and the place of the expression.
fn undefined(error: &Error) -> Option<(&str, &str, Range<usize>)> {
    let is_undefined = error.kind() == ErrorKind::UndefinedError;
    is_undefined.then_some((error.name()?, error.template_source()?, error.range()?))
}

/// Table and key of `table[key]`.
fn subscript(expression: &str) -> Option<(&str, &str)> {
    let (table, key) = expression.strip_suffix(']')?.split_once('[')?;
    (!key.contains(['[', ':'])).then_some((table, key))
}

fn missing_key(
    name: &str,
    text: String,
    template: &Text,
    all: &[Text],
    values: &Value,
) -> Option<String> {
    let changed = Text { path: name.to_owned(), text };
    let others = all.iter().filter(|it| name_of(&it.path) != name);
    let environment = environment(others.chain([&changed])).ok()?;
    let error = environment.get_template(name_of(&template.path)).ok()?.render(values).err()?;
    (error.kind() == ErrorKind::NonKey).then(|| error.detail().map(str::to_owned)).flatten()
}

#[cfg(test)]
mod tests {
    use minijinja::context;

    use super::*;

    fn message(text: &str) -> String {
        let template =
            Text { path: "generate/templates/a.jinja".to_owned(), text: text.to_owned() };
        let other = Text {
            path: "generate/templates/b.jinja".to_owned(),
            text: "{% macro shown(names, it) %}{{ names[it.shape] }}{% endmacro %}".to_owned(),
        };
        let all = [template, other];
        let values =
            context! { all => [context! { shape => "text" }, context! { shape => "list" }] };
        let environment = environment(&all).unwrap();
        let error = environment.get_template("a.jinja").unwrap().render(&values).unwrap_err();
        explained(&error, &all[0], &all, &values).detail().unwrap().to_owned()
    }

    #[test]
    fn an_undefined_value_has_its_place_and_the_missing_key() {
        let names = "{% set names = {'text': '&str'} %}\n";
        assert_eq!(
            message(&format!(
                "{names}{{% for it in all %}}{{{{ names[it.shape] }}}}{{% endfor %}}"
            )),
            "generate/templates/a.jinja:2: names has no 'list'"
        );
        assert_eq!(
            message(&format!(
                "{{% from 'b.jinja' import shown %}}{names}\
                 {{% for it in all %}}{{{{ shown(names, it) }}}}{{% endfor %}}"
            )),
            "generate/templates/b.jinja:1: names has no 'list'"
        );
        assert_eq!(
            message("\n{% for it in all %}{{ it.name }}{% endfor %}"),
            "generate/templates/a.jinja:2: `it.name` is undefined"
        );
        assert_eq!(
            message("{{ all.names|join(' ') }}"),
            "generate/templates/a.jinja:1: `all.names` is undefined"
        );
        assert!(message("{{ all|camel }}").starts_with("generate/templates/a.jinja:1: "));
    }
}
