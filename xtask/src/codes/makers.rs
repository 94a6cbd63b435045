//! Finds functions that take an error code.

use std::collections::BTreeSet;

use super::tokens::{Language, Token, end_of_group};

/// A function with a parameter `code`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Maker {
    pub(super) name: String,
    /// The type it belongs to, if any.
    pub(super) of: Option<String>,
    pub(super) position: usize,
    /// The only file that can call it; `None` if any file can.
    pub(super) file: Option<usize>,
}

/// Finds the makers in the file with index `index`.
pub(super) fn find_makers(
    index: usize,
    language: Language,
    tokens: &[Token],
    makers: &mut BTreeSet<Maker>,
) {
    let mut of = None;
    for (at, token) in tokens.iter().enumerate() {
        of = type_begun(tokens, at).or(of);
        let Token::Word(word) = token else { continue };
        makers.extend(match word.as_str() {
            "fn" | "def" | "function" => function(index, language, tokens, at, of.as_ref()),
            "constructor" if language == Language::Node => {
                position_of_code(language, tokens, at + 1)
                    .zip(of.clone())
                    .map(|(position, name)| Maker { name, of: None, position, file: None })
            }
            "let" if language == Language::Rust => closure(index, &tokens[at + 1..]),
            _ => None,
        });
    }
}

fn function(
    index: usize,
    language: Language,
    tokens: &[Token],
    at: usize,
    of: Option<&String>,
) -> Option<Maker> {
    let Some(Token::Word(name)) = tokens.get(at + 1) else { return None };
    let open = open_of_parameters(tokens, at + 2)?;
    let position = position_of_code(language, tokens, open)?;
    let is_method = groups(tokens, open).first().is_some_and(|it| is_self(it));
    let of = of.filter(|_| is_method || is_in_braces(tokens, at)).cloned();
    // In Rust, `pub` comes before `fn`.
    let mut before = tokens[..at].iter().rev();
    let mut before = before.by_ref().take_while(|it| !matches!(it.mark(), Some(';' | '{' | '}')));
    let is_local = language == Language::Rust && !before.any(|it| it.is("pub"));
    Some(Maker { name: name.clone(), of, position, file: is_local.then_some(index) })
}

/// Matches a closure, `NAME = |…|`, after `let`.
fn closure(index: usize, after: &[Token]) -> Option<Maker> {
    let [Token::Word(name), Token::Mark('='), rest @ ..] = after else { return None };
    let rest = if rest.first()?.is("move") { &rest[1..] } else { rest };
    let [Token::Mark('|'), rest @ ..] = rest else { return None };
    let parameters = rest.split(|it| it.mark() == Some('|')).next()?;
    let mut parameters = parameters.split(|it| it.mark() == Some(','));
    let position = parameters.position(|it| it.first().is_some_and(|it| it.is("code")))?;
    Some(Maker { name: name.clone(), of: None, position, file: Some(index) })
}

/// The type whose `impl` or `class` starts at `at`.
pub(super) fn type_begun(tokens: &[Token], at: usize) -> Option<String> {
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    let begins_item =
        before.is_none_or(|it| it.is("unsafe") || matches!(it.mark(), Some('}' | ';' | ']')));
    match (&tokens[at], tokens.get(at + 1)) {
        (Token::Word(word), _) if word == "impl" && begins_item => type_of_impl(&tokens[at + 1..]),
        (Token::Word(word), Some(Token::Word(name))) if word == "class" => Some(name.clone()),
        _ => None,
    }
}

fn is_in_braces(tokens: &[Token], at: usize) -> bool {
    let depth = tokens[..at].iter().fold(0_i32, |depth, token| match token.mark() {
        Some('{') => depth + 1,
        Some('}') => depth - 1,
        _ => depth,
    });
    depth > 0
}

/// The type of an `impl`: `impl<T> Trait for Type<T>` gives `Type`.
fn type_of_impl(after: &[Token]) -> Option<String> {
    let head: Vec<_> = after.iter().take_while(|it| it.mark() != Some('{')).collect();
    let start = head.iter().position(|it| it.is("for")).map_or(0, |at| at + 1);
    let mut depth = 0;
    let mut last = None;
    for token in &head[start..] {
        match token {
            Token::Mark('<') => depth += 1,
            Token::Mark('>') => depth -= 1,
            Token::Word(word) if depth == 0 && word == "where" => break,
            Token::Word(word) if depth == 0 => last = Some(word.clone()),
            _ => {}
        }
    }
    last
}

/// The opening parenthesis of a function's parameters, after its generics.
fn open_of_parameters(tokens: &[Token], mut at: usize) -> Option<usize> {
    let mut depth = 0;
    loop {
        match tokens.get(at)?.mark() {
            Some('<') => depth += 1,
            Some('>') if tokens[at - 1].mark() != Some('-') => depth -= 1,
            Some('(') if depth == 0 => return Some(at),
            _ if depth == 0 => return None,
            _ => {}
        }
        at += 1;
    }
}

/// The comma-separated parts of a group.
pub(super) fn groups(tokens: &[Token], open: usize) -> Vec<&[Token]> {
    let end = end_of_group(tokens, open);
    let mut found = Vec::new();
    let mut start = open + 1;
    let mut at = start;
    while at < end {
        match tokens[at].mark() {
            Some('(' | '[' | '{') => at = end_of_group(tokens, at),
            Some(',') => {
                found.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if start < end {
        found.push(&tokens[start..end]);
    }
    found
}

fn is_self(parameter: &[Token]) -> bool {
    parameter.last().is_some_and(|it| it.is("self"))
}

/// The position of the code among the arguments, without `self`. A `code: &str`
/// without a message is not an error code.
fn position_of_code(language: Language, tokens: &[Token], open: usize) -> Option<usize> {
    let parameters = groups(tokens, open);
    let names = |name: &str| parameters.iter().any(|it| it.first().is_some_and(|it| it.is(name)));
    let skipped = usize::from(parameters.first().is_some_and(|it| is_self(it)));
    let is_code = |parameter: &&[Token]| match language {
        Language::Rust => {
            let [name, colon, kind @ ..] = parameter else { return false };
            let is_text = kind.first().and_then(Token::mark) == Some('&')
                && kind.last().is_some_and(|it| it.is("str"));
            let is_static = kind.get(1).is_some_and(|it| it.is("static"));
            name.is("code")
                && colon.mark() == Some(':')
                && is_text
                && (is_static || names("message"))
        }
        Language::Php => parameter.iter().any(|it| it.is("$code")),
        Language::Node | Language::Python => parameter.first().is_some_and(|it| it.is("code")),
    };
    parameters.iter().position(is_code).map(|position| position - skipped)
}
