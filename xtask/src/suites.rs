//! The stages of each command, as lists of command lines.

use crate::Failure;
use crate::stages::Stage;

/// One selection and one set of features for every debug build, so that no
/// crate is built twice. The hooks are panicking functions for tests; releases
/// are built without them.
macro_rules! workspace {
    () => {
        "--locked --workspace --features payments-ffi/test-hooks,payments-python/test-hooks"
    };
}
pub(crate) const WORKSPACE: &str = workspace!();

macro_rules! cargo {
    ($command:literal, $arguments:literal) => {
        concat!("cargo ", $command, " ", workspace!(), " ", $arguments)
    };
}

/// For a separate workspace below `tests`. In the same build folder, with the same
/// versions and the same profile, it reuses the builds of the product.
macro_rules! outside {
    ($command:literal, $folder:literal, $arguments:literal) => {
        concat!(
            "cargo ",
            $command,
            " --locked --target-dir target --manifest-path tests/",
            $folder,
            "/Cargo.toml ",
            $arguments
        )
    };
}

const FORMAT: Stage = stage("format", &["cargo fmt --all --check"]);
/// `clippy.toml` limits the lines of a function and the length of a parameter
/// list; those of `extern "C"` may be longer.
const CLIPPY_COMMAND: &str =
    cargo!("clippy", "--all-targets -- -D warnings -D clippy::too_many_lines");
const CLIPPY: Stage = stage("clippy", &[CLIPPY_COMMAND]);
const FEATURES: Stage = stage("features", &["cargo xtask features"]);
const RULES: Stage = stage("house rules", &["cargo xtask rules"]);
pub(crate) const CORE_TOOLS: &str = "scripts/setup.sh core";

/// Writes the generated files, and with `--check` compares them. It builds the
/// generator alone: a change in `spec/` compiles nothing of the product.
pub(crate) const GENERATE: &str = "cargo run --quiet --locked --package payments-generate --";

/// Without the tests of forks, which take a fifth of the time; `make test` has them.
const UNIT_AND_CORE: &str =
    cargo!("test", "--exclude payments-fork-tests --lib --bins --test it -- --skip fleet");

/// `make check`: what to run while working on a change.
pub(crate) const CHECK: &[Stage] = &[
    stage("tools", &[CORE_TOOLS]),
    FORMAT,
    CLIPPY,
    FEATURES,
    RULES,
    stage("generated files", &["cargo xtask generate --check"]),
    stage("unit and core tests", &[UNIT_AND_CORE]),
];

/// The groups of `make lint`. Commands that lock the build folder share one
/// stage.
pub(crate) const LINT: &[&[Stage]] = &[
    &[stage("tools", &["scripts/setup.sh lint"]), FORMAT, RULES],
    &[
        stage(
            "clippy and documentation",
            &[
                CLIPPY_COMMAND,
                "cargo xtask features",
                "env RUSTDOCFLAGS=-Dwarnings cargo doc --locked --workspace --no-deps",
                "scripts/docs.sh",
            ],
        ),
        stage("dependencies", &["scripts/lint.sh dependencies"]),
        stage("PHP and shell", &["scripts/lint.sh scripts"]),
        stage("JavaScript", &["scripts/lint.sh javascript"]),
        stage("workflows", &["scripts/lint.sh workflows"]),
    ],
];

/// Without features, core and host differ in their configuration and their journals. The
/// scenarios run too. All other commands have all features.
const WITHOUT_FEATURES: &str = "cargo test --locked --package payments-core --package \
    payments-host --no-default-features --lib --test it --no-fail-fast -- config:: journal:: \
    shared::";
const WITH_FEATURES: &str = cargo!("test", "--no-fail-fast --lib --bins --tests -- --skip fleet");

/// The tools `make test` needs besides the Rust toolchain.
pub(crate) const SETUP: &[Stage] =
    &[stage("tools", &["scripts/setup.sh test python node browser coverage"])];

/// The builds that several stages of `make test` need, each in its own build folder. A
/// build that one stage needs is made by that stage, while others wait for servers.
pub(crate) const BUILD: &[Stage] = &[
    stage(
        "build",
        &[
            cargo!("build", ""),
            cargo!("test", "--no-run --lib --bins --tests"),
            "scripts/test-python.sh --only-install",
            "scripts/test-node.sh --only-pack",
        ],
    ),
    stage("build: release", &["cargo build --locked --release -p payments-ffi"]),
    stage("build: AddressSanitizer", &["scripts/test-c.sh build"]),
];

/// `make exhaust`: calls that are cut at each system call, byte and reading of a clock.
pub(crate) const EXHAUST: &[Stage] = &[
    stage("tools", &[EXHAUST_TOOLS]),
    stage("every step", &["cargo run --locked --bin payments-exhaust-tests"]),
    stage("every byte of a database", &["scripts/test-fleet.sh bytes all"]),
];

const EXHAUST_TOOLS: &str = "scripts/setup.sh exhaust";
const EXHAUST_SOME: &str = "cargo run --locked --bin payments-exhaust-tests -- --each-kind";

/// `make simulate`: 45 s of fixed seeds, and the same trace from each of a few, twice.
const SIMULATE: &str = outside!("run", "schedules", "--bin payments-simulate");
const SIMULATE_TWICE: &str = outside!("run", "schedules", "--bin payments-simulate -- --twice");

/// `make mutants`: a program outside the workspace, like those of fuzzing.
pub(crate) const MUTANTS: &str = "cargo run --locked \
    --manifest-path tests/mutants/Cargo.toml --target-dir target/mutants/tool --";

/// Every suite. `make test` starts their stages in this order: the slowest
/// first, so that none is left to finish alone.
const SUITES: &[(&str, Stage)] = &[
    ("node", stage("Node", &["scripts/test-node.sh"])),
    ("python", stage("Python", &["scripts/test-python.sh"])),
    ("php", stage("PHP", &["scripts/test-php.sh"])),
    ("core", stage("Rust", &[CORE_TOOLS, WITH_FEATURES])),
    ("core", stage("Rust: no features", &[CORE_TOOLS, WITHOUT_FEATURES])),
    ("core", stage("Rust: documentation", &[cargo!("test", "--doc")])),
    ("core", stage("files that a call passes", &["cargo xtask walk --check"])),
    ("page", stage("page of the sandbox", &["scripts/test-browser.sh"])),
    ("exhaust", stage("every step that writes, and some bytes", &[EXHAUST_TOOLS, EXHAUST_SOME])),
    ("schedules", stage("interleavings", &[outside!("run", "schedules", "-- --quick")])),
    ("schedules", stage("days of a merchant", &[SIMULATE_TWICE, SIMULATE])),
    ("fuzz", stage("inputs that were found by fuzzing", &[outside!("test", "fuzz", "")])),
    ("c", stage("C: valgrind", &["scripts/test-c.sh valgrind"])),
    ("c", stage("C: AddressSanitizer", &["scripts/test-c.sh asan"])),
    ("c", stage("C: headers", &["scripts/test-c.sh headers"])),
    ("c", stage("C", &["scripts/test-c.sh plain"])),
    ("c", stage("C: reference", &["scripts/test-c.sh reference"])),
    ("c", stage("C: two allocators", &["scripts/test-c.sh deepbind"])),
    ("c", stage("C: scenarios", &["scripts/test-c.sh scenarios"])),
    ("c", stage("C: binary interface", &["scripts/test-c.sh abi"])),
    ("c", stage("C: stack", &["scripts/test-c.sh stack"])),
    ("c", stage("C: installation", &["scripts/test-c.sh install"])),
    ("c", stage("C: static linking", &["scripts/test-c.sh static"])),
    ("fleet", stage("fleet: all languages", &["scripts/test-fleet.sh"])),
    ("fleet", stage("fleet: one minute of faults", &["scripts/test-fleet.sh soak 1"])),
    ("fleet", stage("fleet: kills", &["scripts/test-fleet.sh crash 24"])),
    ("fleet", stage("fleet: bytes of a database", &["scripts/test-fleet.sh bytes"])),
    ("fleet", stage("fleet: open payments", &["scripts/test-fleet.sh follow 300"])),
    ("fleet", stage("fleet: Rust", &[cargo!("test", "--test it fleet")])),
    ("packages", stage("packages: smoke", &["scripts/test-dist.sh smoke"])),
    ("pages", stage("first payments of the pages", &["scripts/test-pages.sh first"])),
    // The README's first command, unchanged: it pays, refunds and pays out
    // against its own sandbox.
    ("demo", stage("demonstration", &["cargo run --locked --bin payments -- demo"])),
];

/// The stages of the named suites, or of all.
pub(crate) fn of_test(names: &[&str]) -> Result<Vec<Stage>, Failure> {
    let mut known: Vec<_> = SUITES.iter().map(|(suite, _)| *suite).collect();
    known.dedup();
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        return Err(format!("unknown suite \"{name}\"; the suites are {}", known.join(", ")));
    }
    let chosen = if names.is_empty() { &known } else { names };
    let of = |name| SUITES.iter().filter(move |(suite, _)| suite == name).map(|(_, stage)| *stage);
    Ok(chosen.iter().flat_map(of).collect())
}

const fn stage(name: &'static str, lines: &'static [&'static str]) -> Stage {
    Stage { name, lines }
}
