//! The amounts of a batch: how they are written, read and shown.

use serde_json::{Value, json};

use crate::batch::{rows, send, states, write};
use crate::journal::{journaled, payout};
use crate::support::{Merchant, Run};

/// Rows with these amounts, quoted, and a currency.
fn amounts(amounts: &[&str], currency: &str) -> String {
    let numbered = (1..=amounts.len()).map(|number| format!("payout-{number}"));
    let mut text = rows(numbered).replace("BRL", currency);
    for amount in amounts {
        text = text.replacen(",10.00,", &format!(",\"{amount}\","), 1);
    }
    text
}

fn dry_run(merchant: &Merchant, more: &[&str]) -> Run {
    merchant.run([&["create-payouts", "payouts.csv", "--dry-run"], more].concat())
}

/// The mistakes in the amounts of the file, one message for each line.
#[track_caller]
fn problems(merchant: &Merchant, more: &[&str]) -> Vec<String> {
    let refused = send(merchant, more).failure(2);
    assert_eq!(refused["code"], "batch_invalid", "{refused}");
    assert_eq!(merchant.service_requests(), [""; 0]);
    let problem = |it: &Value| {
        assert_eq!(it["column"], "amount", "{it}");
        it["message"].as_str().unwrap().to_owned()
    };
    refused["problems"].as_array().unwrap().iter().map(problem).collect()
}

const COMMA: [&str; 2] = ["--decimal", "comma"];

#[test]
fn totals_have_the_digits_of_their_currency_in_groups() {
    let merchant = journaled();
    for (written, currency, shown) in [
        (&["150000", "12000"][..], "CLP", "CLP 162\u{a0}000"),
        (&["1500"], "BRL", "BRL 1\u{a0}500.00"),
        (&["1499.5", "0.5"], "BRL", "BRL 1\u{a0}500.00"),
        (&["1234567.891"], "KWD", "KWD 1\u{a0}234\u{a0}567.891"),
        (&["100.00"], "CLP", "CLP 100.00"),
    ] {
        write(&merchant, &amounts(written, currency));
        let dry = dry_run(&merchant, &[]);
        assert!(dry.stderr.contains(&format!(": {shown}\n")), "{dry:?}");
        // A shown amount can be written back, also with other spaces.
        for expected in [shown.to_owned(), shown.replace('\u{a0}', " ")] {
            let expected = expected.replacen(' ', "=", 1);
            let dry = dry_run(&merchant, &["--expect-total", &expected]);
            assert_eq!(dry.code, 0, "{expected} {dry:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_question_shows_amounts_as_people_write_them() {
    let merchant = journaled();
    write(&merchant, amounts(&["150000", "12000"], "CLP").trim_end());
    let arguments = ["create-payouts", "payouts.csv"];
    let run = crate::support::Payments::on_terminal(&merchant.folder, arguments);
    let run = run.stdin("y\ny\n").run();
    assert_eq!((run.code, merchant.sandbox.payouts().len()), (0, 2), "{run:?}");
    for question in ["with payout-2, CLP 12\u{a0}000 complete?", "2 payouts: CLP 162\u{a0}000?"] {
        assert!(run.text().contains(question), "{run:?}");
    }
}

#[test]
fn an_ambiguous_number_is_shown_with_another_zero() {
    let merchant = journaled();
    let line = |currency: &str| {
        json!({
            "external_reference": "payout-1", "country": "br", "currency_code": currency,
            "target": "pix_key", "target_account": "joao@example.com",
            "payee": {"name": "João Souza"},
        })
        .to_string()
        .replacen('{', r#"{"amount":10.000,"#, 1)
    };
    for currency in ["BRL", "XBT"] {
        std::fs::write(merchant.folder.join("payouts.jsonl"), line(currency) + "\n").unwrap();
        let dry_run = |more: &[&str]| {
            merchant.run([&["create-payouts", "payouts.jsonl", "--dry-run"], more].concat())
        };
        let dry = dry_run(&[]);
        assert!(dry.stderr.contains(&format!("1 payout: {currency} 10.0000\n")), "{dry:?}");
        let expected = format!("{currency}=10.0000");
        assert_eq!(dry_run(&["--expect-total", &expected]).code, 0);
    }
}

#[test]
fn an_expected_total_with_two_readings_is_refused() {
    let merchant = journaled();
    write(&merchant, &amounts(&["162000"], "CLP"));
    let ambiguous = send(&merchant, &["--expect-total", "CLP=162.000"]).failure(2);
    assert_eq!(ambiguous["code"], "amount_ambiguous", "{ambiguous}");
    let message = ambiguous["message"].as_str().unwrap();
    assert!(message.starts_with("--expect-total CLP: three digits after the point"), "{message}");
    assert!(message.contains("write 162000"), "{message}");
    assert_eq!(merchant.service_requests(), [""; 0]);
    for wrong in ["CLP=162,000", "CLP=16 2000", "CLP=162 00"] {
        let failure = send(&merchant, &["--expect-total", wrong]).failure(2);
        assert_eq!(failure["code"], "invalid_arguments", "{failure}");
    }
    merchant.configure(|config| {
        config["journal"] = json!("file:journal/payments.db");
        config["check_amount_digits"] = json!(false);
    });
    // Then it is a decimal, as in the file.
    let refused = send(&merchant, &["--expect-total", "CLP=162.000"]).failure(2);
    assert_eq!(refused["code"], "batch_invalid");
    write(&merchant, &amounts(&["162.000"], "CLP"));
    assert_eq!(dry_run(&merchant, &["--expect-total", "CLP=162.000"]).code, 0);
}

#[test]
fn ambiguous_amounts_are_refused_with_a_remedy() {
    let merchant = journaled();
    write(&merchant, &amounts(&["1.500", "10,50", "1,500", "1.250,90"], "BRL"));
    let problems_found = problems(&merchant, &[]);
    let way_out = "; if all amounts of the file have decimal commas, give --decimal comma";
    assert_eq!(problems_found.len(), 4);
    assert!(problems_found.iter().all(|it| it.ends_with(way_out)), "{problems_found:?}");
    assert!(problems_found[0].contains("write 1500, or 1.50"), "{problems_found:?}");
    assert!(problems_found[1].contains("write 10.50"), "{problems_found:?}");
}

#[test]
fn amounts_with_a_decimal_comma_are_read_before_anything_else() {
    let merchant = journaled();
    let written = ["1.250,90", "1.500", "10,5", "1250", "1.234.567"];
    let plain = ["1250.90", "1500", "10.5", "1250", "1234567"];
    write(&merchant, &amounts(&written, "BRL"));
    let dry = dry_run(&merchant, &COMMA);
    assert!(dry.stderr.starts_with("5 payouts: BRL 1\u{a0}238\u{a0}578.40\n"), "{dry:?}");
    let total = ["--expect-total", "BRL=1238578.40"];
    assert_eq!(send(&merchant, &[&COMMA[..], &total].concat()).code, 0);
    let sent = merchant.sandbox.payouts();
    let mut sent: Vec<_> = sent.iter().map(|it| (&it.external_reference, &it.amount)).collect();
    sent.sort();
    assert_eq!(sent.iter().map(|it| it.1.as_str()).collect::<Vec<_>>(), plain);
    let entries = merchant.run(["journal", "list"]).response()["entries"].clone();
    let mut stored: Vec<_> = entries.as_array().unwrap().iter().collect();
    stored.sort_by_key(|it| it["reference"].as_str().map(str::to_owned));
    assert_eq!(stored.iter().map(|it| it["amount"].as_str().unwrap()).collect::<Vec<_>>(), plain);

    // The same amounts with decimal points, and semicolons, are the same payouts.
    for (text, more) in [
        (amounts(&plain, "BRL"), &[][..]),
        (
            amounts(&written, "BRL").replace(',', ";").replace("0;9", "0,9").replace("0;5", "0,5"),
            &COMMA,
        ),
    ] {
        write(&merchant, &text);
        let again = send(&merchant, more);
        assert_eq!((again.code, states(&again)), (0, vec!["done".to_owned(); 5]), "{again:?}");
    }
    assert_eq!(merchant.sandbox.payouts().len(), 5);
}

#[test]
fn only_the_column_amount_has_a_decimal_comma() {
    let merchant = journaled();
    let text = amounts(&["10,50"], "BRL").replacen("payee.name", "payee.name,extra.rate", 1);
    write(&merchant, &text.replacen("Souza\n", "Souza,\"1,50\"\n", 1));
    assert_eq!(send(&merchant, &COMMA).code, 0);
    let body = String::from_utf8(merchant.sandbox.requests().pop().unwrap().body).unwrap();
    assert!(body.contains(r#""amount":10.50"#) && body.contains(r#""rate":"1,50""#), "{body}");
}

#[test]
fn an_ambiguous_decimal_comma_is_refused() {
    let merchant = journaled();
    write(&merchant, &amounts(&["1,500", "1,250,90", "1.25,00", "12.3456", "10.50"], "BRL"));
    let problems_found = problems(&merchant, &COMMA);
    for (message, part) in problems_found.iter().zip([
        "three digits after the comma",
        "more than one comma",
        "points separate groups of three digits",
        "points separate groups of three digits",
        "leave out --decimal comma",
    ]) {
        assert!(message.contains(part), "{message}");
        assert!(!message.contains("give --decimal comma"), "{message}");
    }
    assert_eq!(problems_found.len(), 5);
}

#[test]
fn between_commas_an_amount_with_a_decimal_comma_is_quoted() {
    let merchant = journaled();
    // Without its last cell, the row has as many cells as the header.
    let head = "external_reference,country,currency_code,target,target_account,payee.name,amount,\
                payee.document";
    let row = "payout-1,br,BRL,pix_key,joao@example.com,João Souza";
    write(&merchant, &format!("{head}\n{row},10,50\n{row},1250,\n"));
    let problems_found = problems(&merchant, &COMMA);
    assert_eq!(problems_found.len(), 2, "{problems_found:?}");
    assert!(
        problems_found.iter().all(|it| it.contains("quotes around each amount")),
        "{problems_found:?}"
    );
    write(&merchant, &format!("{head}\n{row},10,50,\n"));
    let split = send(&merchant, &COMMA).failure(2);
    let message = split["problems"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("has 9 columns, and the header has 8; --decimal"), "{message}");
    write(&merchant, &format!("{head}\n{row},\"10,50\",\n"));
    assert_eq!(send(&merchant, &COMMA).code, 0);
    assert_eq!(merchant.sandbox.payouts()[0].amount, "10.50");
}

#[test]
fn json_has_no_decimal_comma() {
    let merchant = journaled();
    std::fs::write(merchant.folder.join("payouts.jsonl"), "{}\n").unwrap();
    let arguments = ["create-payouts", "payouts.jsonl", "--yes", "--decimal", "comma"];
    let refused = merchant.run(arguments).failure(2);
    assert_eq!(refused["code"], "invalid_arguments", "{refused}");
}

#[test]
fn the_journal_shows_people_groups_and_programs_plain_digits() {
    let merchant = journaled();
    write(&merchant, &amounts(&["12500.5"], "BRL"));
    assert_eq!(send(&merchant, &[]).code, 0);
    let entries = merchant.run(["journal", "list"]).response();
    assert_eq!(entries["entries"][0]["amount"], "12500.5");
    payout(&merchant, "payout-2", &[]).response();
    let exported = merchant.run(["journal", "list", "--export", "journal.csv"]);
    assert_eq!(exported.code, 0);
    let exported = std::fs::read_to_string(merchant.folder.join("journal.csv")).unwrap();
    assert!(exported.contains(",12500.5,") && !exported.contains('\u{a0}'), "{exported}");
    #[cfg(target_os = "linux")]
    for action in [&["list"][..], &["show", "payout-1"]] {
        let arguments = [&["journal"], action].concat();
        let run = crate::support::Payments::on_terminal(&merchant.folder, arguments).run();
        assert!(run.text().contains("12\u{a0}500.50"), "{run:?}");
    }
}
