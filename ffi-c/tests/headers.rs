//! The committed headers are those of the sources.
//!
//! `UPDATE_HEADERS=1 cargo test -p payments-ffi --test headers` writes them.

#![allow(clippy::expect_used, reason = "a test may fail so")]

use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config};

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

fn settings() -> Config {
    Config::from_root_or_default(root())
}

/// PHP's parser knows neither the preprocessor nor C++; comments are of no
/// use to it.
fn settings_for_php() -> Config {
    Config {
        header: Some("/* The declarations of payments.h for FFI::cdef. Generated. */".to_owned()),
        include_guard: None,
        sys_includes: Vec::new(),
        cpp_compat: false,
        documentation: false,
        ..settings()
    }
}

fn check(path: &Path, generated: &str) {
    if std::env::var_os("UPDATE_HEADERS").is_some() {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        std::fs::write(path, generated).expect("a writable file");
        return;
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == generated,
        "{} is not what the sources say; run UPDATE_HEADERS=1 cargo test -p payments-ffi --test \
         headers, and change payments_abi_version if a function or layout changed",
        path.display()
    );
}

#[test]
fn the_header_is_current() {
    check(&root().join("../include/payments.h"), &generate(settings()));
}

#[test]
fn the_declarations_for_php_are_current() {
    let generated = generate(settings_for_php());
    assert!(!generated.contains('#'), "PHP cannot read the preprocessor");
    check(&root().join("../bindings-php/src/payments_ffi.h"), &generated);
}
