//! Refuses a library that frees what the C library allocates: where another
//! allocator is preloaded, and a host such as PHP loads libraries with
//! `RTLD_DEEPBIND`, the two have different allocators.

use crate::{Failure, sh};

/// Functions whose caller frees what they allocate, and those of allocators that
/// `malloc` does not belong to. Names are those of [`plain`].
const ALLOCATING: &[&str] = &[
    "argz_add",
    "argz_create",
    "asprintf",
    "backtrace_symbols",
    "canonicalize_file_name",
    "cxa_demangle",
    "dallocx",
    "fscanf",
    "get_current_dir_name",
    "getcwd",
    "getdelim",
    "getline",
    "mallocx",
    "open_memstream",
    "open_wmemstream",
    "rallocx",
    "realpath",
    "scandir",
    "scandirat",
    "scanf",
    "sdallocx",
    "sscanf",
    "strdup",
    "strndup",
    "tempnam",
    "vasprintf",
    "vfscanf",
    "vscanf",
    "vsscanf",
    "wcsdup",
    "xallocx",
];

/// Those that are imported nevertheless, and why nothing of theirs is freed.
const HARMLESS: &[(&str, &str)] = &[
    ("getcwd", "SQLite and Rust let it write into memory of their own"),
    (
        "realpath",
        "of Rust's backtraces: panics of the library show none, and clippy.toml refuses others",
    ),
    ("sscanf", "AWS-LC reads numbers with it, which allocate nothing"),
];

/// Fails if the library imports a function that it should not, or no longer
/// imports one that is called harmless.
pub(crate) fn check(library: &str) -> Result<(), Failure> {
    check_table(&sh::output(&["nm", "-D", "--undefined-only", library])?)
}

fn check_table(table: &str) -> Result<(), Failure> {
    let imported: Vec<&str> =
        table.lines().filter_map(|line| line.split_whitespace().last()).map(plain).collect();
    let is_harmless = |name: &str| HARMLESS.iter().any(|(harmless, _)| *harmless == name);
    if let Some(name) = imported.iter().find(|name| ALLOCATING.contains(name) && !is_harmless(name))
    {
        return Err(format!(
            "{name} is imported: under a preloaded allocator, PHP would crash where its result is freed; use a \
             function that writes into memory of the caller, or say in xtask/src/imports.rs why nothing is freed"
        ));
    }
    match HARMLESS.iter().find(|(name, _)| !imported.contains(name)) {
        Some((name, _)) => {
            Err(format!("{name} is not imported any more: remove it from xtask/src/imports.rs"))
        }
        None => Ok(()),
    }
}

/// A symbol without its version, and without what marks another form of the
/// same function: `__isoc99_sscanf@GLIBC_2.7` is `sscanf`.
fn plain(symbol: &str) -> &str {
    let name = symbol.split('@').next().unwrap_or_default().trim_start_matches('_');
    let name = name.strip_prefix("isoc99_").or(name.strip_prefix("isoc23_")).unwrap_or(name);
    let name = name.strip_suffix("_chk").unwrap_or(name);
    name.strip_suffix("64").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HARMLESS_TABLE: &str = "                 U getcwd@GLIBC_2.2.5\n                 U realpath@GLIBC_2.3\n\
        \x20                U __isoc99_sscanf@GLIBC_2.7\n                 w __gmon_start__\n                 U free@GLIBC_2.2.5\n";

    #[test]
    fn each_form_of_a_function_that_allocates_is_refused() {
        assert_eq!(check_table(HARMLESS_TABLE), Ok(()));
        for symbol in [
            "U strdup@GLIBC_2.2.5",
            "U __strdup",
            "U __asprintf_chk@GLIBC_2.8",
            "U getline@GLIBC_2.2.5",
            "U __getdelim@GLIBC_2.2.5",
            "U scandir64@GLIBC_2.2.5",
            "w sdallocx",
            "U canonicalize_file_name",
            "U __cxa_demangle@CXXABI_1.3",
            "U __isoc23_fscanf@GLIBC_2.38",
        ] {
            let refused = check_table(&format!("{HARMLESS_TABLE}                 {symbol}\n"));
            assert!(refused.is_err_and(|why| why.contains("is imported: ")), "{symbol}");
        }
        for symbol in ["U getaddrinfo@GLIBC_2.2.5", "U strtol@GLIBC_2.2.5", "U open64@GLIBC_2.2.5"]
        {
            assert_eq!(
                check_table(&format!("{HARMLESS_TABLE}                 {symbol}\n")),
                Ok(()),
                "{symbol}"
            );
        }
    }

    #[test]
    fn a_reason_for_a_missing_import_is_refused() {
        let refused = check_table(&HARMLESS_TABLE.replace("getcwd", "getpid"));
        assert!(refused.is_err_and(|why| why.starts_with("getcwd is not imported any more")));
    }
}
