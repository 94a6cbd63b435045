//! Help texts.

use payments_core::Operation;

use crate::support::{Payments, new_folder, takes_json};

const TOOLS: [&str; 13] = [
    "demo",
    "sandbox",
    "keygen",
    "sign",
    "verify",
    "doctor",
    "explain",
    "check",
    "prepare",
    "send",
    "token",
    "completions",
    "man",
];

fn help(arguments: &[&str]) -> String {
    let run = Payments::new(&new_folder(), arguments).run();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.text().to_owned()
}

fn subcommands() -> Vec<String> {
    let operations = Operation::ALL.into_iter().filter(|it| takes_json(*it));
    let operations = operations.map(|operation| operation.name().replace('_', "-"));
    TOOLS.into_iter().map(str::to_owned).chain(operations).collect()
}

#[test]
fn it_lists_every_subcommand_and_the_exit_codes() {
    let text = help(&["--help"]);
    for name in subcommands() {
        assert!(text.lines().any(|line| line.trim_start().starts_with(&name)), "{name}\n{text}");
    }
    for part in ["--config", "--json", "--timeout-ms", "Exit codes", "payments.json"] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn every_subcommand_explains_itself_in_80_columns() {
    for name in subcommands() {
        for flag in ["--help", "-h"] {
            let text = help(&[&name, flag]);
            assert!(text.contains("Usage: payments"), "{text}");
            assert!(text.contains("Example"), "{text}");
            for line in text.lines() {
                assert!(line.chars().count() <= 80, "{name}: {line}");
            }
        }
    }
}

#[test]
fn a_misspelled_subcommand_is_refused_with_a_suggestion() {
    for (wrong, meant) in [("create-paymnt", "create-payment"), ("chek", "check")] {
        let failure = Payments::new(&new_folder(), [wrong]).run().failure(2);
        assert!(failure["message"].as_str().unwrap().contains(meant), "{failure}");
    }
}

#[test]
fn operations_list_every_member_of_their_request() {
    for operation in Operation::ALL.into_iter().filter(|it| takes_json(*it)) {
        let text = help(&[&operation.name().replace('_', "-"), "--help"]);
        for field in operation.fields() {
            assert!(text.contains(field.name), "{}", field.name);
            for inner in field.shape.fields() {
                assert!(text.contains(inner.name), "{}", inner.name);
            }
        }
    }
}

#[test]
fn a_wrong_command_line_is_usage_and_says_where_help_is() {
    let folder = new_folder();
    for (arguments, code) in [
        (vec![], "invalid_arguments"),
        (vec!["pay"], "invalid_arguments"),
        (vec!["demo", "--fast"], "invalid_arguments"),
        (vec!["keygen"], "invalid_arguments"),
        (vec!["--timeout-ms", "0", "token"], "invalid_arguments"),
        (vec!["--timeout-ms", "soon", "token"], "invalid_arguments"),
        (vec!["sandbox", "--port", "99999"], "invalid_arguments"),
        (vec!["token", "--status", "--plain"], "invalid_arguments"),
        (vec!["completions", "tcsh"], "invalid_arguments"),
    ] {
        let failure = Payments::new(&folder, &arguments).run().failure(2);
        assert_eq!(failure["kind"], "usage");
        assert_eq!(failure["code"], code, "{failure}");
        assert!(failure["message"].as_str().unwrap().contains("--help"), "{failure}");
    }
}
