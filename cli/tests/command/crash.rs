//! Kills at random moments: what the journal says afterwards is what the
//! service's books say.
//!
//! `make crash KILLS=1000` runs the same for longer.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use crate::journal::journaled;
use crate::support::{Merchant, Payments, payment};

/// How often each test kills, unless `PAYMENTS_KILLS` says otherwise.
const KILLS: usize = 8;

fn kills() -> usize {
    let kills = std::env::var("PAYMENTS_KILLS").ok();
    kills.map_or(KILLS, |kills| kills.parse().unwrap())
}

/// A merchant whose service executes every request that it gets, and often
/// fails to say so.
fn merchant_in_trouble() -> Merchant {
    let merchant = journaled();
    merchant.sandbox.configure(|config| config.accept_repeats = true);
    merchant
}

fn make_trouble(merchant: &Merchant) {
    let faults = [
        r#"{"fault":"pass"}"#,
        r#"{"fault":"pass"}"#,
        r#"{"fault":"close","execute":true}"#,
        r#"{"fault":"pass","delay_ms":40}"#,
        r#"{"fault":"reset"}"#,
        r#"{"fault":"response","status":503}"#,
    ];
    for operation in ["create_payout", "create_payment"] {
        let script = format!(r#"{{"operation":"{operation}","then":[{}]}}"#, faults.join(","));
        merchant.sandbox.script_json(&script).unwrap();
    }
}

/// A number below `limit`.
fn random(limit: u64) -> u64 {
    RandomState::new().hash_one(()) % limit
}

/// Starts the command and kills it after a random time.
fn start_and_kill(merchant: &Merchant, arguments: &[&str], stdin: Option<String>) {
    let mut payments = merchant.payments(arguments);
    if let Some(text) = stdin {
        payments = payments.stdin(text);
    }
    let mut child = payments.start();
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    // A full pipe would stop the command.
    let readers = [
        std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink())),
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink())),
    ];
    std::thread::sleep(Duration::from_millis(20 + random(400)));
    let _ = child.kill();
    child.wait().unwrap();
    readers.into_iter().for_each(|reader| drop(reader.join().unwrap()));
}

/// The states of each reference in the journal.
fn entries(merchant: &Merchant) -> BTreeMap<String, Vec<String>> {
    let listed = merchant.run(["journal", "list"]).response();
    let mut states = BTreeMap::<_, Vec<_>>::new();
    for entry in listed["entries"].as_array().unwrap() {
        let text = |name: &str| entry[name].as_str().unwrap().to_owned();
        states.entry(text("reference")).or_default().push(text("state"));
    }
    states
}

/// No reference was executed twice, none whose entries all say `failed`, and
/// none without an entry.
fn assert_books_agree(merchant: &Merchant, executed: Vec<String>) {
    let entries = entries(merchant);
    let mut counts = BTreeMap::<_, usize>::new();
    executed.into_iter().for_each(|reference| *counts.entry(reference).or_default() += 1);
    assert!(!counts.is_empty(), "nothing was executed");
    for (reference, count) in &counts {
        assert_eq!(*count, 1, "{reference} was executed {count} times");
        let states = entries.get(reference).map(Vec::as_slice).unwrap_or_default();
        assert!(states.iter().any(|state| state != "failed"), "{reference}: {states:?}");
    }
    for (reference, states) in &entries {
        if states.iter().any(|state| state == "done") {
            assert!(counts.contains_key(reference), "{reference} is done, and was not executed");
        }
    }
}

#[test]
fn a_batch_that_is_killed_again_and_again_pays_nobody_twice() {
    let merchant = merchant_in_trouble();
    let kills = kills();
    let mut table = "external_reference,country,amount,currency_code,target,target_account,\
                     payee.name\n"
        .to_owned();
    for number in 0..20 + kills * 10 {
        table.push_str(&format!("payout-{number},br,1.00,BRL,pix_key,joao@example.com,João\n"));
    }
    std::fs::write(merchant.folder.join("payouts.csv"), table).unwrap();
    let arguments = ["create-payouts", "payouts.csv", "--yes", "--continue-after-unknown"];
    for _ in 0..kills {
        make_trouble(&merchant);
        start_and_kill(&merchant, &arguments, None);
    }
    merchant.sandbox.clear_faults();
    let last = merchant.run(arguments);
    assert!([0, 3].contains(&last.code), "{last:?}");
    let executed = merchant.sandbox.payouts().into_iter().map(|it| it.external_reference);
    assert_books_agree(&merchant, executed.collect());
}

#[test]
fn single_payments_that_are_killed_and_made_again_are_made_once() {
    let merchant = merchant_in_trouble();
    for number in 0..kills() {
        let reference = format!("order-{}", number / 3);
        make_trouble(&merchant);
        start_and_kill(&merchant, &["create-payment", "-"], Some(payment(&reference)));
    }
    merchant.sandbox.clear_faults();
    merchant.payments(["create-payment", "-"]).stdin(payment("order-last")).run().response();
    let executed = merchant.sandbox.payments().into_iter().map(|it| it.merchant_payment_code);
    assert_books_agree(&merchant, executed.collect());
}

/// The kernel saw the entry on the disk before it saw the request.
#[cfg(target_os = "linux")]
#[test]
fn the_entry_is_on_the_disk_before_the_first_byte_of_the_request() {
    let merchant = journaled();
    // The token comes first, so that no other request is in the way.
    assert_eq!(merchant.run(["token"]).code, 0);
    let trace = merchant.folder.join("trace");
    let starter = [
        "strace",
        "-f",
        "-y",
        "-s",
        "64",
        "-o",
        trace.to_str().unwrap(),
        "-e",
        "trace=fsync,fdatasync,write,writev,sendto,sendmsg,pwrite64",
    ];
    let mut payments = Payments::started_by(&starter, &merchant.folder, ["create-payment", "-"]);
    payments = payments.stdin(payment("order-1"));
    payments.run().response();
    let trace = std::fs::read_to_string(trace).unwrap();
    let place = |what: &dyn Fn(&str) -> bool| trace.lines().position(what);
    let synced = place(&|line| {
        (line.contains("fdatasync(") || line.contains("fsync(")) && line.contains("journal.db-wal")
    });
    let sent = place(&|line| line.contains("POST /ws/direct"));
    let (synced, sent) = (synced.unwrap(), sent.unwrap());
    assert!(synced < sent, "{trace}");
    let line = trace.lines().nth(synced).unwrap();
    assert!(line.ends_with("= 0"), "it returned: {line}");
}

/// As on a full disk: no file may grow beyond 32 KiB, which the log soon does.
#[cfg(target_os = "linux")]
#[test]
fn without_room_for_the_entry_nothing_is_sent() {
    let merchant = journaled();
    assert_eq!(merchant.run(["token"]).code, 0);
    let starter = ["sh", "-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "sh"];
    let pay = |number: usize| {
        Payments::started_by(&starter, &merchant.folder, ["create-payment", "-"])
            .stdin(payment(&format!("order-{number}")))
            .run()
    };
    let mut runs = (0..20).map(pay);
    let refused = runs.find(|run| run.code != 0).unwrap();
    let failure = refused.failure(1);
    assert_eq!(
        (&failure["kind"], &failure["outcome"]),
        (&"journal".into(), &"not_executed".into())
    );
    let reference = failure["reference"].as_str().unwrap().to_owned();
    let mut paid = merchant.sandbox.payments().into_iter();
    assert!(paid.all(|payment| payment.merchant_payment_code != reference));
}
