//! Splits sources into words, texts and marks, without comments and tests.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    Rust,
    Python,
    Node,
    Php,
}

impl Language {
    pub(super) fn of(file: &str) -> Option<Self> {
        let (stem, end) = file.rsplit_once('.')?;
        match end {
            "rs" if stem.ends_with("_tests") => None,
            "rs" => Some(Self::Rust),
            "py" => Some(Self::Python),
            "js" => Some(Self::Node),
            "php" => Some(Self::Php),
            _ => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Word(String),
    Text(String),
    Mark(char),
}

impl Token {
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(it) if it == word)
    }

    pub(super) fn mark(&self) -> Option<char> {
        match self {
            Self::Mark(mark) => Some(*mark),
            _ => None,
        }
    }
}

pub(super) fn tokens(source: &str, language: Language) -> Vec<Token> {
    let mut reader = Reader { rest: source, language };
    let mut found = Vec::new();
    while let Some(token) = reader.next() {
        // Lifetimes and Python docstrings yield empty texts.
        if token != Token::Text(String::new()) {
            found.push(token);
        }
    }
    if language == Language::Rust { without_tests(found) } else { found }
}

struct Reader<'s> {
    rest: &'s str,
    language: Language,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<Token> {
        use Language::{Node, Php, Python, Rust};
        loop {
            self.rest = self.rest.trim_start();
            let line_comment = match self.language {
                Rust | Node => self.rest.starts_with("//"),
                Python => self.rest.starts_with('#'),
                Php => self.rest.starts_with("//") || self.rest.starts_with("# "),
            };
            if line_comment {
                self.skip_past("\n");
            } else if self.language != Python && self.rest.starts_with("/*") {
                self.skip_past("*/");
            } else {
                break;
            }
        }
        let first = self.rest.chars().next()?;
        if let Some(text) = self.text(first) {
            return Some(Token::Text(text));
        }
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_word = in_word(first) || first == '$';
        let rest = self.rest;
        let length = match is_word {
            true => rest[1..].find(|c| !in_word(c)).map_or(rest.len(), |end| end + 1),
            false => first.len_utf8(),
        };
        self.rest = &rest[length..];
        Some(if is_word { Token::Word(rest[..length].to_owned()) } else { Token::Mark(first) })
    }

    fn skip_past(&mut self, end: &str) {
        self.rest = self.rest.split_once(end).map_or("", |(_, rest)| rest);
    }

    /// Reads the text literal that starts here, if any.
    fn text(&mut self, first: char) -> Option<String> {
        if self.language == Language::Rust {
            let raw = self.rest.strip_prefix('b').unwrap_or(self.rest).strip_prefix('r');
            let marks = raw.map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
            if let Some(inner) = raw.and_then(|raw| raw[marks..].strip_prefix('"')) {
                let end = format!("\"{}", "#".repeat(marks));
                let (text, rest) = inner.split_once(&end).unwrap_or((inner, ""));
                let text = text.to_owned();
                self.rest = rest;
                return Some(text);
            }
            if first == '\'' {
                return self.character_or_lifetime();
            }
        }
        if self.language == Language::Python {
            for end in ["\"\"\"", "'''"] {
                if let Some(inner) = self.rest.strip_prefix(end) {
                    self.rest = inner.split_once(end).map_or("", |(_, rest)| rest);
                    return Some(String::new());
                }
            }
        }
        let is_quote = first == '"' || (first == '\'' && self.language != Language::Rust);
        (is_quote || (first == '`' && self.language == Language::Node)).then(|| self.quoted(first))
    }

    fn quoted(&mut self, quote: char) -> String {
        // A regular expression may hold an unpaired quote, so a text ends with
        // its line.
        let ends_with_line = matches!(self.language, Language::Node | Language::Python);
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            if character == quote || (character == '\n' && ends_with_line && quote != '`') {
                self.rest = &self.rest[at + 1..];
                return text;
            }
            text.push(character);
            if character == '\\' {
                characters.next();
            }
        }
        self.rest = "";
        text
    }

    /// Skips a character literal such as `'a'`, or the quote of a lifetime.
    fn character_or_lifetime(&mut self) -> Option<String> {
        let mut inner = self.rest[1..].char_indices();
        let first = inner.next()?.1;
        let closing = inner.next().map(|(at, _)| at);
        let closes = |at: usize| self.rest[1..][at..].starts_with('\'');
        let length = match closing {
            _ if first == '\\' => self.rest[3..].find('\'').map_or(1, |at| at + 4),
            Some(at) if closes(at) => at + 2,
            _ => 1,
        };
        self.rest = &self.rest[length..];
        Some(String::new())
    }
}

/// Removes modules with `#[cfg(test)]`.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if is_test_module(&tokens[at..]) {
            let open = tokens[at..].iter().position(|it| matches!(it.mark(), Some('{' | ';')));
            at = open.map_or(tokens.len(), |open| end_of_group(&tokens, at + open) + 1);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

fn is_test_module(tokens: &[Token]) -> bool {
    let shape = |index: usize| tokens.get(index);
    shape(2).is_some_and(|it| it.is("cfg"))
        && shape(4).is_some_and(|it| it.is("test"))
        && shape(0).and_then(Token::mark) == Some('#')
        && shape(7).is_some_and(|it| it.is("mod"))
}

/// The index where the group opened at `open` closes; `open` itself if it is
/// not a bracket.
pub(super) fn end_of_group(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.mark() {
            Some('(' | '[' | '{') => depth += 1,
            Some(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str, language: Language) -> Vec<String> {
        let texts = tokens(source, language).into_iter().filter_map(|it| match it {
            Token::Text(text) => Some(text),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn comments_characters_and_tests_are_left_out() {
        let source = "// \"a\"\nlet b: &'static str = \"b\"; let c = ['\"', '\\'', 'c'];\n\
                      r#\"d\"#; /* \"e\" */ #[cfg(test)] mod tests { fn f() { \"f\" } } \"g\"";
        assert_eq!(texts(source, Language::Rust), ["b", "d", "g"]);
        assert_eq!(texts("# 'a'\n\"\"\"b\n\"\"\"\n'c'", Language::Python), ["c"]);
        assert_eq!(texts("// 'a'\n`b` 'c' /'/\n'd'", Language::Node), ["b", "c", "/", "d"]);
        assert_eq!(texts("/** 'a' */ $x['b'] # 'c'\n'it\\'s'", Language::Php), ["b", "it\\s"]);
    }
}
