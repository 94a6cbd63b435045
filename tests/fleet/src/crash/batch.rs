//! A batch of payouts that is killed again and again.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use payments_sandbox::Sandbox;

use super::client;
use super::command::payments;
use super::ledger::{check_entries, entries};
use crate::numbers::Numbers;
use crate::service::Service;
use crate::soak::disturbances::Disturbances;
use crate::soak::ledger::executed;

const LINES_FOR_EACH_KILL: usize = 100;
const FAULTS_IN_A_RUN: usize = 20;
/// The longest life of the first process.
const LIFE: Duration = Duration::from_millis(400);

/// Sends a hundred payouts for each kill.
pub(super) fn run(kills: usize) {
    let began = Instant::now();
    let service = Service::start(Duration::from_secs(3600));
    let sandbox = service.sandbox();
    let configuration = service.journaled_configuration();
    let file = service.journal().join("payments.json");
    std::fs::write(&file, &configuration).unwrap();
    let lines = kills * LINES_FOR_EACH_KILL;
    let table = service.journal().join("payouts.csv");
    std::fs::write(&table, rows(lines)).unwrap();

    let sent = send_and_kill(kills, sandbox, || send(&file, &table));
    sandbox.clear_faults();
    let last = send(&file, &table).output().unwrap();
    assert!([Some(0), Some(3)].contains(&last.status.code()), "{last:?}");
    let executed = executed(sandbox);
    check_entries(&executed, &entries(&client(&configuration)));
    let report = String::from_utf8(last.stdout).unwrap();
    check_report(&report, &executed);
    let done = report.matches(",done,").count();
    assert!(done * 2 > lines, "{done} of {lines} payouts are done");
    println!(
        "batch, {:?}: {kills} kills, {lines} payouts, {done} done, {} executed, {sent} of them \
         before the last run",
        began.elapsed(),
        executed.len()
    );
}

/// Starts the command again and again until it was killed `kills` times. Returns
/// how many payouts were executed.
fn send_and_kill(kills: usize, sandbox: &Sandbox, send: impl Fn() -> Command) -> usize {
    let mut numbers = Numbers::new();
    let mut disturbances = Disturbances::of_the_service();
    let (mut life, mut before, mut killed) = (LIFE, 0, 0);
    while killed < kills {
        (0..FAULTS_IN_A_RUN).for_each(|_| _ = disturbances.before_a_call(sandbox));
        let mut child = send().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(life.mul_f64(numbers.below(1000) as f64 / 500.0));
        let status = child.try_wait().unwrap();
        if let Some(status) = status {
            let is_known = status.code().is_some_and(|code| [0, 1, 3].contains(&code));
            assert!(is_known, "the batch ended with {status}");
        } else {
            child.kill().unwrap();
            child.wait().unwrap();
            killed += 1;
        }
        // The more the journal knows, the later the first line is sent; and the
        // batch must not be over before the last kill.
        let after = executed(sandbox).len();
        life = life.mul_f64(match after - before {
            _ if status.is_some() => 0.5,
            0 => 1.2,
            sent if sent > 2 * LINES_FOR_EACH_KILL => 0.6,
            sent if sent > LINES_FOR_EACH_KILL => 0.9,
            _ => 1.0,
        });
        before = after;
    }
    before
}

/// Each line that is done was executed.
fn check_report(report: &str, executed: &HashMap<String, usize>) {
    for line in report.lines().skip(1) {
        let mut columns = line.split(',').skip(1);
        let (reference, state) = (columns.next().unwrap(), columns.next().unwrap());
        match state {
            "done" => assert!(executed.contains_key(reference), "{line}"),
            "unknown" => {}
            _ => panic!("{line}"),
        }
    }
}

fn rows(lines: usize) -> String {
    let head = "external_reference,country,amount,currency_code,target,target_account,payee.name\n";
    let row = |number| format!("payout-{number},br,1.00,BRL,pix_key,joao@example.com,João\n");
    head.to_owned() + &(0..lines).map(row).collect::<String>()
}

fn send(configuration: &Path, table: &Path) -> Command {
    let mut command = payments(configuration);
    command.arg("create-payouts").arg(table).args(["--yes", "--continue-after-unknown"]);
    command.stdin(Stdio::null());
    command
}
