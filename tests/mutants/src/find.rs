//! Finds the places of a source file that can be mutated. Code for tests or for
//! another system is left out, and code that is evaluated at compile time: it
//! could not ask which mutant is selected.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, ExprLit, Lit, Meta, Pat, Stmt, UnOp};

use crate::values;

/// A place in a file, and its replacements.
pub struct Site {
    pub range: Range<usize>,
    pub form: Form,
    pub mutants: Vec<Mutant>,
}

/// How the mutants of a place are written into the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Other expressions instead of this one.
    Expression,
    /// A statement that can be left out.
    Statement,
    /// The beginning of a function, which can return something else at once.
    Body,
    /// The end of a pattern, which can be made to match nothing.
    Arm,
}

/// One change. Its name has no line number, so that it survives other changes.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub name: String,
    pub text: String,
}

/// The places of a file, outer ones before those inside of them.
pub fn sites(file: &str, text: &str) -> Result<Vec<Site>, String> {
    let parsed = syn::parse_file(text).map_err(|error| format!("{file}: {error}"))?;
    let mut finder = Finder { file, text, scope: vec![], sites: vec![], names: HashMap::new() };
    finder.visit_file(&parsed);
    let mut sites = finder.sites;
    sites.sort_by_key(|site| (site.range.start, !site.range.is_empty(), Reverse(site.range.end)));
    Ok(sites)
}

struct Finder<'a> {
    file: &'a str,
    text: &'a str,
    /// The names of the modules, types and functions around.
    scope: Vec<String>,
    sites: Vec<Site>,
    names: HashMap<String, usize>,
}

impl Finder<'_> {
    fn source(&self, node: &impl Spanned) -> &str {
        &self.text[node.span().byte_range()]
    }

    /// Adds a place with the texts that replace it.
    fn add(&mut self, form: Form, range: Range<usize>, shown: &str, texts: Vec<String>) {
        let mut mutants = vec![];
        for text in texts {
            let change = format!("{} → {}", squeezed(shown), squeezed(&text));
            let name = format!("{}: {}: {change}", self.file, self.scope.join("::"));
            let count = self.names.entry(name.clone()).or_default();
            *count += 1;
            let name = if *count == 1 { name } else { format!("{name} ({count})") };
            mutants.push(Mutant { name, text });
        }
        if !mutants.is_empty() {
            self.sites.push(Site { range, form, mutants });
        }
    }

    fn replace(&mut self, node: &impl Spanned, texts: Vec<String>) {
        let shown = self.source(node).to_owned();
        self.add(Form::Expression, node.span().byte_range(), &shown, texts);
    }

    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.scope.push(name);
        visit(self);
        self.scope.pop();
    }

    fn function(&mut self, signature: &syn::Signature, block: &Block) {
        if signature.constness.is_some() {
            return;
        }
        self.within(signature.ident.to_string(), |finder| {
            let start = block.brace_token.span.open().byte_range().end;
            if !block.stmts.is_empty() {
                let mut values = values::of_return(&signature.output);
                if let [only] = &block.stmts[..] {
                    let is_same = |it: &String| it.trim() == finder.source(only).trim();
                    values.retain(|it| !is_same(it));
                }
                finder.add(Form::Body, start..start, "body", values);
            }
            finder.visit_block(block);
        });
    }

    fn binary(&mut self, node: &syn::ExprBinary) {
        if has_let(&node.left) || has_let(&node.right) {
            return;
        }
        let (left, right) = (self.source(&node.left), self.source(&node.right));
        let texts = operators(&node.op).iter().map(|it| format!("{left} {it} {right}")).collect();
        self.replace(node, texts);
    }

    /// The negation of a condition that no other mutant negates.
    fn condition(&mut self, node: &Expr) {
        let is_plain = match node {
            Expr::Path(_) | Expr::Field(_) | Expr::Call(_) => true,
            Expr::MethodCall(call) => opposite(&call.method.to_string()).is_none(),
            _ => false,
        };
        if is_plain {
            let text = format!("!{}", self.source(node));
            self.replace(node, vec![text]);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, node: &'ast syn::Item) {
        if is_compiled(attributes_of(node)) {
            visit::visit_item(self, node);
        }
    }

    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        self.within(node.ident.to_string(), |finder| visit::visit_item_mod(finder, node));
    }

    fn visit_item_impl(&mut self, node: &'ast syn::ItemImpl) {
        let of = node.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        if of.is_some_and(|it| it.ident == "Debug") {
            return;
        }
        let name = match &*node.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|it| it.ident.to_string()),
            _ => None,
        };
        let name = name.unwrap_or_else(|| squeezed(self.source(&node.self_ty)));
        self.within(name, |finder| visit::visit_item_impl(finder, node));
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.function(&node.sig, &node.block);
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        if is_compiled(&node.attrs) {
            self.function(&node.sig, &node.block);
        }
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        if let Some(block) = &node.default {
            self.function(&node.sig, block);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_expr_repeat(&mut self, node: &'ast syn::ExprRepeat) {
        self.visit_expr(&node.expr);
    }

    fn visit_stmt(&mut self, node: &'ast Stmt) {
        if let Stmt::Expr(expression, semicolon) = node {
            if !is_compiled(attributes_of_expr(expression)) {
                return;
            }
            if semicolon.is_some() && is_effect(expression) {
                let shown = self.source(node).to_owned();
                let range = node.span().byte_range();
                self.add(Form::Statement, range, &shown, vec!["nothing".to_owned()]);
            }
        }
        if let Stmt::Local(local) = node
            && !is_compiled(&local.attrs)
        {
            return;
        }
        visit::visit_stmt(self, node);
    }

    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        self.condition(&node.cond);
        visit::visit_expr_if(self, node);
    }

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        self.binary(node);
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        let is_number = matches!(&*node.expr, Expr::Lit(ExprLit { lit: Lit::Int(_), .. }));
        if matches!(node.op, UnOp::Not(_)) || (matches!(node.op, UnOp::Neg(_)) && !is_number) {
            let text = self.source(&node.expr).to_owned();
            self.replace(node, vec![text]);
        }
        visit::visit_expr_unary(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast syn::ExprMethodCall) {
        if let Some(other) = opposite(&node.method.to_string()) {
            let (whole, method) = (node.span().byte_range(), node.method.span().byte_range());
            let (before, after) =
                (&self.text[whole.start..method.start], &self.text[method.end..whole.end]);
            let text = format!("{before}{other}{after}");
            self.replace(node, vec![text]);
        }
        visit::visit_expr_method_call(self, node);
    }

    fn visit_expr_macro(&mut self, node: &'ast syn::ExprMacro) {
        if node.mac.path.is_ident("matches") {
            let text = format!("!{}", self.source(node));
            self.replace(node, vec![text]);
        }
    }

    fn visit_expr_match(&mut self, node: &'ast syn::ExprMatch) {
        self.visit_expr(&node.expr);
        let last = node.arms.last().filter(|it| it.guard.is_none() && catches_all(&it.pat));
        for arm in node.arms.iter().filter(|it| is_compiled(&it.attrs)) {
            let is_last = last.is_some_and(|it| std::ptr::eq(it, arm));
            match &arm.guard {
                Some((_, guard)) if !has_let(guard) => {
                    self.replace(&**guard, vec!["true".to_owned(), "false".to_owned()]);
                    self.visit_expr(guard);
                }
                None if last.is_some() && !is_last => {
                    let end = arm.pat.span().byte_range().end;
                    let shown = format!("arm {}", self.source(&arm.pat));
                    self.add(Form::Arm, end..end, &shown, vec!["nothing".to_owned()]);
                }
                _ => {}
            }
            self.visit_expr(&arm.body);
        }
    }
}

/// Whether a pattern is `_` or a name; that of a constant has capital letters.
fn catches_all(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Ident(it) => it.ident.to_string().starts_with(|it: char| it.is_lowercase()),
        _ => false,
    }
}

/// A statement that is there for its effect: a call, or a field that is set.
fn is_effect(node: &Expr) -> bool {
    match node {
        Expr::MethodCall(_) | Expr::Call(_) => true,
        Expr::Try(tried) => is_effect(&tried.expr),
        Expr::Assign(assigned) => matches!(&*assigned.left, Expr::Field(_)),
        _ => false,
    }
}

fn has_let(node: &Expr) -> bool {
    match node {
        Expr::Let(_) => true,
        Expr::Binary(node) => has_let(&node.left) || has_let(&node.right),
        _ => false,
    }
}

/// The replacements of a binary operator.
fn operators(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) | BinOp::Rem(_) => &["*"],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) | BinOp::BitXor(_) => &["&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["/="],
        BinOp::DivAssign(_) => &["*="],
        _ => &[],
    }
}

/// The method that says or chooses the opposite.
fn opposite(method: &str) -> Option<&'static str> {
    Some(match method {
        "min" => "max",
        "max" => "min",
        "is_some" => "is_none",
        "is_none" => "is_some",
        "is_ok" => "is_err",
        "is_err" => "is_ok",
        "any" => "all",
        "all" => "any",
        _ => return None,
    })
}

/// One line of at most 60 characters.
fn squeezed(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= 60 {
        return line;
    }
    let begin: String = line.chars().take(40).collect();
    let end: Vec<char> = line.chars().rev().take(19).collect();
    format!("{begin}…{}", end.into_iter().rev().collect::<String>())
}

/// Whether the tests of this machine compile an item with these attributes, besides
/// the tests themselves.
fn is_compiled(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .filter(|it| it.path().is_ident("cfg"))
        .all(|it| it.parse_args::<Meta>().is_ok_and(|condition| holds(&condition)))
}

fn holds(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("unix"),
        Meta::NameValue(pair) => {
            let Expr::Lit(ExprLit { lit: Lit::Str(value), .. }) = &pair.value else { return false };
            if pair.path.is_ident("feature") {
                ["journal-sqlite", "pkcs11", "redis"].contains(&&*value.value())
            } else {
                value.value() == "linux"
            }
        }
        Meta::List(list) => {
            let parser = syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated;
            let Ok(inner) = list.parse_args_with(parser) else { return false };
            let mut inner = inner.iter().map(holds);
            if list.path.is_ident("any") {
                inner.any(|it| it)
            } else if list.path.is_ident("not") {
                !inner.all(|it| it)
            } else {
                inner.all(|it| it)
            }
        }
    }
}

fn attributes_of(node: &syn::Item) -> &[Attribute] {
    match node {
        syn::Item::Fn(it) => &it.attrs,
        syn::Item::Impl(it) => &it.attrs,
        syn::Item::Mod(it) => &it.attrs,
        syn::Item::Trait(it) => &it.attrs,
        _ => &[],
    }
}

fn attributes_of_expr(node: &Expr) -> &[Attribute] {
    match node {
        Expr::Call(it) => &it.attrs,
        Expr::MethodCall(it) => &it.attrs,
        Expr::Block(it) => &it.attrs,
        Expr::If(it) => &it.attrs,
        Expr::Assign(it) => &it.attrs,
        _ => &[],
    }
}
