//! Reads which names Rust code takes from which modules, without a compiler.
//!
//! Comments, texts, and code for tests alone are exempt. Names that a macro makes
//! stay unknown, and so do methods: their files are not named where they are
//! called.

use std::collections::BTreeSet;

/// One module of a file: the file itself, or an inline `mod` in it.
#[derive(Default)]
pub(crate) struct Module {
    /// From the file's own module down.
    pub(crate) inline: Vec<String>,
    pub(crate) imports: Vec<Import>,
    /// Paths of two words and more outside of imports, such as `super::read`.
    pub(crate) paths: Vec<Vec<String>>,
    /// Every word outside of imports.
    pub(crate) words: BTreeSet<String>,
    /// The definitions here, without child modules.
    pub(crate) items: BTreeSet<String>,
    pub(crate) children: BTreeSet<String>,
}

/// One name of a `use`.
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    /// `*` if all names of the path are meant.
    pub(crate) name: String,
    pub(crate) is_public: bool,
}

/// The modules of a file, its own first.
pub(crate) fn modules(text: &str) -> Vec<Module> {
    let tokens = tokens(text);
    let mut reader = Reader { tokens: &tokens, at: 0, modules: Vec::new() };
    reader.module(Vec::new());
    reader.modules
}

/// Words, `::` and single signs outside of comments, texts, attributes and code for
/// tests alone.
pub(crate) fn tokens_of_product(text: &str) -> Vec<&str> {
    let tokens = tokens(text);
    let mut reader = Reader { tokens: &tokens, at: 0, modules: Vec::new() };
    let mut found = Vec::new();
    while reader.at < tokens.len() {
        let at = reader.at;
        match reader.next() {
            "#" => reader.attribute(),
            _ => found.push(tokens[at]),
        }
    }
    found
}

/// The module of a file, from the root of its crate. `path` starts in `src`.
pub(crate) fn module_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if matches!(path, "lib" | "main") {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}

/// The place of a path that starts with `crate`, `self` or `super` in `module`,
/// from the root of the crate.
pub(crate) fn from_root(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let (first, mut rest) = path.split_first()?;
    let mut start = match first.as_str() {
        "crate" => Vec::new(),
        "self" | "super" => module.to_vec(),
        _ => return None,
    };
    if first == "super" {
        start.pop()?;
    }
    while let Some(("super", after)) = rest.split_first().map(|(it, after)| (it.as_str(), after)) {
        start.pop()?;
        rest = after;
    }
    start.extend_from_slice(rest);
    Some(start)
}

const ITEMS: [&str; 9] =
    ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules"];

struct Reader<'a> {
    tokens: &'a [&'a str],
    at: usize,
    modules: Vec<Module>,
}

impl<'a> Reader<'a> {
    fn peek(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn next(&mut self) -> &'a str {
        let token = self.peek(0);
        self.at += 1;
        token
    }

    /// Reads up to the brace that ends the module, or to the end.
    fn module(&mut self, inline: Vec<String>) {
        let own = self.modules.len();
        self.modules.push(Module { inline: inline.clone(), ..Module::default() });
        let mut depth = 0_usize;
        let mut is_public = false;
        while self.at < self.tokens.len() {
            let before = self.at.checked_sub(1).map_or("", |it| self.tokens[it]);
            let token = self.next();
            let is_after_pub = std::mem::take(&mut is_public);
            match token {
                "#" => self.attribute(),
                "{" => depth += 1,
                "}" if depth == 0 => return,
                "}" => depth -= 1,
                "pub" => {
                    self.skip_group("(", ")");
                    is_public = true;
                }
                "use" => self.import(&[], is_after_pub, own),
                "mod" if self.peek(1) == "{" => {
                    let name = self.next().to_owned();
                    self.at += 1;
                    self.modules[own].children.insert(name.clone());
                    self.module([inline.clone(), vec![name]].concat());
                }
                "mod" => {
                    let name = self.next().to_owned();
                    self.modules[own].children.insert(name);
                }
                _ if is_word(token) => {
                    if depth == 0 && ITEMS.contains(&token) {
                        let name = self.peek(usize::from(self.peek(0) == "!")).to_owned();
                        self.modules[own].items.insert(name);
                    }
                    self.path(token, before == ".", own);
                }
                _ => {}
            }
        }
    }

    fn path(&mut self, first: &str, is_member: bool, own: usize) {
        let mut path = vec![first.to_owned()];
        while self.peek(0) == "::" && is_word(self.peek(1)) {
            self.at += 1;
            path.push(self.next().to_owned());
        }
        let module = &mut self.modules[own];
        module.words.extend(path.iter().cloned());
        if path.len() > 1 && !is_member {
            module.paths.push(path);
        }
    }

    /// Reads one tree of a `use` that starts with `before`, up to its end.
    fn import(&mut self, before: &[String], is_public: bool, own: usize) {
        let mut path = before.to_vec();
        let mut name = None;
        loop {
            match self.next() {
                "{" => {
                    while !matches!(self.peek(0), "}" | "") {
                        self.import(&path, is_public, own);
                        self.at += usize::from(self.peek(0) == ",");
                    }
                    self.at += 1;
                    return;
                }
                "as" => name = Some(self.next().to_owned()),
                "*" => name = Some("*".to_owned()),
                // At the end of a path, it means the path.
                "self" if !path.is_empty() => {}
                word if is_word(word) => path.push(word.to_owned()),
                _ => {}
            }
            if matches!(self.peek(0), "," | "}" | ";" | "") {
                let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
                self.modules[own].imports.push(Import { path, name, is_public });
                return;
            }
        }
    }

    /// Skips an attribute, and the item behind it if that is for tests alone.
    fn attribute(&mut self) {
        self.at += usize::from(self.peek(0) == "!");
        let start = self.at;
        self.skip_group("[", "]");
        let words = &self.tokens[start..self.at.min(self.tokens.len())];
        let has = |word| words.contains(&word);
        if has("cfg") && has("test") && !has("not") && !has("any") {
            self.skip_item();
        }
    }

    fn skip_item(&mut self) {
        loop {
            match self.peek(0) {
                "#" => {
                    self.at += 1;
                    self.skip_group("[", "]");
                }
                "pub" => {
                    self.at += 1;
                    self.skip_group("(", ")");
                }
                _ => break,
            }
        }
        let ends_at_brace = self.peek(0) != "use";
        loop {
            match self.peek(0) {
                "" | "}" => return,
                "(" => self.skip_group("(", ")"),
                "[" => self.skip_group("[", "]"),
                "{" => {
                    self.skip_group("{", "}");
                    if ends_at_brace {
                        return;
                    }
                }
                token => {
                    self.at += 1;
                    if token == ";" {
                        return;
                    }
                }
            }
        }
    }

    /// Skips a group, if one is next.
    fn skip_group(&mut self, open: &str, close: &str) {
        let mut depth = 0;
        while self.at < self.tokens.len() {
            match self.peek(0) {
                token if token == open => depth += 1,
                token if token == close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += usize::from(self.peek(0) == close);
                return;
            }
            self.at += 1;
        }
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|it: char| it == '_' || it.is_alphabetic())
}

/// Words, `::` and single signs. Comments, texts and lifetimes are left out.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, is_token) = if first == '_' || first.is_alphanumeric() {
            let end = rest.find(|it: char| it != '_' && !it.is_alphanumeric());
            let word = end.unwrap_or(rest.len());
            match raw_text(rest, word) {
                Some(length) => (length, false),
                None => (word, true),
            }
        } else if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), false)
        } else if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), false)
        } else if first == '"' {
            (text_length(rest, '"'), false)
        } else if first == '\'' {
            let is_character = rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'');
            (if is_character { text_length(rest, '\'') } else { 1 }, false)
        } else if rest.starts_with("::") {
            (2, true)
        } else {
            (first.len_utf8(), !first.is_whitespace())
        };
        if is_token {
            tokens.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    tokens
}

/// The length of a raw text, such as `r#"…"#`, whose first letters are `word`.
fn raw_text(text: &str, word: usize) -> Option<usize> {
    if !matches!(&text[..word], "r" | "br" | "cr") {
        return None;
    }
    let signs = text[word..].len() - text[word..].trim_start_matches('#').len();
    let inside = text[word + signs..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(signs));
    Some(word + signs + 1 + inside.find(&end).map_or(inside.len(), |at| at + end.len()))
}

/// The length of a text that `mark` opens and closes.
fn text_length(text: &str, mark: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == mark => return at + mark.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Module {
        modules(text).swap_remove(0)
    }

    fn joined(paths: &[Vec<String>]) -> Vec<String> {
        paths.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn every_name_of_an_import_is_found() {
        let text = "use crate::a::{self, B, c::{D, e as f}};\npub(crate) use super::g;\n\
                    pub use self::h::*;\nuse ::i::j;\n";
        let imports = only(text).imports;
        let shown: Vec<_> = imports
            .iter()
            .map(|it| format!("{} {} {}", it.path.join("::"), it.name, it.is_public))
            .collect();
        let expected = [
            "crate::a a false",
            "crate::a::B B false",
            "crate::a::c::D D false",
            "crate::a::c::e f false",
            "super::g g true",
            "self::h * true",
            "i::j j false",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn paths_items_and_children_are_found() {
        let text = "mod a;\npub struct B(a::C);\nfn d<'x>(it: &'x E) -> char {\n    \
                    super::f(it.g::<h::I>(), 'j');\n    'k'\n}\nmacro_rules! l { () => {} }\n\
                    mod m {\n    const N: u8 = super::o::P;\n}\n";
        let all = modules(text);
        assert_eq!(joined(&all[0].paths), ["a::C", "super::f", "h::I"]);
        assert_eq!(Vec::from_iter(&all[0].items), ["B", "d", "l"]);
        assert_eq!(Vec::from_iter(&all[0].children), ["a", "m"]);
        assert_eq!(
            (&*all[1].inline, &*joined(&all[1].paths)),
            (&["m".to_owned()][..], &["super::o::P".to_owned()][..])
        );
    }

    #[test]
    fn comments_texts_and_code_for_tests_are_exempt() {
        let text = "//! a::b\n/* c::d */\nconst E: &str = \"f::g \\\" h::i\";\n\
                    const J: &str = r#\"k::l\" m::n\"#;\nconst O: [char; 2] = ['\"', '\\''];\n\
                    #[cfg(test)]\nuse crate::{p, q};\n#[cfg(all(test, unix))]\n#[allow(r)]\n\
                    pub(crate) fn s(t: [u8; 2]) -> u::V {\n    w::x()\n}\n\
                    #[cfg(test)]\nmod tests;\n#[cfg(not(test))]\nfn y() -> z::A {}\n";
        let module = only(text);
        assert_eq!(joined(&module.paths), ["z::A"]);
        assert!(module.imports.is_empty() && module.children.is_empty());
    }

    #[test]
    fn a_path_is_followed_from_the_root() {
        let path = |text: &str| text.split("::").map(str::to_owned).collect::<Vec<_>>();
        let module = path("a::b");
        for (given, expected) in [
            ("crate::c::D", Some("c::D")),
            ("self::c", Some("a::b::c")),
            ("super::C", Some("a::C")),
            ("super::super::c", Some("c")),
            ("super::super::super::c", None),
            ("std::fmt", None),
        ] {
            assert_eq!(from_root(&module, &path(given)), expected.map(path), "{given}");
        }
    }

    #[test]
    fn a_file_is_a_module() {
        for (file, module) in
            [("lib.rs", ""), ("main.rs", ""), ("a.rs", "a"), ("a/mod.rs", "a"), ("a/b.rs", "a b")]
        {
            assert_eq!(module_of(file).join(" "), module);
        }
    }
}
