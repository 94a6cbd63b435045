//! `cargo xtask generate`: writes the generated files; with `--check`, names those
//! that are not current.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match &arguments[..] {
        [] => payments_generate::write(),
        [check] if check == "--check" => check_all(),
        _ => Err("usage: payments-generate [--check]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(mistakes) => {
            eprintln!("{mistakes}");
            ExitCode::FAILURE
        }
    }
}

fn check_all() -> Result<(), String> {
    let stale = payments_generate::stale()?;
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "not what the sources say, with the first line that differs; cargo xtask generate \
             writes them:\n{}",
            stale.join("\n")
        ))
    }
}
