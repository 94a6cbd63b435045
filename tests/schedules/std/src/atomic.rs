//! Atomics: each operation is a step. All are sequentially consistent here.

pub use std::sync::atomic::*;

use crate::model::step;

/// Steps are sequentially consistent, with a fence or without.
pub fn fence(_: Ordering) {
    step();
}

macro_rules! atomic {
    ($name:ident, $type:ty $(, $act:ident)*) => {
        #[derive(Default, Debug)]
        pub struct $name(std::sync::atomic::$name);

        impl $name {
            pub const fn new(value: $type) -> Self {
                Self(std::sync::atomic::$name::new(value))
            }

            pub fn load(&self, _: Ordering) -> $type {
                step();
                self.0.load(Ordering::SeqCst)
            }

            pub fn store(&self, value: $type, _: Ordering) {
                step();
                self.0.store(value, Ordering::SeqCst);
            }

            pub fn swap(&self, value: $type, _: Ordering) -> $type {
                step();
                self.0.swap(value, Ordering::SeqCst)
            }

            $(pub fn $act(&self, value: $type, _: Ordering) -> $type {
                step();
                self.0.$act(value, Ordering::SeqCst)
            })*
        }
    };
}

atomic!(AtomicBool, bool);
atomic!(AtomicU32, u32, fetch_add);
atomic!(AtomicU64, u64, fetch_add, fetch_or);
atomic!(AtomicUsize, usize, fetch_add);
