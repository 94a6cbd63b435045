//! The journal and the disk: durable entries before a request is sent, and
//! disks that are full or read-only.

use crate::journal::journaled;
use crate::support::{Merchant, Payments, payment};

/// The kernel saw the entry on the disk before it saw the request.
#[test]
fn the_entry_is_on_the_disk_before_the_first_byte() {
    let merchant = journaled();
    // The token comes first, so that no other request is in the way, and the
    // write-ahead log has its name already.
    assert_eq!(merchant.run(["token"]).code, 0);
    merchant.pay("order-0");
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
        (line.contains("fdatasync(") || line.contains("fsync(")) && line.contains("payments.db-wal")
    });
    let sent = place(&|line| line.contains("POST /ws/direct"));
    let (synced, sent) = (synced.unwrap(), sent.unwrap());
    assert!(synced < sent, "{trace}");
    let line = trace.lines().nth(synced).unwrap();
    assert!(line.ends_with("= 0"), "it returned: {line}");
    // The token store syncs nothing here, and the end of the call neither.
    let synced = trace.lines().filter(|line| line.contains("sync(") && line.contains("/journal"));
    assert_eq!(synced.count(), 1, "a call waits for the disk once: {trace}");
}

#[test]
fn a_journal_in_memory_gets_a_warning() {
    let merchant = Merchant::new();
    merchant.configure(|config| config["journal"] = "file:journal/payments.db".into());
    let script = "set -e; mkdir journal; mount -t tmpfs -o mode=700 none journal\n\
                  \"$1\" journal create journal/payments.db >created\nexec \"$@\"";
    let starter = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"];
    let run = Payments::started_by(&starter, &merchant.folder, ["check", "--json"]).run();
    let report = run.response();
    let findings = report["findings"].as_array().unwrap().iter();
    let levels: Vec<_> =
        findings.filter(|it| it["about"] == "journal").map(|it| it["level"].as_str()).collect();
    assert_eq!(levels, [Some("warning"), Some("ok")], "{report}");
}

/// Pays with a journal on its own disk, which is mounted by the first script;
/// the second one runs when the journal exists. Asserts that nothing was sent,
/// and returns the message.
fn pay_on_a_disk(mount: &str, then: &str) -> String {
    let merchant = Merchant::new();
    merchant.configure(|config| config["journal"] = "file:journal/payments.db".into());
    let script = format!(
        "set -e; mkdir journal; mount -t tmpfs -o mode=700,{mount} none journal\n\
         \"$1\" journal create journal/payments.db >created\n{then}\nexec \"$@\""
    );
    // Root may mount in its own namespace.
    let starter = ["unshare", "--map-root-user", "--mount", "sh", "-c", &script, "sh"];
    let paying = Payments::started_by(&starter, &merchant.folder, ["create-payment", "-"]);
    let run = paying.stdin(payment("order-1")).run();
    assert!(merchant.sandbox.payments().is_empty(), "{run:?}");
    assert!(merchant.service_requests().is_empty(), "{run:?}");
    let failure = run.failure(1);
    assert_eq!(
        (&failure["kind"], &failure["outcome"]),
        (&"journal".into(), &"not_executed".into())
    );
    failure["message"].as_str().unwrap().to_owned()
}

#[test]
fn on_a_full_disk_nothing_is_sent() {
    let message = pay_on_a_disk("size=256k", "cat /dev/zero >journal/other 2>/dev/null || true");
    assert!(message.contains("is full; make room; nothing was sent"), "{message}");
}

#[test]
fn on_a_read_only_disk_nothing_is_sent() {
    let message = pay_on_a_disk("size=1m", "mount -o remount,ro journal");
    assert!(message.contains("is read-only; make it writable"), "{message}");
}

/// No file may grow beyond 32 KiB, which the log soon does.
#[test]
fn beyond_the_limit_of_a_file_nothing_is_sent() {
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
