//! References of a batch that look like others.

use serde_json::json;

use crate::batch::{rows, send, states, write};
use crate::batch_checks::dry_run;
use crate::journal::journaled;

fn of(references: &[&str]) -> String {
    rows(references.iter().map(|it| (*it).to_owned()))
}

#[test]
fn a_reference_with_an_invisible_character_is_refused() {
    let merchant = journaled();
    for invisible in ["z-1\u{200b}x", "z\u{ad}-1", "z-\u{202e}1", "\u{200e}z-1", "z-1\u{feff}"] {
        write(&merchant, &of(&["a-1", invisible]));
        let refused = send(&merchant, &[]).failure(2);
        let problem = &refused["problems"][0];
        let place = (&problem["line"], &problem["column"]);
        assert_eq!(place, (&json!(3), &json!("external_reference")), "{refused}");
        assert!(problem["message"].as_str().unwrap().contains("nobody sees (U+"), "{refused}");
    }
    assert_eq!(merchant.service_requests(), [""; 0]);
}

#[test]
fn references_that_look_the_same_get_a_warning() {
    let merchant = journaled();
    write(&merchant, &of(&["zeta-1", "Zeta-1", "ação-1", "ac\u{327}a\u{303}o-1", "zeta-2"]));
    let dry = dry_run(&merchant, &[]);
    assert_eq!(dry.code, 0, "{dry:?}");
    for (line, before) in [(3, 2), (5, 4)] {
        let warning = format!(
            "line {line}, external_reference: differs from the reference of line {before} only in \
             case"
        );
        assert!(dry.stderr.contains(&warning), "{dry:?}");
    }
    assert_eq!(dry.stderr.matches("differs from").count(), 2, "{dry:?}");
    let refused = send(&merchant, &["--lint", "strict"]).failure(2);
    assert_eq!(refused["problems"].as_array().unwrap().len(), 2, "{refused}");
    let silent = send(&merchant, &["--lint", "off"]);
    assert_eq!((states(&silent).len(), silent.stderr.as_str()), (5, ""));
    // Nothing is left to send.
    assert_eq!(send(&merchant, &["--lint", "strict"]).code, 0);
    assert_eq!(merchant.sandbox.payouts().len(), 5);
}

#[test]
fn white_space_in_json_lines_gets_a_warning() {
    let merchant = journaled();
    let mut line = json!({
        "external_reference": "jota-1", "country": "br", "amount": "10.00", "currency_code": "BRL",
        "target": "pix_key", "target_account": " maria@example.com",
        "payee": {"name": "M", "document": "85351346893 "},
    });
    let write = |line: &serde_json::Value| {
        std::fs::write(merchant.folder.join("k.jsonl"), line.to_string() + "\n").unwrap();
    };
    write(&line);
    let dry = merchant.run(["create-payouts", "k.jsonl", "--dry-run"]);
    for path in ["payee.document", "target_account"] {
        let warning = format!("line 1, {path}: begins or ends with white space");
        assert!(dry.stderr.contains(&warning), "{dry:?}");
    }
    let refused = merchant.run(["create-payouts", "k.jsonl", "--yes", "--lint", "strict"]);
    let refused = refused.failure(2);
    assert_eq!(refused["problems"].as_array().unwrap().len(), 2, "{refused}");
    line["external_reference"] = json!("jota-1 ");
    write(&line);
    let refused = merchant.run(["create-payouts", "k.jsonl", "--yes", "--lint", "off"]).failure(2);
    assert_eq!(refused["problems"][0]["column"], "external_reference", "{refused}");
    assert_eq!(merchant.service_requests(), [""; 0]);
}
