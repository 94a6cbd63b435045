//! Finds error codes in sources: `code` arguments of functions, bodies of
//! methods named `code`, and values assigned to that name.

use std::collections::BTreeSet;

use super::Found;
use super::makers::{Maker, find_makers, groups, type_begun};
use super::tokens::{Language, Token, end_of_group, tokens};

struct File<'f> {
    name: &'f str,
    language: Language,
    tokens: Vec<Token>,
}

/// The codes in a folder's files, and the places whose code cannot be read.
pub(super) fn codes_of(files: &[(String, Language, String)]) -> (Found, Vec<String>) {
    let files = files.iter().map(|(name, language, source)| File {
        name,
        language: *language,
        tokens: tokens(source, *language),
    });
    let files: Vec<_> = files.collect();
    let mut makers = BTreeSet::new();
    for (index, file) in files.iter().enumerate() {
        find_makers(index, file.language, &file.tokens, &mut makers);
    }
    let (mut found, mut hidden) = (Found::new(), Vec::new());
    for (index, file) in files.iter().enumerate() {
        let mut texts = named_code(file);
        for argument in arguments(index, file, &makers) {
            match read_argument(&files, file, argument) {
                Some(codes) => texts.extend(codes),
                None => hidden.push(format!(
                    "{}: give an error code as a text, not as `{}`",
                    file.name,
                    shown(argument)
                )),
            }
        }
        found.extend(texts.into_iter().map(|code| (code, file.name.to_owned())));
    }
    (found, hidden)
}

fn is_code(text: &str) -> bool {
    text != "code"
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// The texts among `tokens` that may be codes, except function arguments.
fn codes_in(tokens: &[Token]) -> Vec<String> {
    let is_given = |at: usize| {
        at >= 2
            && tokens[at - 1].mark() == Some('(')
            && matches!(&tokens[at - 2], Token::Word(word) if word != "return")
    };
    let texts = tokens.iter().enumerate().filter_map(|(at, token)| match token {
        Token::Text(text) if is_code(text) && !is_given(at) => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

fn shown(tokens: &[Token]) -> String {
    let words = tokens.iter().map(|token| match token {
        Token::Word(text) | Token::Text(text) => text.clone(),
        Token::Mark(mark) => mark.to_string(),
    });
    words.collect()
}

/// The code arguments of all calls to makers.
fn arguments<'f>(index: usize, file: &'f File<'_>, makers: &BTreeSet<Maker>) -> Vec<&'f [Token]> {
    let tokens = &file.tokens;
    let mut found = Vec::new();
    let mut of = None;
    for (at, pair) in tokens.windows(2).enumerate() {
        of = type_begun(tokens, at).or(of);
        let [Token::Word(name), Token::Mark('(')] = pair else { continue };
        let before = |count: usize| at.checked_sub(count).and_then(|at| tokens.get(at));
        if before(1).is_some_and(|it| it.is("fn") || it.is("function") || it.is("def")) {
            continue;
        }
        let path = before(1).and_then(Token::mark) == Some(':');
        let owner = match before(3) {
            Some(Token::Word(owner)) if path => Some(owner.as_str()),
            _ => None,
        };
        let owner = match owner {
            Some("Self" | "self" | "static" | "parent") => of.as_deref(),
            owner => owner,
        };
        let is_method = match before(1).and_then(Token::mark) {
            Some('.') => true,
            Some('>') => before(2).and_then(Token::mark) == Some('-'),
            _ => false,
        };
        let fits = |maker: &&Maker| {
            let is_seen = maker.file.is_none_or(|file| file == index);
            let of_owner = match (&maker.of, owner) {
                (Some(of), Some(owner)) => of == owner,
                (Some(_), None) => is_method,
                (None, owner) => {
                    !is_method && owner.is_none_or(|it| it.starts_with(char::is_lowercase))
                }
            };
            maker.name == *name && is_seen && of_owner
        };
        for maker in makers.iter().filter(fits) {
            found.extend(groups(tokens, at + 1).get(maker.position));
        }
    }
    found
}

/// The codes in an argument: empty if it is only passed on, since the codes are
/// then found at their origin. `None` if the argument cannot be read.
fn read_argument(files: &[File<'_>], file: &File<'_>, argument: &[Token]) -> Option<Vec<String>> {
    let codes = codes_in(argument);
    if !codes.is_empty() {
        return Some(codes);
    }
    let word = |token: &Token| match token {
        Token::Word(word) => Some(word.clone()),
        _ => None,
    };
    let last = argument.iter().rev().find_map(word)?;
    match last.as_str() {
        // `code` or `error.code()`; `code_of(…)` converts clap's kinds.
        "code" | "$code" => Some(Vec::new()),
        _ if argument.iter().any(|it| it.is("code_of") || it.is("code")) => Some(Vec::new()),
        // PHP: `$problem[0]`, from a function that returns code and message.
        _ if file.language == Language::Php && last == "0" => Some(Vec::new()),
        constant if constant.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') => {
            files.iter().find_map(|file| constant_of(file, constant)).map(|code| vec![code])
        }
        _ => None,
    }
}

fn constant_of(file: &File<'_>, name: &str) -> Option<String> {
    let tokens = &file.tokens;
    let at = tokens.windows(2).position(|pair| pair[0].is("const") && pair[1].is(name))?;
    let end = tokens[at..].iter().position(|it| it.mark() == Some(';'))?;
    codes_in(&tokens[at..at + end]).pop()
}

/// Values assigned to the name `code`: `fn code(…)`, `let code = …`,
/// `let (code, …) = …`, `code: "…"`, `.code = "…"`, `'code' => '…'`.
fn named_code(file: &File<'_>) -> Vec<String> {
    let tokens = &file.tokens;
    let passes_code =
        tokens.windows(2).any(|pair| pair[0].is("code") && matches!(pair[1].mark(), Some(',')));
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = |count: usize| tokens.get(at + count);
        let mark = |count: usize| next(count).and_then(Token::mark);
        if token.is("fn") && next(1).is_some_and(|it| it.is("code")) {
            if let Some(open) = tokens[at..].iter().position(|it| it.mark() == Some('{')) {
                found.extend(codes_in(&tokens[at..end_of_group(tokens, at + open)]));
            }
        } else if token.is("let") && file.language == Language::Rust && passes_code {
            found.extend(let_code(tokens, at));
        } else if token.is("named") && mark(1) == Some('!') {
            found.extend(rows(&tokens[at..end_of_group(tokens, at + 2)]));
        } else if token.mark() == Some('(') && file.language == Language::Rust {
            // A tuple of a code and a message, not the arguments of a call.
            let is_call = at > 0 && matches!(tokens[at - 1], Token::Word(_));
            let is_sentence =
                matches!(next(3), Some(Token::Text(text)) if text.split(' ').count() > 3);
            if let (false, true, Some(','), Some(code)) = (is_call, is_sentence, mark(2), next(1)) {
                found.extend(codes_in(std::slice::from_ref(code)));
            }
        } else if token.is("code") && matches!(mark(1), Some(':' | '=')) {
            found.extend(next(2).map(std::slice::from_ref).into_iter().flat_map(codes_in));
        } else if matches!(token, Token::Text(text) if text == "code") {
            found.extend(value_of_member(file.language, &tokens[at + 1..]));
        } else if file.language == Language::Php && token.is("return") && mark(1) == Some('[') {
            // A code and a message.
            let is_pair = matches!((next(2), mark(3)), (Some(Token::Text(_)), Some(',')));
            let code = next(2).filter(|_| is_pair).map(std::slice::from_ref);
            found.extend(code.into_iter().flat_map(codes_in));
        }
    }
    found
}

/// The codes a `let` statement assigns to `code`: the whole value, or the
/// element at the position of `code` in a tuple.
fn let_code(tokens: &[Token], at: usize) -> Vec<String> {
    let end = tokens[at..].iter().position(|it| it.mark() == Some('='));
    let pattern = &tokens[at + 1..at + end.unwrap_or(1)];
    if !pattern.iter().any(|it| it.is("code")) || pattern.iter().any(|it| it.is("Some")) {
        return Vec::new();
    }
    let statement = &tokens[at + 1 + pattern.len()..end_of_statement(tokens, at)];
    if pattern.first().and_then(Token::mark) != Some('(') {
        return codes_in(statement);
    }
    let names = groups(pattern, 0);
    let position = names.iter().position(|name| name.last().is_some_and(|it| it.is("code")));
    let tuples = (1..statement.len()).filter(|&at| {
        statement[at].mark() == Some('(') && !matches!(statement[at - 1], Token::Word(_))
    });
    let parts = tuples.map(|at| groups(statement, at)).filter(|parts| parts.len() == names.len());
    parts.filter_map(|parts| parts.get(position?).map(|part| codes_in(part))).flatten().collect()
}

/// The codes in a `named!` table with codes: `Variant "code" "…"`.
fn rows(tokens: &[Token]) -> Vec<String> {
    let has_codes = tokens.windows(2).any(|pair| pair[0].is("code") && pair[1].mark() == Some(','));
    let rows = tokens.windows(3).filter_map(|row| match row {
        [Token::Word(_), code @ Token::Text(_), Token::Text(_)] if has_codes => Some(code),
        _ => None,
    });
    rows.flat_map(|code| codes_in(std::slice::from_ref(code))).collect()
}

fn end_of_statement(tokens: &[Token], mut at: usize) -> usize {
    while at < tokens.len() && tokens[at].mark() != Some(';') {
        at = end_of_group(tokens, at) + 1;
    }
    at.min(tokens.len())
}

/// The codes in the value that follows the text `code` used as a member name.
fn value_of_member(language: Language, after: &[Token]) -> Vec<String> {
    let mark = |at: usize| after.get(at).and_then(Token::mark);
    let start = match (language, mark(0), mark(1), mark(2)) {
        (Language::Python | Language::Node, Some(':'), ..) => 1,
        (Language::Php, Some('='), Some('>'), _) => 2,
        // `$report['code'] = …`, but not `===`.
        (Language::Php, Some(']'), Some('='), following) if following != Some('=') => 2,
        _ => return Vec::new(),
    };
    let end = after[start..].iter().position(|it| matches!(it.mark(), Some(',' | ';' | ']' | '}')));
    let value = &after[start..start + end.unwrap_or(0)];
    // Skip the condition of a ternary.
    let shown = value.iter().position(|it| it.mark() == Some('?')).map_or(0, |at| at + 1);
    codes_in(&value[shown..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: Language, source: &str) -> (Vec<String>, Vec<String>) {
        let (codes, hidden) = codes_of(&[("file".to_owned(), language, source.to_owned())]);
        (codes.into_keys().collect(), hidden)
    }

    #[test]
    fn codes_of_rust_are_found_where_they_are_given() {
        let source = r#"
            const LATE: &str = "late";
            const EARLY: (&str, &str) = ("early", "this came too early");
            named! { Status { code, pub text, } Eight "eight" "It is eight." "is eight"; }
            impl Error {
                pub(crate) fn config(path: &str, code: &'static str, message: &str) -> Self { new() }
                fn with_code(mut self, code: &'static str) -> Self { self }
            }
            impl Status { pub fn code(self) -> &'static str { match self { Self::A => "a" } } }
            fn refused(code: &'static str) -> Error { Error::config("path", code, "no code") }
            fn status(code: &str) { Status::config("path", "no_code", "m") }
            fn all() {
                refused("one");
                match 1 { _ => refused(if it() { "two" } else { "three" }) };
                Error::config("path", LATE, "message").with_code("four");
                let (code, message) = match get("no_code") { _ => ("five", "a sentence") };
                let (member, code) = match 1 { _ => ("no_code", "seven") };
                let fail = |code, message: &str| Error::config("path", code, message);
                fail("six", "a sentence");
                status("no_code");
            }
            #[cfg(test)]
            mod tests { fn f() { refused("no_code") } }
        "#;
        let (codes, hidden) = found(Language::Rust, source);
        assert_eq!(
            codes,
            ["a", "early", "eight", "five", "four", "late", "one", "seven", "six", "three", "two"]
        );
        assert_eq!(hidden, Vec::<String>::new());
    }

    #[test]
    fn a_code_that_cannot_be_read_is_named() {
        let source =
            "fn refused(code: &'static str) {} fn f() { refused(CODES[1]); refused(kind) }";
        let (_, hidden) = found(Language::Rust, source);
        assert_eq!(hidden.len(), 2, "{hidden:?}");
        assert_eq!(hidden[1], "file: give an error code as a text, not as `kind`");
    }

    #[test]
    fn codes_of_the_packages_are_found() {
        let node = "class Refusal extends Error { constructor(code, path) {} }\n\
                    throw new Refusal('one', 'path'); const NAMES = { code: 'code' };";
        assert_eq!(found(Language::Node, node).0, ["one"]);
        let python = "report = {'kind': 'config', \"code\": \"one\", 'message': 'two'}";
        assert_eq!(found(Language::Python, python).0, ["one"]);
        let php = "class Library { static function because(string $code, string $message) {}\n\
                   static function f() { self::because('one', 'a'); self::because($found[0], 'b');\n\
                   if ($report['code'] !== 'no_code') { return ['two', 'a sentence']; }\n\
                   $report['code'] = $who === 'no_code' ? 'three' : 'four'; } }";
        assert_eq!(found(Language::Php, php).0, ["four", "one", "three", "two"]);
    }
}
