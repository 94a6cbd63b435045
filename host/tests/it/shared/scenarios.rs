//! Runs every scenario of `tests/scenarios`, with calls by name.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use payments_core::Operation;
use payments_sandbox::{Sandbox, SandboxConfig};

use crate::shared::manifest::{levels_of_rust, manifest};
use crate::support::scenario::format::{Scenario, load_all, load_samples};
use crate::support::scenario::run::Stage;

/// Scenarios mostly wait for the other side.
const AT_ONCE: usize = 4;

#[test]
fn every_scenario_has_its_expected_results() {
    let scenarios = chosen(load_all());
    let next = AtomicUsize::new(0);
    let ran = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                let sandbox = Sandbox::start(SandboxConfig::default()).unwrap();
                let stage = Stage::new(sandbox.base_url(), load_samples());
                while let Some(scenario) = scenarios.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = stage.run(scenario) {
                        failed.lock().unwrap().push(format!("{}\n    {why}", scenario.name));
                    }
                    ran.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let ran = ran.into_inner();
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    // Bypasses the test harness, which captures printed output.
    let report = format!("{ran} scenarios run, {} failed\n", failed.len());
    std::io::stderr().write_all(report.as_bytes()).unwrap();
    assert!(failed.is_empty(), "{} of {ran} failed:\n{}", failed.len(), failed.join("\n"));
    if std::env::var_os("SCENARIO").is_none() {
        assert_eq!(ran, names_of_the_level().len(), "scenarios in tests/manifest.json");
    }
}

#[test]
fn every_scenario_of_the_level_is_there_once() {
    let scenarios = load_all();
    let names: BTreeSet<_> = scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    assert_eq!(names.len(), scenarios.len(), "two scenarios have one name");
    assert_eq!(names, names_of_the_level());
}

#[test]
fn every_operation_succeeds_in_a_scenario() {
    let scenarios = load_all();
    let steps = scenarios.iter().flat_map(|scenario| &scenario.steps);
    let responded = steps.filter(|step| step.response.is_some());
    let shown: BTreeSet<_> = responded
        .map(|step| if step.send.is_some() { Some("send") } else { step.call.as_deref() })
        .collect();
    for operation in Operation::ALL {
        let name = operation.name();
        assert!(shown.contains(&Some(name)), "no scenario shows a success of {name}");
    }
}

/// All scenarios, or those whose name contains the variable `SCENARIO`.
fn chosen(scenarios: Vec<Scenario>) -> Vec<Scenario> {
    let Some(part) = std::env::var("SCENARIO").ok() else {
        return scenarios;
    };
    scenarios.into_iter().filter(|scenario| scenario.name.contains(&part)).collect()
}

fn names_of_the_level() -> BTreeSet<String> {
    let manifest = manifest();
    let levels = levels_of_rust(&manifest).iter();
    let names = levels.flat_map(|level| level["scenarios"].as_array().unwrap());
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}
