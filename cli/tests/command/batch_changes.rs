//! Compares lines with the payouts sent under their references.

use payments_core::Operation;
use payments_sandbox::FaultScript;
use serde_json::json;

use crate::batch::{lost, rows, send, states, write};
use crate::batch_checks::dry_run;
use crate::journal::journaled;

fn row() -> String {
    rows(["payout-1".to_owned()])
}

#[test]
fn a_file_that_a_spreadsheet_saved_again_has_the_same_requests() {
    let merchant = journaled();
    write(&merchant, &row());
    assert_eq!(send(&merchant, &[]).code, 0);
    for spelled in ["10", "10.0", "10.000000"] {
        write(&merchant, &row().replace("10.00", spelled));
        let again = send(&merchant, &[]);
        assert_eq!((again.code, states(&again).join(" ")), (0, "done".to_owned()), "{spelled}");
        assert!(again.text().contains("already_done"), "{again:?}");
    }
    write(
        &merchant,
        &(row().replace("10.00", "10") + "payout-2,br,5,BRL,pix_key,a@b.example,Ana\n"),
    );
    assert_eq!(states(&send(&merchant, &[])), ["done", "done"]);
    assert_eq!(merchant.sandbox.payouts().len(), 2);
}

#[test]
fn a_respelled_amount_excuses_no_other_change() {
    let merchant = journaled();
    write(&merchant, &row());
    assert_eq!(send(&merchant, &[]).code, 0);
    let respelled = row().replace("10.00", "10");
    for (text, problems) in [
        (row().replace("joao@", "eve@"), vec![(None, "only a hash")]),
        (respelled.replace("joao@", "eve@"), vec![(None, "only a hash")]),
        (respelled.replace("João Souza", "João"), vec![(None, "only a hash")]),
        (row().replace("10.00", "10.01"), vec![(Some("amount"), "the journal has 10.00")]),
        (respelled.replace("BRL", "USD"), vec![(Some("currency_code"), "the journal has BRL")]),
        (
            row().replace("10.00,BRL", "1,USD"),
            vec![
                (Some("amount"), "the journal has 10.00"),
                (Some("currency_code"), "the journal has BRL"),
            ],
        ),
    ] {
        write(&merchant, &text);
        let refused = send(&merchant, &[]).failure(2);
        assert_eq!((&refused["code"], &refused["lines"]), (&json!("batch_changed"), &json!([2])));
        let found = refused["problems"].as_array().unwrap();
        assert_eq!(found.len(), problems.len(), "{refused}");
        for (problem, (column, message)) in found.iter().zip(problems) {
            assert_eq!(
                (&problem["line"], &problem["column"]),
                (&json!(2), &json!(column)),
                "{refused}"
            );
            assert!(problem["message"].as_str().unwrap().contains(message), "{refused}");
        }
        let dry = dry_run(&merchant, &[]);
        assert_eq!((dry.code, states(&dry)), (2, vec!["changed".to_owned()]));
    }
    assert_eq!(merchant.sandbox.payouts().len(), 1);
}

#[test]
fn a_respelled_line_whose_payout_is_open_stays_open() {
    let merchant = journaled();
    write(&merchant, &row());
    let lost = FaultScript::for_operation(Operation::CreatePayout, vec![lost()]);
    merchant.sandbox.script_fault(lost);
    assert_eq!(states(&send(&merchant, &[])), ["unknown"]);
    write(&merchant, &row().replace("10.00", "10"));
    let again = send(&merchant, &[]);
    assert_eq!((again.code, states(&again)), (3, vec!["unknown".to_owned()]));
    assert_eq!(merchant.sandbox.payouts().len(), 1);
}
