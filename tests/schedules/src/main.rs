//! Core and host under a scheduler that explores interleavings: which thread runs
//! next is decided at each lock, atomic, wake-up and wait. `base/`,
//! `transport/`, `core/` and `host/` next to this crate compile them against the `std` and `rustix`
//! there.

mod run;
mod search;

fn main() {
    run::run(&std::env::args().skip(1).collect::<Vec<_>>());
}
