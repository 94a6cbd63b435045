//! Findings of a batch of payouts before anything is sent.

use serde_json::json;

use crate::batch::{lost, rows, send, states, write};
use crate::journal::journaled;
use crate::support::{Merchant, Run};

pub(crate) fn dry_run(merchant: &Merchant, more: &[&str]) -> Run {
    merchant.run([&["create-payouts", "payouts.csv", "--dry-run"], more].concat())
}

fn payouts(numbers: impl Iterator<Item = u32>) -> String {
    rows(numbers.map(|number| format!("payout-{number}")))
}

#[test]
fn a_dry_run_has_the_effect_of_a_run_on_each_line() {
    let merchant = journaled();
    write(&merchant, &payouts(1..=2));
    assert_eq!(merchant.run(["token"]).code, 0);
    merchant.sandbox.script_next([payments_sandbox::Fault::pass(), lost()]);
    assert_eq!(states(&send(&merchant, &["--parallel", "1"])), ["done", "unknown"]);
    let requests = merchant.service_requests().len();

    write(&merchant, &payouts(1..=4));
    let dry = dry_run(&merchant, &[]);
    assert_eq!((dry.code, states(&dry).join(" ")), (0, "done open new new".to_owned()));
    let uid = dry.text().lines().nth(1).unwrap().split(',').nth(4).unwrap();
    let report = dry.text().replace(uid, "UID");
    assert!(report.contains("\n2,payout-1,done,,UID,already_done,"));
    let summary =
        "4 payouts: BRL 40.00\n  2 new: BRL 20.00\n  1 done: BRL 10.00\n  1 open: BRL 10.00\n";
    assert!(dry.stderr.starts_with(summary), "{dry:?}");
    assert!(dry.stderr.contains("line 3, payout-2: open (unresolved); look it up"), "{dry:?}");

    write(&merchant, &payouts(1..=4).replacen("joao@", "eve@", 1));
    let changed = dry_run(&merchant, &[]);
    assert_eq!((changed.code, states(&changed).join(" ")), (2, "changed open new new".to_owned()));
    assert!(changed.stderr.contains("batch_changed"), "{changed:?}");
    assert_eq!(merchant.service_requests().len(), requests);
}

#[test]
fn a_payment_with_the_reference_of_a_line_is_not_the_line() {
    let merchant = journaled();
    merchant.pay("payout-1");
    write(&merchant, &payouts(1..=1));
    assert_eq!(states(&dry_run(&merchant, &[])), ["new"]);
    assert_eq!(states(&send(&merchant, &[])), ["done"]);
    assert_eq!(states(&dry_run(&merchant, &[])), ["done"]);
    assert_eq!(merchant.sandbox.payouts().len(), 1);
}

#[test]
fn a_line_that_was_executed_twice_is_left_to_a_person() {
    let merchant = journaled();
    write(&merchant, &payouts(1..=1));
    assert_eq!(states(&send(&merchant, &[])), ["done"]);
    let journal = rusqlite::Connection::open(merchant.folder.join("journal/payments.db")).unwrap();
    let rival = "UPDATE payments_journal SET state = 'failed', decided_by = 'person', rival = 'ff'";
    assert_eq!(journal.execute(rival, []).unwrap(), 1);
    // Even if the line was corrected for the second call.
    for text in [payouts(1..=1), payouts(1..=1).replace("10.00", "11.00")] {
        write(&merchant, &text);
        let again = send(&merchant, &[]);
        assert_eq!((again.code, states(&again)), (3, vec!["unknown".to_owned()]), "{again:?}");
    }
    assert_eq!(merchant.sandbox.payouts().len(), 1);
}

#[test]
fn a_dry_run_needs_no_journal() {
    let merchant = Merchant::new();
    write(&merchant, &payouts(1..=2));
    let dry = dry_run(&merchant, &[]);
    assert_eq!((dry.code, states(&dry)), (0, vec!["valid".to_owned(); 2]));
    assert!(dry.stderr.starts_with("2 payouts: BRL 20.00\n  not compared"), "{dry:?}");
    // One that is named must be there.
    let missing = dry_run(&merchant, &["--journal", "journal/none.db"]).failure(2);
    assert_eq!((&missing["path"], &missing["code"]), (&json!("journal"), &json!("missing")));
    write(&merchant, &payouts(1..=2).replace("br,", "BR,"));
    assert_eq!(dry_run(&merchant, &[]).failure(2)["code"], "batch_invalid");
}

/// Three payouts. The second one has a wrong CPF and a wrong Pix key, the third one a currency of
/// another country.
fn suspicious() -> String {
    let head = "external_reference,country,amount,currency_code,target,target_account,payee.name,\
                payee.document,payee.document_type\n";
    let row = |number: u32, currency: &str, key: &str, document: &str| {
        format!("payout-{number},br,10.00,{currency},pix_key,{key},Maria Souza,{document},CPF\n")
    };
    head.to_owned()
        + &row(1, "BRL", "+5511988887777", "853.513.468-93")
        + &row(2, "BRL", "11988887777", "853.513.468-92")
        + &row(3, "MXN", "85351346893", "")
}

#[test]
fn a_file_with_certain_findings_is_refused() {
    let merchant = journaled();
    write(&merchant, &suspicious());
    let places = |run: &Run| {
        let refused = run.failure(2);
        assert_eq!(refused["code"], "batch_invalid");
        assert!(!refused.to_string().contains("468-92"), "{refused}");
        let problems = refused["problems"].as_array().unwrap().iter();
        let places = problems.map(|it| format!("{} {}", it["line"], it["column"]));
        places.collect::<Vec<_>>()
    };
    let all = [r#"3 "target_account""#, r#"3 "payee.document""#, r#"4 "currency_code""#];
    for more in [&[][..], &["--dry-run"], &["--lint", "refuse"], &["--lint", "strict"]] {
        let refused = send(&merchant, more);
        assert_eq!(places(&refused), all);
        let message = refused.failure(2)["message"].as_str().unwrap().to_owned();
        assert!(
            message.ends_with("give --lint warn to send these values as they are"),
            "{message}"
        );
    }
    assert_eq!(merchant.service_requests(), [""; 0]);
    // A finding that is not certain refuses nothing alone.
    let corrected = suspicious().replace(",119888", ",+55119888").replace("468-92", "468-93");
    write(&merchant, &corrected);
    assert_eq!(places(&send(&merchant, &["--lint", "strict"])), all[2..]);
    let sent = send(&merchant, &[]);
    assert_eq!((sent.code, sent.stderr.lines().count()), (0, 1), "{sent:?}");
    let warning = "payments: line 4, currency_code: the currency of Brazil (br) is BRL;";
    assert!(sent.stderr.starts_with(warning), "{sent:?}");
    assert_eq!(merchant.sandbox.payouts().len(), 3);
}

#[test]
fn findings_can_be_sent_with_warnings_or_silently() {
    let merchant = journaled();
    write(&merchant, &suspicious());
    for run in [dry_run(&merchant, &["--lint", "warn"]), send(&merchant, &["--lint", "warn"])] {
        assert_eq!(run.code, 0, "{run:?}");
        let warnings: Vec<_> =
            run.stderr.lines().filter(|it| it.starts_with("payments: ")).collect();
        assert_eq!(warnings.len(), 3, "{run:?}");
        assert!(warnings[0].starts_with("payments: line 3, target_account: is a phone that"));
        assert!(warnings[0].ends_with("(pix_key_form, certain)"), "{run:?}");
        assert!(warnings[1].starts_with("payments: line 3, payee.document: the check digits"));
        assert!(warnings[1].ends_with("(cpf_check_digits, certain)"), "{run:?}");
        assert!(warnings[2].ends_with("(currency_of_other_country, perhaps)"), "{run:?}");
        assert!(!run.stderr.contains("11988887777") && !run.stderr.contains("468-92"), "{run:?}");
    }
    // A sent payout cannot be corrected.
    assert_eq!(send(&merchant, &["--lint", "strict"]).stderr, "");
    assert_eq!(merchant.sandbox.payouts().len(), 3);
    let merchant = journaled();
    write(&merchant, &suspicious());
    let silent = send(&merchant, &["--lint", "off"]);
    assert_eq!((silent.code, silent.stderr.as_str()), (0, ""));
    assert_eq!(merchant.sandbox.payouts().len(), 3);
}
