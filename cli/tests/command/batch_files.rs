//! Files of payouts that were cut or could be misread.

use serde_json::{Value, json};

use crate::batch::{rows, send, states, write};
use crate::journal::journaled;
use crate::support::{Merchant, Run};

/// The refusals of a run of `text`, as line, column and message. Nothing is
/// sent.
#[track_caller]
fn problems(merchant: &Merchant, text: impl AsRef<[u8]>) -> Vec<(u64, String, String)> {
    std::fs::write(merchant.folder.join("payouts.csv"), text).unwrap();
    let refused = send(merchant, &[]).failure(2);
    assert_eq!(refused["code"], "batch_invalid", "{refused}");
    assert_eq!(merchant.service_requests(), [""; 0]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let problems = refused["problems"].as_array().unwrap().iter();
    problems
        .map(|it| (it["line"].as_u64().unwrap(), text(&it["column"]), text(&it["message"])))
        .collect()
}

fn message(failure: &Value) -> &str {
    failure["message"].as_str().unwrap()
}

#[test]
fn an_open_quote_never_swallows_the_next_payees() {
    let merchant = journaled();
    let swallowing = "payout-2,br,10.00,BRL,pix_key,b@example.com,\"Bia\n\
                      payout-3,br,10.00,BRL,pix_key,c@example.com,Caio\n";
    let text = rows(["payout-1".to_owned()]) + swallowing;
    let open = problems(&merchant, &text);
    assert_eq!((open.len(), open[0].0, open[0].1.as_str()), (1, 3, "payee.name"));
    assert!(open[0].2.contains("never closed"), "{open:?}");
    // Closed by the quote of a later line, the cell holds a line break.
    let closed = problems(&merchant, text.clone() + "payout-4,br,10.00,BRL,pix_key,d,D\"\n");
    assert_eq!((closed[0].0, closed[0].1.as_str()), (3, "payee.name"));
    assert!(closed[0].2.contains("line break"), "{closed:?}");
    let met = problems(&merchant, text + "payout-4,br,10.00,BRL,pix_key,d@example.com,\"Davi\"\n");
    assert_eq!((met[0].0, met[0].1.as_str()), (3, "payee.name"));
    assert!(met[0].2.contains("after its closing one"), "{met:?}");
}

#[test]
fn control_characters_in_a_cell_are_refused() {
    let merchant = journaled();
    let text = rows(["payout-1".to_owned(), " payout-2\t".to_owned()])
        .replacen("João", "Jo\u{7}o", 1)
        .replacen("joao@example.com,João", "joao\u{0}@example.com,João", 1);
    let found = problems(&merchant, text);
    let places: Vec<_> = found.iter().map(|(line, column, _)| (*line, column.as_str())).collect();
    assert_eq!(places, [(2, "payee.name"), (3, "target_account")]);
    assert!(found.iter().all(|(.., message)| message.contains("control character")), "{found:?}");
    assert!(!found.iter().any(|(.., message)| message.contains("joao")), "{found:?}");
}

#[test]
fn an_unfinished_last_line_is_refused_unless_confirmed() {
    let merchant = journaled();
    // The end of the second amount is cut off.
    let head = "external_reference,country,currency_code,target,target_account,payee.name,amount";
    let row = "br,BRL,pix_key,joao@example.com,João Souza";
    write(&merchant, &format!("{head}\npayout-1,{row},1000.00\npayout-2,{row},1000.0"));
    let refused = send(&merchant, &[]).failure(2);
    assert_eq!(refused["code"], "batch_invalid");
    for part in ["line 3 of payouts.csv", "column amount", "--last-line-complete"] {
        assert!(message(&refused).contains(part), "{refused}");
    }
    assert_eq!(merchant.service_requests(), [""; 0]);
    let dry = merchant.run(["create-payouts", "payouts.csv", "--dry-run"]);
    assert!(
        dry.code == 0 && dry.stderr.contains("line 3 of payouts.csv has no line end"),
        "{dry:?}"
    );
    assert_eq!(send(&merchant, &["--dry-run"]).failure(2)["code"], "batch_invalid");
    assert_eq!(send(&merchant, &["--last-line-complete"]).code, 0);
    // Both lines are done.
    assert_eq!(send(&merchant, &[]).code, 0);
    assert_eq!(merchant.sandbox.payouts().len(), 2);

    write(&merchant, &format!("{head}\npayout-3,{row},\"1000.00\""));
    assert_eq!(send(&merchant, &[]).code, 0);
    write(&merchant, &format!("{head}\npayout-4,{row}"));
    let cut = send(&merchant, &["--last-line-complete"]).failure(2);
    let problem = cut["problems"][0]["message"].as_str().unwrap();
    assert_eq!(problem, "has 6 columns, and the header has 7; the file may have been cut");
    assert_eq!(merchant.sandbox.payouts().len(), 3);
}

#[test]
fn json_lines_may_end_without_a_line_end() {
    let merchant = journaled();
    let line = |reference: &str| {
        json!({
            "payee": {"name": "João Souza"}, "target_account": "joao@example.com",
            "target": "pix_key", "currency_code": "BRL", "amount": "10.00", "country": "br",
            "external_reference": reference,
        })
        .to_string()
    };
    let run = |text: String| {
        std::fs::write(merchant.folder.join("payouts.jsonl"), text).unwrap();
        merchant.run(["create-payouts", "payouts.jsonl", "--yes"])
    };
    assert_eq!(run(format!("{}\n{}", line("payout-1"), line("payout-2"))).code, 0);
    assert_eq!(merchant.sandbox.payouts().len(), 2);
    let whole = line("payout-4");
    let cut = run(format!("{}\n{}", line("payout-3"), &whole[..whole.len() - 1])).failure(2);
    assert_eq!((&cut["code"], &cut["problems"][0]["line"]), (&json!("batch_invalid"), &json!(2)));
    assert_eq!(merchant.sandbox.payouts().len(), 2);
}

#[test]
fn a_file_in_another_encoding_says_where_and_how_to_export_it() {
    let merchant = journaled();
    let text = rows(["payout-1".to_owned(), "payout-2".to_owned()]).replace(',', ";");
    let latin: Vec<u8> = text.chars().map(|it| u8::try_from(u32::from(it)).unwrap()).collect();
    std::fs::write(merchant.folder.join("payouts.csv"), latin).unwrap();
    let refused = send(&merchant, &[]).failure(2);
    assert_eq!(refused["code"], "file_unreadable");
    assert!(message(&refused).contains("line 2 of payouts.csv is not UTF-8"), "{refused}");
    assert!(message(&refused).contains("Save As > CSV UTF-8"), "{refused}");
    // With a byte order mark and semicolons, as Excel in Brazil writes it.
    write(&merchant, &format!("\u{feff}{}", text.replace('\n', "\r\n")));
    assert_eq!(states(&send(&merchant, &[])), ["done", "done"]);
}

#[test]
fn a_file_that_is_not_what_was_expected_is_refused() {
    let merchant = journaled();
    let dollars = rows(["payout-3".to_owned()]).replace("BRL", "USD");
    let dollars = dollars.lines().nth(1).unwrap();
    write(&merchant, &(rows(["payout-1".to_owned(), "payout-2".to_owned()]) + dollars + "\n"));
    for (expected, parts) in [
        (&["--expect-lines", "4"][..], &["payouts.csv has 3 payouts instead of 4"][..]),
        (&["--expect-total", "BRL=30.00"], &["BRL 20.00 instead of 30.00", "USD 10.00, which is"]),
        (&["--expect-total", "BRL=20"], &["USD 10.00, which is not expected"]),
        (
            &["--expect-total", "BRL=20", "--expect-total", "USD=10", "--expect-total", "EUR=1"],
            &["EUR 0.00 instead of 1.00"],
        ),
        (&["--expect-lines", "4", "--dry-run"], &["3 payouts instead of 4"]),
    ] {
        let refused = send(&merchant, expected).failure(2);
        assert_eq!(refused["code"], "batch_invalid", "{refused}");
        assert!(parts.iter().all(|part| message(&refused).contains(part)), "{refused}");
    }
    let wrong = send(&merchant, &["--expect-total", "20.00"]).failure(2);
    assert!(message(&wrong).contains("BRL=1200.50"), "{wrong}");
    assert_eq!(merchant.service_requests(), [""; 0]);
    let right = ["--expect-lines", "3", "--expect-total", "BRL=20", "--expect-total", "USD=10.0"];
    assert_eq!(send(&merchant, &right).code, 0);
}

/// The same file with its columns in the opposite order.
fn reversed(text: &str) -> String {
    let row = |line: &str| line.split(',').rev().collect::<Vec<_>>().join(",") + "\n";
    text.lines().map(row).collect()
}

#[test]
fn another_order_of_columns_is_not_a_change() {
    let merchant = journaled();
    let text = rows(["payout-1".to_owned()]);
    let text =
        text.replacen("\n", ",payee.document\n", 1).replace("Souza\n", "Souza,85351346893\n");
    write(&merchant, &text);
    assert_eq!(send(&merchant, &[]).code, 0);
    write(&merchant, &reversed(&text));
    let again = send(&merchant, &[]);
    assert!(again.code == 0 && again.text().contains("already_done"), "{again:?}");
    assert_eq!(merchant.sandbox.payouts().len(), 1);
    // In a new journal, it has the same digest.
    let other = ["--journal", "journal/other.db"];
    assert_eq!(merchant.run(["journal", "create", other[1]]).code, 0);
    send(&merchant, &other);
    let digest = |run: Run| run.response()["entries"][0]["body_sha256"].clone();
    let list = ["journal", "list"];
    let at_other = merchant.payments(list).env("PAYMENTS_JOURNAL", "file:journal/other.db").run();
    assert_eq!(digest(merchant.run(list)), digest(at_other));
}

#[test]
fn a_renamed_column_suggests_the_required_one() {
    let merchant = journaled();
    let renamed = rows(["payout-1".to_owned()]).replace("external_reference", "reference");
    let found = problems(&merchant, renamed);
    let (line, column, message) = &found[0];
    assert_eq!((found.len(), *line, column.as_str()), (1, 1, "reference"));
    assert!(message.contains("did you mean external_reference?"), "{message}");
}

#[test]
fn changes_by_a_spreadsheet_are_named() {
    let merchant = journaled();
    let text = rows(["payout-1".to_owned()]);
    let head_and = |rest: &str| text.replace(',', ";") + rest;
    for (file, line, part) in [
        (head_and(";;;;;;\n"), 3, "has delimiters only"),
        (head_and(";;;;;;\n;;;;;;\n"), 3, "this row and the next one have delimiters only"),
        (format!("sep=;\r\n{}", head_and("")), 1, "names the separator"),
        (
            format!("\"{}\"\n", text.trim_end().replace('\n', "\"\n\"")),
            1,
            "whole line is in quotes",
        ),
        (
            text.clone() + "\"payout-2,br,1.00,BRL,pix_key,a@b.example,Ana\"\n",
            3,
            "whole line is in quotes",
        ),
    ] {
        let found = problems(&merchant, &file);
        assert_eq!((found.len(), found[0].0, found[0].1.as_str()), (1, line, ""), "{found:?}");
        assert!(found[0].2.contains(part), "{found:?}");
    }
    for (bytes, part) in [
        (&b"PK\x03\x04\x14\x00\x06\x00"[..], "is a workbook (.xlsx or .ods)"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is a workbook (.xls)"),
        (&[b"\xef\xbb\xbf\xef\xbb\xbf", text.as_bytes()].concat(), "more than one byte order mark"),
    ] {
        std::fs::write(merchant.folder.join("payouts.csv"), bytes).unwrap();
        let refused = send(&merchant, &[]).failure(2);
        assert_eq!(refused["code"], "file_unreadable");
        assert!(message(&refused).contains(part), "{refused}");
    }
    assert_eq!(merchant.service_requests(), [""; 0]);
}

#[test]
fn a_file_name_may_be_in_capitals() {
    let merchant = journaled();
    for (name, text) in
        [("PAGOS.CSV", rows(["payout-1".to_owned()])), ("Pagos.Jsonl", JSON_LINE.to_owned())]
    {
        std::fs::write(merchant.folder.join(name), text).unwrap();
        assert_eq!(merchant.run(["create-payouts", name, "--yes"]).code, 0, "{name}");
    }
    assert_eq!(merchant.sandbox.payouts().len(), 2);
}

const JSON_LINE: &str = r#"{"external_reference":"payout-2","country":"br","amount":"10.00","currency_code":"BRL","target":"pix_key","target_account":"joao@example.com","payee":{"name":"Maria"}}"#;

#[test]
fn json_lines_have_no_control_characters_either() {
    let merchant = journaled();
    for (wrong, path, part) in [
        (JSON_LINE.replace("joao@", "jo\\nao@"), "target_account", "line break"),
        (JSON_LINE.replace("Maria", "Ma\\u0000ria"), "payee.name", "control character"),
        (JSON_LINE.replace("payout-2", "payout-2\\t"), "external_reference", "control character"),
        (
            JSON_LINE.replace(r#""amount""#, r#""extra":{"a":["\u001b"]},"amount""#),
            "extra.a[0]",
            "control character",
        ),
    ] {
        std::fs::write(merchant.folder.join("payouts.jsonl"), wrong).unwrap();
        let refused = merchant.run(["create-payouts", "payouts.jsonl", "--yes"]).failure(2);
        let problem = &refused["problems"][0];
        assert_eq!((&problem["line"], &problem["column"]), (&json!(1), &json!(path)), "{refused}");
        assert!(problem["message"].as_str().unwrap().contains(part), "{refused}");
    }
    assert_eq!(merchant.service_requests(), [""; 0]);
}

#[test]
fn cells_may_be_separated_by_tabs() {
    for name in ["payouts.tsv", "tabs.csv"] {
        let merchant = journaled();
        let text = rows(["payout-1".to_owned(), "payout-2".to_owned()]).replace(',', "\t");
        std::fs::write(merchant.folder.join(name), text).unwrap();
        let run = merchant.run(["create-payouts", name, "--yes"]);
        assert_eq!((run.code, merchant.sandbox.payouts().len()), (0, 2), "{name} {run:?}");
        let head = run.text().lines().next().unwrap();
        assert!(head.starts_with("line\treference\tstate\t"), "{head}");
    }
}
