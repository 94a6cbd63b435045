//! Runs the target that `FUZZ_TARGET` names.

#![no_main]

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET must name a target");
    payments_fuzz::target(&name).expect("FUZZ_TARGET names no target")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
