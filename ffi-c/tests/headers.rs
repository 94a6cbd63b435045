//! The committed headers are those of the sources.
//!
//! `cargo xtask generate` writes them.

#![allow(clippy::expect_used, reason = "a test may fail so")]

use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config};

#[path = "headers/sections.rs"]
mod sections;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn generate(config: Config) -> String {
    let bindings = Builder::new()
        .with_config(config)
        .with_crate(root())
        .generate()
        .expect("cbindgen reads the crate");
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).expect("a header is text")
}

/// The tables of the core stand in the header too, so that it needs no other
/// document.
fn settings() -> Config {
    let mut settings = Config::from_root_or_default(root());
    let header = settings.header.take().expect("cbindgen.toml has a header");
    settings.header = Some(header.replace("@GENERATED@", &tables()));
    let macros = settings.after_includes.take().expect("cbindgen.toml has macros");
    let macros = macros.replace("@ABI_VERSION@", env!("PAYMENTS_ABI_VERSION"));
    settings.after_includes =
        Some(macros.replace("@VERSION_NUMBER@", &version_number().to_string()));
    settings
}

fn version_number() -> u32 {
    let parts = [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR")];
    let parts = parts.into_iter().chain([env!("CARGO_PKG_VERSION_PATCH")]);
    parts.fold(0, |number, part| 1000 * number + part.parse::<u32>().expect("a number"))
}

fn tables() -> String {
    let mut lines = Vec::new();
    for name in ["configuration", "bodies", "events"] {
        let text = std::fs::read_to_string(root().join(format!("header/{name}.txt")));
        // Without the line that says where it comes from.
        lines.extend(text.expect("a table").lines().skip(1).map(str::to_owned));
    }
    lines.iter().map(|line| format!(" * {line}").trim_end().to_owned() + "\n").collect()
}

/// PHP's parser knows neither the preprocessor nor C++; comments are of no
/// use to it.
fn settings_for_php() -> Config {
    let mut settings = settings();
    settings.function.must_use = None;
    Config {
        header: Some("/* The declarations of payments.h for FFI::cdef. Generated. Reason for length: it is. */".to_owned()),
        include_guard: None,
        sys_includes: Vec::new(),
        cpp_compat: false,
        documentation: false,
        after_includes: None,
        ..settings
    }
}

/// What a compiler of C99 sees: the C23 branches around an enum's type are out.
fn without_conditions(text: &str) -> String {
    let mut kept = String::new();
    let mut is_kept = true;
    for line in text.lines() {
        match line.split_whitespace().next() {
            Some("#if") => is_kept = false,
            Some("#else" | "#endif") => is_kept = true,
            _ if is_kept => kept.extend([line, "\n"]),
            _ => {}
        }
    }
    kept.replace("\n {\n", " {\n")
}

fn check(path: &Path, generated: &str) {
    if std::env::var_os("UPDATE").is_some() {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        std::fs::write(path, generated).expect("a writable file");
        return;
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == generated,
        "{} is not what the sources say; run cargo xtask generate, and raise ffi-c/abi/version if a \
         function or layout changed",
        path.display()
    );
}

#[test]
fn the_header_is_current() {
    let header = sections::arranged(&generate(settings()));
    check(&root().join("../include/payments.h"), &header);
}

#[test]
fn the_declarations_for_php_are_current() {
    let generated = without_conditions(&generate(settings_for_php()));
    assert!(!generated.contains('#'), "PHP cannot read the preprocessor");
    let folder = root().join("../bindings-php/src");
    check(&folder.join("payments_ffi.h"), &generated);
    // As bindings-php/bin/libpayments-preload writes it without an argument.
    let library = concat!("libpayments.so.", env!("PAYMENTS_ABI_VERSION"));
    let scope = format!("#define FFI_SCOPE \"LIBPAYMENTS\"\n#define FFI_LIB \"{library}\"\n");
    check(&folder.join("payments_preload.h"), &(scope + &generated));
}

/// A reader who knows C needs no other document.
#[test]
fn every_function_says_who_owns_what_who_may_call_it_and_how_it_fails() {
    let header = generate(settings());
    let functions = header.split("extern \"C\" {").nth(1).expect("functions in C++'s braces");
    let mut count = 0;
    for part in functions.split("/**").skip(1) {
        let (comment, declaration) = part.split_once("*/").expect("an ended comment");
        for label in ["Ownership: ", "Threads: ", "Errors: "] {
            assert!(comment.contains(label), "no {label}in the comment of{declaration}");
        }
        count += 1;
    }
    let declared = generate(settings_for_php()).matches(");").count();
    assert!(count > 80, "{count} functions");
    assert!(declared >= count, "every comment is that of a function");
    assert_eq!(functions.matches(");").count(), count, "every function has a comment");
}
