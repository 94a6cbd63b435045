//! `payments demo`.

use crate::support::{Payments, new_folder};

/// Windows has no journal in it.
#[cfg(unix)]
#[test]
fn every_step_has_the_expected_result_and_reads_well() {
    let run = Payments::new(&new_folder(), ["demo"]).run();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.text());
    let text = run.text();
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "over 80 columns: {line}");
        assert_eq!(line.trim_end_matches(' '), line.trim_end(), "{line:?}");
    }
    assert!(!text.contains('\x1b'), "escape codes, though nobody looks");
    assert!(text.contains("Tokens requested: 1."), "{text}");
    for part in [
        "register a key",
        "PE (waiting for the payer or the bank)",
        "CO (paid)",
        "outcome           unknown",
        "it was executed, once",
        "is_created        false",
        "reference_used",
        "order-1001        done",
        "order-1002        done",
        "payments demo --keep",
    ] {
        assert!(text.contains(part), "not shown: {part}\n{text}");
    }
    let steps = text.lines().filter(|line| line.starts_with("    ok  ")).count();
    assert_eq!(steps, 7);
    assert!(text.lines().filter(|line| line.contains('█')).count() > 20, "no QR code");
}

#[test]
fn it_shows_no_secret() {
    let run = Payments::new(&new_folder(), ["demo"]).run();
    for secret in ["sandbox-client-secret", "sandbox-integration-key", "PRIVATE KEY", "eyJ"] {
        assert!(!run.text().contains(secret), "{secret}");
    }
}

/// The text without the durations of steps.
#[cfg(unix)]
fn without_times(text: &str) -> String {
    let lines = text.lines().map(|line| match line.rsplit_once(" (") {
        Some((result, time)) if time.ends_with("s)") => format!("{result}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

#[cfg(unix)]
#[test]
fn the_readme_shows_its_output() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let (_, shown) = readme.split_once("payments -- demo\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let printed = without_times(Payments::new(&new_folder(), ["demo"]).run().text());
    let (shown, mut rest) = (without_times(shown), printed.as_str());
    let parts: Vec<_> = shown.split("…\n").filter(|part| !part.is_empty()).collect();
    assert!(parts.len() > 1, "{shown}");
    for part in parts {
        let found = rest.split_once(part);
        (_, rest) = found.unwrap_or_else(|| panic!("not printed:\n{part}\n{printed}"));
    }
}
