//! Checks that no rule of the product decides by an error code, whose text is for
//! people and for other programs.
//!
//! A comparison, a pattern, a `match`, or a search in a list that names a constant
//! of `ErrorCode`, or that asks an error for its `code()`, is found. Code that
//! decides asks for the reason of an error, or has its own enum. Where only a
//! report is left of an error, its code is looked up in a table of reasons.

use crate::rust_code::tokens_of_product;
use crate::{Failure, sh, size};

const SOURCES: [&str; 6] = [
    "base/src/*.rs",
    "transport/src/*.rs",
    "core/src/*.rs",
    "host/src/*.rs",
    "cli/src/*.rs",
    "sandbox/src/*.rs",
];

/// Functions that search or compare.
const SEARCHES: [&str; 6] = ["any", "contains", "eq", "find", "ne", "position"];

/// One line for each place.
pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    for (file, text) in sh::sources(&SOURCES)? {
        if size::is_generated(&text) || file.contains("tests") {
            continue;
        }
        let texts = lines_with_texts(&text);
        problems.extend(lines_that_compare(&text).into_iter().chain(texts).map(|line| {
            format!(
                "{file}:{line}: compares an error code; decide by Error::reason, or by an enum of \
                 your own"
            )
        }));
    }
    Ok(problems)
}

/// The lines of comparisons, each once.
fn lines_that_compare(text: &str) -> Vec<usize> {
    let tokens = tokens_of_product(text);
    let mut lines: Vec<_> = (0..tokens.len())
        .filter_map(|at| Code::at(&tokens, at))
        .filter(|code| is_compared(&tokens, code))
        .map(|code| line_of(text, tokens[code.end - 1]))
        .collect();
    lines.dedup();
    lines
}

/// The lines that compare a code with a text, or the code of a report with
/// anything. Codes of the service are in capitals.
fn lines_with_texts(text: &str) -> impl Iterator<Item = usize> {
    let product = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let compares = |line: &str| {
        let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
        let is_text = |rest: &str| rest.starts_with(|it: char| it.is_ascii_lowercase());
        let with_text = ["code == \"", "code != \"", "code() == \"", "code() != \""];
        with_text.iter().any(|it| line.split(it).skip(1).any(is_text))
            || has(&["text(\"code\")", "get(\"code\")"]) && has(&["match", "==", "!="])
    };
    (1..).zip(product.lines()).filter(move |(_, line)| compares(line)).map(|(number, _)| number)
}

/// The line of a part of `text`.
fn line_of(text: &str, part: &str) -> usize {
    let before = part.as_ptr() as usize - text.as_ptr() as usize;
    text[..before].matches('\n').count() + 1
}

/// An expression that is an error code, as a range of tokens.
struct Code {
    start: usize,
    end: usize,
}

impl Code {
    /// The one whose name, of a constant or of the function `code`, begins at `at`.
    fn at(tokens: &[&str], at: usize) -> Option<Self> {
        let is = |at: usize, token: &str| tokens.get(at) == Some(&token);
        if is(at, "ErrorCode") && is(at + 1, "::") {
            let name = tokens.get(at + 2)?;
            let is_constant = name.chars().all(|it| it == '_' || !it.is_ascii_lowercase());
            return is_constant.then(|| Self { start: at, end: with_text(tokens, at + 3) });
        }
        if is(at, "code") && is(at + 1, "(") && is(at + 2, ")") && at > 1 && is(at - 1, ".") {
            let start = start_of_operand(tokens, at - 1);
            return Some(Self { start, end: with_text(tokens, at + 3) });
        }
        None
    }
}

/// The end of an expression with the call of `as_str` that may follow it.
fn with_text(tokens: &[&str], end: usize) -> usize {
    let follows = tokens.get(end..end + 4) == Some(&[".", "as_str", "(", ")"]);
    if follows { end + 4 } else { end }
}

/// Where the value begins of which the member after the point at `point` is asked.
fn start_of_operand(tokens: &[&str], point: usize) -> usize {
    let mut start = point;
    while start > 0 {
        match tokens[start - 1] {
            ")" | "]" => start = opener_of(tokens, start - 1),
            "." | "::" | "?" => start -= 1,
            word if is_name(word) => start -= 1,
            _ => break,
        }
    }
    start
}

/// A word that is no keyword before an expression.
fn is_name(token: &str) -> bool {
    let is_word = token.starts_with(|it: char| it == '_' || it.is_alphanumeric());
    is_word && !["match", "if", "while", "return", "in", "let", "else", "move"].contains(&token)
}

/// Whether the code, or a pattern or tuple that it is a part of, is compared.
fn is_compared(tokens: &[&str], code: &Code) -> bool {
    let (mut start, mut end) = (code.start, code.end);
    loop {
        while start > 0 && matches!(tokens[start - 1], "&" | "*") {
            start -= 1;
        }
        let token = |at: Option<usize>| at.and_then(|at| tokens.get(at)).copied().unwrap_or("");
        let before = |count: usize| token(start.checked_sub(count));
        let after = |count: usize| token(Some(end + count));
        let is_equation = |first: &str, second: &str| matches!(first, "=" | "!") && second == "=";
        let is_pattern = before(1) == "let"
            || matches!((after(0), after(1)), ("=", ">") | ("if", _))
            || after(0) == "|" && after(1) != "|";
        let is_subject = before(1) == "match" && after(0) == "{";
        let is_searched = token(Some(end - 1)) == "]"
            && after(0) == "."
            && [after(1), after(5)].iter().any(|it| SEARCHES.contains(it));
        if is_equation(before(2), before(1))
            || is_equation(after(0), after(1))
            || is_pattern
            || is_subject
            || is_searched
        {
            return true;
        }
        let Some((opener, closer)) = group_around(tokens, start, end) else { return false };
        let name = opener.checked_sub(1).map_or("", |at| tokens[at]);
        if name == "!" {
            return token(opener.checked_sub(2)) == "matches";
        }
        if SEARCHES.contains(&name) {
            return true;
        }
        // A variant or a struct belongs to the pattern or value; a function does not.
        let is_of_type = name.starts_with(|it: char| it.is_ascii_uppercase());
        let is_block = tokens[opener] == "{" && !is_of_type;
        if is_block || is_name(name) && !is_of_type {
            return false;
        }
        (start, end) = (opener, closer + 1);
        while is_of_type && start > 0 && (is_name(tokens[start - 1]) || tokens[start - 1] == "::") {
            start -= 1;
        }
    }
}

/// The brackets around a range.
fn group_around(tokens: &[&str], start: usize, end: usize) -> Option<(usize, usize)> {
    let opener = (0..start).rev().try_fold(0_usize, |depth, at| match (tokens[at], depth) {
        (")" | "]" | "}", depth) => Ok(depth + 1),
        ("(" | "[" | "{", 0) => Err(at),
        ("(" | "[" | "{", depth) => Ok(depth - 1),
        (_, depth) => Ok(depth),
    });
    let closer = (end..tokens.len()).try_fold(0_usize, |depth, at| match (tokens[at], depth) {
        ("(" | "[" | "{", depth) => Ok(depth + 1),
        (")" | "]" | "}", 0) => Err(at),
        (")" | "]" | "}", depth) => Ok(depth - 1),
        (_, depth) => Ok(depth),
    });
    Some((opener.err()?, closer.err()?))
}

/// The place that opens the group that ends at `closer`.
fn opener_of(tokens: &[&str], closer: usize) -> usize {
    group_around(tokens, closer, closer).map_or(0, |(opener, _)| opener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_compare_a_code_is_found() {
        for code in [
            "if error.code() == ErrorCode::LOCKED {}",
            "if ErrorCode::LOCKED != code {}",
            "let is_it = self.code == ErrorCode::LOCKED;",
            "let is_it = code == ErrorCode::LOCKED.as_str();",
            "let is_it = error.code().as_str() == \"locked\";",
            "let is_it = \"locked\" == failed(7).error.code();",
            "let is_it = code == Some(payments_core::ErrorCode::LOCKED);",
            "let is_it = (error.path(), error.code()) == given;",
            "match error.code() { _ => 1 }",
            "match (error.code(), 1) { _ => 1 }",
            "match code { ErrorCode::LOCKED => 1 }",
            "match code { A => 2, ErrorCode::LOCKED | ErrorCode::MISSING => 1 }",
            "match code { Some(ErrorCode::LOCKED) if is_it => 1 }",
            "match it { (_, Known { code: ErrorCode::LOCKED, .. }) => 1 }",
            "let ErrorCode::LOCKED = code else { return };",
            "if let Some(ErrorCode::LOCKED) = code {}",
            "matches!(code, Some(ErrorCode::LOCKED))",
            "[ErrorCode::LOCKED, ErrorCode::MISSING].contains(&code)",
            "[ErrorCode::LOCKED].iter().any(|it| *it == code)",
            "codes.contains(&error.code())",
            "code.eq(&ErrorCode::LOCKED)",
        ] {
            assert_eq!(lines_that_compare(&format!("\nfn f() {{ {code} }}\n")), [2], "{code}");
        }
    }

    #[test]
    fn comparisons_with_texts_are_found() {
        let text = "if code != \"required\" {}\nif it.code() == \"a\" {}\n\
                    match self.text(\"code\") {}\nlet code = self.text(\"code\");\n\
                    if code == \"WRONGTYPE\" {}\n(\"code\", 7)\n\
                    #[cfg(test)]\nmod tests { report.get(\"code\") }\n";
        assert_eq!(lines_with_texts(text).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn codes_that_are_made_passed_on_or_shown_are_no_decisions() {
        let text = "
            use payments_core::ErrorCode;
            const KNOWN: [(ErrorCode, u8); 1] = [(ErrorCode::LOCKED, 1)];
            fn f(status: u16) -> Result<(), Error> {
                let (code, message) = match status {
                    404 => (ErrorCode::MISSING, \"a == b\"), // code == ErrorCode::LOCKED
                    _ if status == 7 => return Err(failed(ErrorCode::LOCKED, status == 8)),
                    _ => { Known { code: ErrorCode::LOCKED } }
                };
                if status == 7 { fail(ErrorCode::LOCKED) } else { fail(ErrorCode::MISSING) };
                let shown = (error.code(), status == 7);
                narrate(error.code().as_str());
                match entry.state { Open => ErrorCode::LOCKED, Done => ErrorCode::MISSING }
            }
            #[cfg(test)]
            mod tests {
                fn g() { assert!(error.code() == ErrorCode::LOCKED); }
            }
        ";
        assert_eq!(lines_that_compare(text), [0_usize; 0]);
    }
}
