//! `cargo xtask`: the parts of `make` that need more than a list of commands.
//! Runs timed stages, and checks the house rules, the binary interface and
//! installations.

mod abi;
mod bench;
mod book;
mod codes;
mod excerpts;
mod features;
mod imports;
mod install;
mod layers;
mod links;
mod manifests;
mod only;
mod pages;
mod rules;
mod sh;
mod size;
mod stages;
mod suites;
mod walk;
mod words;

use std::process::ExitCode;

/// A message for the user of the command.
type Failure = String;

const USAGE: &str = "\
usage: cargo xtask COMMAND
  check                       format, clippy, features, generated files, unit and core tests
  test [SUITE]...             run every test, or those of: core c php python node fleet
                              fuzz schedules exhaust packages
  test --only NAME            run one test or file, in whichever suite has it
  lint                        check everything that can be said without running
  build                       the debug build that all tests share
  exhaust                     cut calls at each system call, byte and look at a clock
  mutants [PREFIX]...         name the mutants of the core that no test notices
  bench                       measure all languages in release, and name the goals missed
  rules                       check the house rules alone
  features                    check the core with no feature, with each alone, and with all
  size                        count lines of code, by folder and floor of the core
  walk [--check|--update]     list the files that a call passes, or compare or update
                              those in core/tests/walk/README.md
  generate [--check]          write the generated files, or fail when one is stale
  book FOLDER                 write the sources of the book
  book --check FOLDER         check every link of a book that was built
  abi [--update]              compare the release library with ffi-c/abi
  install-check PREFIX URL    use what `make install` put there, against a sandbox
  manifests                   write version and addresses of Cargo.toml into every manifest
  version X.Y.Z               give every package this version
  release-check               name what is not ready to be published";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), Failure> {
    sh::go_to_root()?;
    match arguments {
        ["check"] => stages::run(suites::CHECK),
        ["lint"] => {
            manifests::note_unready()?;
            stages::run_side_by_side(suites::LINT)
        }
        ["test", "--only", name] => only::run(name),
        ["test"] => {
            let tests = suites::of_test(&[])?;
            stages::run_side_by_side(&[suites::SETUP, suites::BUILD, &tests])
        }
        ["test", names @ ..] => stages::run(&suites::of_test(names)?),
        ["exhaust"] => stages::run(suites::EXHAUST),
        ["mutants", prefixes @ ..] => {
            sh::run(&sh::words(suites::CORE_TOOLS))?;
            sh::run(&[&sh::words(suites::MUTANTS)[..], prefixes].concat())
        }
        ["bench"] => bench::run(),
        ["build"] => sh::run(&sh::words(&format!("cargo build {}", suites::WORKSPACE))),
        ["rules"] => rules::check(),
        ["features"] => features::check(),
        ["size"] => size::print(),
        ["walk"] => walk::print(),
        ["walk", "--check"] => walk::check(),
        ["walk", "--update"] => walk::update(),
        ["generate", check @ ..] if matches!(check, [] | ["--check"]) => {
            sh::run(&[&sh::words(suites::GENERATE)[..], check].concat())
        }
        ["book", "--check", folder] => book::check(folder),
        ["book", folder] => book::write(folder),
        ["abi"] => abi::check(),
        ["abi", "--update"] => abi::update(),
        ["manifests"] => manifests::write(),
        ["version", version] => manifests::set_version(version),
        ["release-check"] => manifests::check_release(),
        ["install-check", prefix, sandbox] => install::check(prefix, sandbox),
        _ => Err(format!("unknown command\n{USAGE}")),
    }
}
