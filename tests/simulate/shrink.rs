//! Leaves out of a plan what its failure does not need.

use std::original::time::Instant;
use std::time::Duration;

use crate::plan::{FaultKind, Plan};
use crate::run::{Ended, run};

const AT_MOST: Duration = Duration::from_secs(60);

/// Leaves out faults, then processes, then calls, while a promise stays broken. Returns
/// the rest with its trace.
pub fn shrink(mut plan: Plan) -> (Plan, Ended) {
    let until = Instant::now() + AT_MOST;
    let take = |plan: &mut Plan, smaller: Plan| {
        let is_broken = Instant::now() < until && run(&smaller, false).broken.is_some();
        if is_broken {
            *plan = smaller;
        }
        is_broken
    };
    for place in (0..plan.faults.len()).rev() {
        let mut smaller = plan.clone();
        smaller.faults.remove(place);
        take(&mut plan, smaller);
    }
    while plan.workers > 1 {
        let smaller = with_a_worker_less(plan.clone());
        if !take(&mut plan, smaller) {
            break;
        }
    }
    let mut part = plan.calls.len() / 2;
    while part > 0 {
        let mut from = 0;
        while from < plan.calls.len() {
            let mut smaller = plan.clone();
            smaller.calls.drain(from..(from + part).min(plan.calls.len()));
            if !take(&mut plan, smaller) {
                from += part;
            }
        }
        part /= 2;
    }
    let ended = run(&plan, true);
    (plan, ended)
}

fn with_a_worker_less(mut plan: Plan) -> Plan {
    let workers = plan.workers - 1;
    for call in &mut plan.calls {
        call.worker %= workers;
    }
    for fault in &mut plan.faults {
        if let FaultKind::Crash { role, .. } | FaultKind::Clock { role, .. } = &mut fault.kind {
            *role = if *role > workers { *role - 1 } else { *role % workers };
        }
    }
    plan.workers = workers;
    plan
}
