//! The C header, and the declarations for PHP, made by cbindgen from the sources of
//! `ffi-c`: it reads them, and compiles nothing.

mod sections;

use std::fs;
use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config};
use sections::Names;

use crate::file::{File, ROOT};
use crate::spec;

const HEADER: &str = "include/payments.h";
const FOLDER_OF_PHP: &str = "bindings-php/src";

/// The header and the declarations. They depend on files that `spec/` makes, as
/// those are on disk.
///
/// # Errors
/// Mistakes in the sources, or a function that no section has.
pub(crate) fn files() -> Result<Vec<File>, String> {
    let spec = spec::read()?;
    let typed = spec.operations.iter().filter(|it| it.is_typed);
    let operations = typed.map(|it| it.name.as_str()).collect();
    let names = Names { operations, members: spec.responses.member_names() };
    let settings = Settings::read()?;
    let header = sections::arranged(&declarations(settings.of_header())?, &names)?;
    let for_php = without_conditions(&declarations(settings.of_php())?);
    if for_php.contains('#') {
        return Err("PHP cannot read the preprocessor in its declarations".to_owned());
    }
    // As bindings-php/bin/libpayments-preload writes it without an argument.
    let library = format!("libpayments.so.{}", settings.abi_version);
    let scope = format!("#define FFI_SCOPE \"LIBPAYMENTS\"\n#define FFI_LIB \"{library}\"\n");
    let preloaded = scope + &for_php;
    Ok(vec![
        File::new(HEADER, header),
        File::new(format!("{FOLDER_OF_PHP}/payments_ffi.h"), for_php),
        File::new(format!("{FOLDER_OF_PHP}/payments_preload.h"), preloaded),
    ])
}

fn library() -> PathBuf {
    Path::new(ROOT).join("ffi-c")
}

fn declarations(config: Config) -> Result<String, String> {
    let bindings = Builder::new().with_config(config).with_crate(library()).generate();
    let bindings = bindings.map_err(|error| format!("ffi-c: {error}"))?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).map_err(|error| error.to_string())
}

/// The settings of cbindgen.
struct Settings {
    config: Config,
    abi_version: String,
}

impl Settings {
    /// The header also has the tables of the core: nobody needs another
    /// document.
    fn read() -> Result<Self, String> {
        let abi_version = text("abi/version")?.trim().to_owned();
        let mut config = Config::from_root_or_default(library());
        let Some((header, macros)) = config.header.take().zip(config.after_includes.take()) else {
            return Err("ffi-c/cbindgen.toml has no header, or no macros".to_owned());
        };
        config.header = Some(header.replace("@GENERATED@", &tables()?));
        let macros = macros.replace("@ABI_VERSION@", &abi_version);
        config.after_includes =
            Some(macros.replace("@VERSION_NUMBER@", &version_number().to_string()));
        Ok(Self { config, abi_version })
    }

    fn of_header(&self) -> Config {
        self.config.clone()
    }

    /// PHP's parser knows neither the preprocessor nor C++; comments are of no
    /// use to it.
    fn of_php(&self) -> Config {
        let mut config = self.config.clone();
        config.function.must_use = None;
        Config {
            header: Some("/* The declarations of payments.h for FFI::cdef. Generated. Reason for length: it is. */".to_owned()),
            include_guard: None,
            sys_includes: Vec::new(),
            cpp_compat: false,
            documentation: false,
            after_includes: None,
            ..config
        }
    }
}

/// Like `PAYMENTS_VERSION_NUMBER`. All crates have one version.
fn version_number() -> u32 {
    let parts = [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR")];
    let parts = parts.into_iter().chain([env!("CARGO_PKG_VERSION_PATCH")]);
    parts.fold(0, |number, part| 1000 * number + part.parse::<u32>().unwrap_or_default())
}

fn tables() -> Result<String, String> {
    let mut lines = Vec::new();
    for name in ["configuration", "bodies", "events"] {
        let table = text(&format!("header/{name}.txt"))?;
        // Without the line that says where it comes from.
        lines.extend(table.lines().skip(1).map(|line| format!(" * {line}").trim_end().to_owned()));
    }
    Ok(lines.into_iter().map(|line| line + "\n").collect())
}

fn text(path: &str) -> Result<String, String> {
    fs::read_to_string(library().join(path)).map_err(|error| format!("ffi-c/{path}: {error}"))
}

/// The header as a C99 compiler sees it: without the C23 branches around an
/// enum's type.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A C programmer needs no other document: the section of a function or its own
    /// comment says it. A function without a result cannot fail.
    #[test]
    fn every_function_has_ownership_threads_and_errors() {
        let settings = Settings::read().unwrap();
        let header = files().unwrap().remove(0).text;
        let mut count = 0;
        for section in header.split("/* ==== ").skip(1) {
            let (about, functions) = section.split_once("*/").unwrap();
            for function in functions.split("/**").skip(1) {
                let (comment, declaration) = function.split_once("*/").unwrap();
                let has = |label: &str| about.contains(label) || comment.contains(label);
                let is_silent = declaration.trim_start().starts_with("void ");
                assert!(has("Threads: ") && has("Ownership: "), "{about}{declaration}");
                assert!(has("Errors: ") || is_silent, "{about}{declaration}");
                count += 1;
            }
        }
        let declared = declarations(settings.of_php()).unwrap().matches(");").count();
        assert!(count > 80, "{count} functions");
        assert!(declared >= count, "every comment is that of a function");
    }
}
