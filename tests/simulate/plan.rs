//! The calls and the faults of a run, drawn from the seed. Both are
//! lists, so that shrinking can leave parts out.

use std::time::Duration;

use crate::chance::{among, between, one_in};

pub const DAY: Duration = Duration::from_secs(86_400);
pub const HOUR: Duration = Duration::from_secs(3_600);
pub const MINUTE: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    /// The processes that make calls.
    pub workers: usize,
    /// Whether the service compares references without regard to capitals when it
    /// looks a payment up.
    pub ignores_case: bool,
    /// By their times.
    pub calls: Vec<PlannedCall>,
    pub faults: Vec<Fault>,
}

#[derive(Clone, Debug)]
pub struct PlannedCall {
    pub at: Duration,
    pub worker: usize,
    pub reference: String,
    pub kind: CallKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallKind {
    Payment,
    Payout,
    /// Of the payment with the reference, if it is known to be paid.
    Refund,
    /// A payer's click on "Pay", for the order with the reference.
    Click,
}

#[derive(Clone, Debug)]
pub struct Fault {
    pub from: Duration,
    pub until: Duration,
    pub kind: FaultKind,
}

#[derive(Clone, Debug)]
pub enum FaultKind {
    /// This becomes of some requests: of all references, or of every fourth.
    Requests { fate: Fate, only: Option<u64> },
    /// A process crashes before or after one of its next effects.
    Crash { role: usize, effects: u32 },
    /// The wall clock of a process is wrong by this many milliseconds.
    Clock { role: usize, ahead: i64 },
    /// All tokens of the token server are revoked, and new ones too while it lasts.
    Revocation,
    /// The token server refuses.
    TokenServer { status: u16 },
    /// Nobody reaches the token store.
    TokenStore,
    /// A delivery fails, perhaps after the goods have left.
    Delivery,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// There is no connection.
    NoConnection,
    /// The request is executed, and the answer lost.
    AnswerLost,
    /// The connection breaks at once, and the request arrives or not.
    Broken,
    /// It arrives after its call has ended, within the time that the docs allow.
    Late,
    /// A proxy sends it again, minutes later.
    Twice,
    /// A gateway answers with this status, and passes nothing on.
    Refused(u16),
    /// A gateway answers with a page of HTML and status 200, and passes nothing on.
    Html,
    /// The request is executed, and a gateway answers with 503.
    Hidden,
    /// A query is answered by a replica that is minutes behind.
    Stale,
}

/// A merchant's day.
pub fn draw(seed: u64) -> Plan {
    std::chance::seed(seed);
    let workers = among(&[1, 1, 1, 2, 2, 3, 9]);
    let ignores_case = one_in(4);
    let mut calls = Vec::new();
    for number in 0..between(55, 65) {
        let kind = among(&[CallKind::Payment, CallKind::Payment, CallKind::Payout]);
        let letter = if kind == CallKind::Payout { 'o' } else { 'p' };
        let (at, worker) = (moment(), among_roles(workers));
        // A pair of references that differ in capitals only.
        let reference = match number % 8 {
            7 if ignores_case => format!("{}-{}", letter.to_uppercase(), number - 1),
            _ => format!("{letter}-{number}"),
        };
        calls.push(PlannedCall { at, worker, reference: reference.clone(), kind });
        if kind == CallKind::Payment && one_in(6) {
            let at = at + between(1, 6) * HOUR;
            calls.push(PlannedCall { at, worker, reference, kind: CallKind::Refund });
        }
    }
    for number in 0..between(18, 22) {
        let (reference, mut at) = (format!("order-{number}"), moment());
        for _ in 0..among(&[1, 2, 2, 3, 5]) {
            let worker = among_roles(workers);
            let (reference, kind) = (reference.clone(), CallKind::Click);
            calls.push(PlannedCall { at, worker, reference, kind });
            at += among(&[1, 1, 10, 60, 600]) * Duration::from_millis(u64::from(between(1, 1000)));
        }
    }
    calls.sort_by_key(|it| it.at);
    let faults = (0..between(5, 8)).map(|_| fault(workers, &calls)).collect();
    Plan { seed, workers, ignores_case, calls, faults }
}

fn moment() -> Duration {
    DAY * between(0, 999_999) / 1_000_000
}

fn among_roles(count: usize) -> usize {
    between(0, u32::try_from(count).expect("few") - 1) as usize
}

/// A fault that begins shortly before a call.
fn fault(workers: usize, calls: &[PlannedCall]) -> Fault {
    let near = &calls[among_roles(calls.len())];
    let from = near.at.saturating_sub(Duration::from_secs(between(0, 5).into()));
    let until = from + among(&[10, 60, 600, 3_600, 7_200]) * Duration::from_secs(1);
    let role = if one_in(2) { near.worker } else { among_roles(workers + 3) };
    let kind = match between(0, 19) {
        0..=9 => {
            let only = one_in(2).then(|| u64::from(between(0, 3)));
            FaultKind::Requests { fate: fate(), only }
        }
        10..=13 => FaultKind::Crash { role, effects: between(1, 12) },
        14 | 15 => {
            let ahead = among(&[-7_200_000, -90_000, -2_000, 5_000, 600_000, 3 * 86_400_000]);
            FaultKind::Clock { role, ahead }
        }
        16 => FaultKind::Revocation,
        17 => FaultKind::TokenServer { status: among(&[403, 500, 503]) },
        18 => FaultKind::TokenStore,
        _ => FaultKind::Delivery,
    };
    Fault { from, until, kind }
}

fn fate() -> Fate {
    among(&[
        Fate::NoConnection,
        Fate::AnswerLost,
        Fate::AnswerLost,
        Fate::Broken,
        Fate::Late,
        Fate::Twice,
        Fate::Refused(403),
        Fate::Refused(404),
        Fate::Refused(500),
        Fate::Refused(503),
        Fate::Html,
        Fate::Hidden,
        Fate::Stale,
    ])
}
