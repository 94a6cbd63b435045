//! `payments refund-payment` without an amount refunds the whole payment, which a
//! person confirms.

use serde_json::json;

use crate::support::Merchant;

/// A merchant and the hash of a payment that is paid.
fn paid() -> (Merchant, String) {
    let merchant = Merchant::new();
    let hash = merchant.pay("order-1");
    merchant.sandbox.confirm_payment(&hash).unwrap();
    (merchant, hash)
}

#[test]
fn without_a_terminal_a_whole_refund_needs_a_yes() {
    let (merchant, hash) = paid();
    let request = json!({"hash": hash, "description": "broken"}).to_string();
    std::fs::write(merchant.folder.join("refund.json"), &request).unwrap();
    let before = merchant.service_requests();
    for arguments in [
        &["refund-payment", &hash][..],
        &["refund-payment", "--hash", &hash],
        &["refund-payment", "refund.json"],
        &["refund-payment", &request],
        &["refund-payment", "-"],
        &["refund-payment"],
    ] {
        let run = merchant.payments(arguments).stdin(request.clone()).run();
        let refused = run.failure(2);
        assert_eq!(refused["code"], "not_confirmed", "{arguments:?} {refused}");
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains("give --amount, or --yes"), "{message}");
    }
    assert_eq!(merchant.service_requests(), before);
    merchant.run(["refund-payment", &hash, "--yes"]).response();
    assert_eq!(merchant.sandbox.payment(&hash).unwrap().refunds[0].amount, "100.10");
}

#[test]
fn requests_other_than_a_whole_refund_need_no_yes() {
    let (merchant, hash) = paid();
    let prepared = merchant.run(["prepare", "refund-payment", &hash]).response();
    assert_eq!(prepared["operation"], "refund_payment");
    let nothing = merchant.run(["prepare", "refund-payment", &hash, "--yes"]).failure(2);
    assert_eq!(nothing["code"], "invalid_arguments");
    merchant.run(["refund-payment", &hash, "--amount", "1.50", "--yes"]).response();
    assert_eq!(merchant.sandbox.payment(&hash).unwrap().refunds[0].amount, "1.50");
}

#[test]
fn cancelling_a_refund_needs_no_yes() {
    let (merchant, hash) = paid();
    let refund = ["refund-payment", &hash, "--amount", "1.50", "--merchant-refund-code", "r-1"];
    merchant.run(refund).response();
    let cancel = ["--operation", "cancel", "--merchant-refund-code", "r-1"];
    let cancelled = merchant.run([&["refund-payment"], &cancel[..]].concat()).response();
    assert_eq!(cancelled["refund_status"], "CA", "{cancelled}");
    let refunds = merchant.sandbox.payment(&hash).unwrap().refunds;
    assert_eq!(refunds.len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_person_confirms_a_whole_refund() {
    let (merchant, hash) = paid();
    let on_terminal = |more: &[&str], answer: &str| {
        let arguments = [&["refund-payment", &hash], more].concat();
        crate::support::Payments::on_terminal(&merchant.folder, arguments).stdin(answer).run()
    };
    let question = format!("Refund the whole payment {hash}? [y/N] ");
    for (answer, code, count) in [("\n", 2, 0), ("no\n", 2, 0), ("y\n", 0, 1)] {
        let run = on_terminal(&[], answer);
        let refunds = merchant.sandbox.payment(&hash).unwrap().refunds.len();
        assert_eq!((run.code, refunds), (code, count), "{run:?}");
        assert!(run.text().contains(&question), "{run:?}");
        assert_eq!(run.text().contains("nothing was sent"), code == 2, "{run:?}");
    }
    let part = on_terminal(&["--amount", "1000.00"], "");
    assert!(!part.text().contains("[y/N]"), "{part:?}");
}
