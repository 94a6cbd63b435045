//! A crash test: processes in every language, and the command, pay, refund and
//! pay out through one journal, and are killed at random moments. The sandbox
//! executes used references and excess refunds, so a second execution is
//! counted. After each round, its records are compared with the journal.
//!
//! The processes are those of the soak test.

mod batch;
mod command;
mod ledger;
mod member;

use std::time::{Duration, Instant};

use payments_core::{Client, Config};

use crate::call::{Call, Kind, next_id, refund};
use crate::numbers::Numbers;
use crate::service::Service;
use crate::soak::disturbances::Disturbances;
use command::SingleCall;
use ledger::{Ledger, Totals};
use member::Member;

/// The programs, by their languages. The command is another one.
const PROGRAMS: [(&str, &str); 6] = [
    ("rust", "soak"),
    ("c", "soak"),
    ("php", "soak"),
    ("python", "soak"),
    ("python", "soak_async"),
    ("node", "soak"),
];
/// How often each program is killed before the journal is compared.
const KILLS_IN_A_ROUND: usize = 20;
/// From this number of kills on, the test also waits for recovery.
const THOROUGH: usize = 100;
/// A minute after the deadline of a call, its entry counts as abandoned.
const ABANDONED_AFTER: Duration = Duration::from_secs(67);

/// Kills `kills` times in all, a tenth of them a batch.
pub(crate) fn run(kills: usize) {
    let began = Instant::now();
    let of_batch = (kills / 10).max(3);
    batch::run(of_batch);
    let mut left = kills.saturating_sub(of_batch).div_ceil(PROGRAMS.len() + 1);
    let mut totals = Totals::default();
    while left > 0 {
        let of_each = left.min(KILLS_IN_A_ROUND);
        left -= of_each;
        let is_last = left == 0 && kills >= THOROUGH;
        totals.add(&round(of_each, is_last));
        println!("single calls, {:?}: {totals}", began.elapsed());
    }
    totals.assert_varied();
    println!("passed");
}

/// Kills every program `kills` times, and compares.
fn round(kills: usize, waits_for_recovery: bool) -> Totals {
    let service = Service::start(Duration::from_secs(3600));
    let configuration = service.journaled_configuration();
    let mut round = Round {
        ledger: Ledger::default(),
        numbers: Numbers::new(),
        disturbances: Disturbances::of_the_service(),
        service: &service,
        configuration: &configuration,
    };
    let member = |(language, program)| Member::new(language, program, kills);
    let mut members: Vec<_> = PROGRAMS.into_iter().map(member).collect();
    let mut single = SingleCall::new(kills);
    while members.iter().any(Member::has_kills_left) || single.has_kills_left() {
        members.iter_mut().filter(|it| it.has_kills_left()).for_each(|it| it.step(&mut round));
        if single.has_kills_left() {
            single.step(&mut round);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    service.sandbox().clear_faults();
    let client = client(&configuration);
    let mut totals = round.ledger.check(service.sandbox(), &client);
    totals.kills = kills * (PROGRAMS.len() + 1);
    if waits_for_recovery {
        std::thread::sleep(ABANDONED_AFTER);
        let recovery = payments_host::recover(&client, &client.context()).unwrap();
        println!("recovered {}, open {}", recovery.recovered.len(), recovery.open.len());
        round.ledger.check(service.sandbox(), &client);
        ledger::check_recovery(service.sandbox(), &recovery);
    }
    totals
}

fn client(configuration: &str) -> Client {
    Client::new(Config::from_json(configuration.as_bytes()).unwrap()).unwrap()
}

/// State that all programs of a round share.
struct Round<'a> {
    ledger: Ledger,
    numbers: Numbers,
    disturbances: Disturbances,
    service: &'a Service,
    configuration: &'a str,
}

impl Round<'_> {
    /// The next call: a new one, or one that was begun before, here or in
    /// another process.
    fn next(&mut self, may_be: impl Fn(&Call) -> bool) -> Call {
        let sandbox = self.service.sandbox();
        self.disturbances.before_a_call(sandbox);
        let again = self.numbers.below(3) == 0;
        let number = self.numbers.below(1 << 32) as usize;
        if let Some(call) = self.ledger.recent(number).filter(|call| again && may_be(call)) {
            let call = call.clone();
            self.ledger.begin(&call);
            return call;
        }
        let id = next_id();
        let made = self.ledger.made(number);
        let kind = match id % 10 {
            0..=3 => Kind::Payout,
            4..=5 => made.and_then(|id| refund(sandbox, id)).unwrap_or(Kind::Payment),
            _ => Kind::Payment,
        };
        let call = Some(Call::new(id, kind, None)).filter(may_be);
        let call = call.unwrap_or_else(|| Call::new(id, Kind::Payment, None));
        self.ledger.begin(&call);
        call
    }
}
