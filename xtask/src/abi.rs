//! Compares the ABI with the baseline in ffi-c/abi: the exported symbols, name
//! and size of the release library, and every prototype, enum and layout in
//! the header. Compares the imports with the allowed ones.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::{Failure, imports, sh};

const LARGEST: u64 = 7_500_000;
const BASELINE: &str = "ffi-c/abi/payments.abi";
const SYMBOLS: &str = "ffi-c/abi/symbols.txt";
const ADVICE: &str = "run cargo xtask abi --update";

/// Breaking changes the check must detect: text in the headers, and its
/// replacement.
const BREAKS: [(&str, &str); 6] = [
    (
        "payments_text_length(const struct payments_text",
        "payments_text_length(const struct payments_error",
    ),
    ("uint64_t timeout_ms", "uint32_t timeout_ms"),
    ("uint32_t payments_abi_version", "uint64_t payments_abi_version"),
    ("PAYMENTS_STATUS_TLS = 6,", "PAYMENTS_STATUS_TLS = 60,"),
    ("  void (*unlock)", "  int (*before)(void);\n  void (*unlock)"),
    ("int32_t payments_response_is_paid", "int32_t payments_response_is_settled"),
];

/// The headers, the release library they describe, and a working folder.
struct Abi {
    header: PathBuf,
    declarations: PathBuf,
    library: String,
    folder: PathBuf,
    version: String,
}

/// How the declarations differ from the baseline.
struct Difference {
    text: String,
    is_any: bool,
    breaks: bool,
}

/// Fails on any difference, or if a breaking change would go undetected.
pub(crate) fn check() -> Result<(), Failure> {
    let abi = Abi::of_the_sources()?;
    imports::check(&abi.library)?;
    let symbols = abi.check()?;
    println!("{} functions, as in ffi-c/abi", symbols.lines().count());
    for (number, (old, new)) in BREAKS.into_iter().enumerate() {
        let changed = abi.with(number, old, new)?;
        match changed.check() {
            Ok(_) => return Err(format!("the check of the ABI accepts \"{new}\" for \"{old}\"")),
            Err(why) if why.contains("the ABI changed: ") || why.contains("are not those of") => {}
            Err(why) => {
                return Err(format!(
                    "with \"{new}\", the check of the ABI failed otherwise: {why}"
                ));
            }
        }
    }
    println!("{} breaks are noticed", BREAKS.len());
    Ok(())
}

/// Writes the baseline. Rejects a break without a new ffi-c/abi/version.
pub(crate) fn update() -> Result<(), Failure> {
    let abi = Abi::of_the_sources()?;
    let symbols = abi.symbols()?;
    abi.compile(&symbols)?;
    if Path::new(BASELINE).exists() {
        abi.compare()?;
    }
    sh::write(SYMBOLS, &symbols)?;
    let declarations = abi.file("libdeclarations.so")?;
    let describe =
        ["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", &declarations];
    // Keep this machine's paths out of the baseline.
    let described = sh::output(&describe)?.replace(&abi.file("declarations.c")?, "declarations.c");
    sh::write(BASELINE, &described)?;
    println!("ffi-c/abi holds what is exported now");
    Ok(())
}

impl Abi {
    fn of_the_sources() -> Result<Self, Failure> {
        let target = sh::target();
        let library = target.join("release/libpayments.so");
        if !library.exists() {
            return Err(
                "there is no release library: cargo build --release -p payments-ffi".to_owned()
            );
        }
        let folder = target.join("abi");
        sh::empty_folder(&folder)?;
        Ok(Self {
            header: "include/payments.h".into(),
            declarations: "bindings-php/src/payments_ffi.h".into(),
            library: sh::text(&library)?.to_owned(),
            folder,
            version: sh::read("ffi-c/abi/version")?.trim().to_owned(),
        })
    }

    /// The same library, with `old` replaced by `new` in the headers.
    fn with(&self, number: usize, old: &str, new: &str) -> Result<Self, Failure> {
        let folder = self.folder.join(format!("changed-{number}"));
        sh::empty_folder(&folder)?;
        let change = |file: &Path, name: &str| {
            let text = sh::read(file)?;
            if !text.contains(old) {
                return Err(format!("{} has no \"{old}\"", file.display()));
            }
            sh::write(folder.join(name), &text.replace(old, new))
        };
        change(&self.header, "payments.h")?;
        change(&self.declarations, "payments_ffi.h")?;
        Ok(Self {
            header: folder.join("payments.h"),
            declarations: folder.join("payments_ffi.h"),
            library: self.library.clone(),
            version: self.version.clone(),
            folder,
        })
    }

    /// Returns the exported symbols if nothing changed.
    fn check(&self) -> Result<String, Failure> {
        let symbols = self.symbols()?;
        self.compile(&symbols)?;
        self.check_library()?;
        let difference = self.compare()?;
        if sh::read(SYMBOLS)? != symbols {
            return Err(format!("other symbols than in {SYMBOLS}: {ADVICE}"));
        }
        if difference.is_any {
            let text = difference.text;
            return Err(format!("{text}\nthe ABI has grown or its version has changed: {ADVICE}"));
        }
        Ok(symbols)
    }

    /// The symbols the release library exports, which must have no test hooks.
    fn symbols(&self) -> Result<String, Failure> {
        let symbols = exported(&self.library)?;
        for symbol in symbols.lines() {
            if !symbol.starts_with("T payments_") || symbol.starts_with("T payments_test_") {
                return Err(format!(
                    "{symbol} is exported: only functions named payments_* may be, and no hooks"
                ));
            }
        }
        Ok(symbols)
    }

    /// Builds a library of empty functions from the header's declarations. The
    /// debug information of the Rust library would not do: there, an opaque
    /// handle is a struct that changes with every private field. The declared
    /// functions must be those of the library; another test compares the
    /// header with the sources.
    fn compile(&self, symbols: &str) -> Result<(), Failure> {
        // abidiff compares enum values only if a function uses the enum type.
        let header = sh::read(&self.header)?
            .replace(
                "typedef int32_t payments_status;",
                "typedef enum payments_status payments_status;",
            )
            .replace(
                "typedef int32_t payments_outcome;",
                "typedef enum payments_outcome payments_outcome;",
            );
        sh::write(self.folder.join("payments_enums.h"), &header)?;
        let mut source = String::from("#include \"payments_enums.h\"\n");
        let mut is_inside = false;
        for line in sh::read(&self.declarations)?.lines() {
            let is_declaration = line.starts_with(|letter: char| letter.is_ascii_lowercase())
                && !line.starts_with("typedef")
                && line.contains("payments_")
                && line.contains('(');
            is_inside |= is_declaration;
            if is_inside {
                let line = line
                    .strip_suffix(';')
                    .map_or(line.to_owned(), |line| format!("{line} {{ __builtin_trap(); }}"));
                let _ = writeln!(source, "{line}");
            }
        }
        sh::write(self.folder.join("declarations.c"), &source)?;
        let declarations = self.file("libdeclarations.so")?;
        sh::run(&[
            "gcc",
            "-std=c11",
            "-w",
            "-g",
            "-O0",
            "-shared",
            "-fPIC",
            &format!("-Wl,-soname,libpayments.so.{}", self.version),
            "-o",
            &declarations,
            &self.file("declarations.c")?,
        ])?;
        let declared = exported(&declarations)?;
        if declared == symbols {
            return Ok(());
        }
        let only = |of: &str, not: &str| {
            let lines: Vec<_> =
                of.lines().filter(|line| not.lines().all(|it| it != *line)).collect();
            lines.join(" ")
        };
        Err(format!(
            "the functions of the header are not those of the library; in the header alone: {}; in the library \
             alone: {}",
            only(&declared, symbols),
            only(symbols, &declared)
        ))
    }

    fn check_library(&self) -> Result<(), Failure> {
        let dynamic = sh::output(&["readelf", "-d", &self.library])?;
        let name = format!("[libpayments.so.{}]", self.version);
        if !dynamic.lines().any(|line| line.contains("(SONAME)") && line.contains(&name)) {
            return Err(format!("the library is not named {name}"));
        }
        if !dynamic.contains("NODELETE") {
            return Err("the library can be unmapped by dlclose".to_owned());
        }
        let stripped = self.file("stripped.so")?;
        sh::run(&["strip", "-o", &stripped, &self.library])?;
        let size = std::fs::metadata(&stripped).map_err(|error| error.to_string())?.len();
        if size > LARGEST {
            return Err(format!("libpayments.so, stripped, has {size} bytes, over {LARGEST}"));
        }
        Ok(())
    }

    /// Compares with the baseline. New functions and new enum values are
    /// compatible; every other change is a break.
    fn compare(&self) -> Result<Difference, Failure> {
        let (_, any) = self.abidiff(&["--harmless"])?;
        let (code, text) = self.abidiff(&[])?;
        let breaks = code != 0
            && !text
                .lines()
                .any(|line| line.starts_with("Functions changes summary: 0 Removed, 0 Changed"));
        let difference = Difference { is_any: !any.is_empty(), breaks, text };
        let before = sh::read(BASELINE)?;
        let is_old_version = before.contains(&format!("soname='libpayments.so.{}'", self.version));
        if difference.breaks && is_old_version {
            return Err(format!(
                "{}\nthe ABI changed: raise ffi-c/abi/version, then {ADVICE}",
                difference.text
            ));
        }
        Ok(difference)
    }

    /// Runs abidiff. In its exit code, bits 0 and 1 mean failure, bit 2 a
    /// change, and bit 3 an incompatible change.
    fn abidiff(&self, options: &[&str]) -> Result<(i32, String), Failure> {
        let declarations = self.file("libdeclarations.so")?;
        let line = [&["abidiff"], options, &[BASELINE, &declarations]].concat();
        let (code, text) = sh::outcome(&line)?;
        if code & 3 != 0 { Err(format!("abidiff failed: {text}")) } else { Ok((code, text)) }
    }

    fn file(&self, name: &str) -> Result<String, Failure> {
        sh::text(&self.folder.join(name)).map(str::to_owned)
    }
}

/// The kinds and names of a library's exported symbols, sorted.
fn exported(library: &str) -> Result<String, Failure> {
    let table = sh::output(&["nm", "-D", "--defined-only", library])?;
    let mut symbols: Vec<String> = table
        .lines()
        .filter_map(|line| {
            let mut members = line.split_whitespace().skip(1);
            Some(format!("{} {}", members.next()?, members.next()?))
        })
        .collect();
    symbols.sort();
    Ok(symbols.iter().fold(String::new(), |text, symbol| text + symbol + "\n"))
}
