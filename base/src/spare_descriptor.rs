//! A descriptor in reserve. A host without another one gives it up to open a file
//! that it needs to report the outcome of a call: this is how PHP reads its
//! classes.

#[cfg(unix)]
pub use unix::{give_up, keep};

/// Windows has no such limit.
#[cfg(windows)]
pub fn keep() -> bool {
    true
}

/// Windows has no such limit.
#[cfg(windows)]
pub fn give_up() {}

#[cfg(unix)]
mod unix {
    use std::os::fd::OwnedFd;
    use std::sync::Arc;

    use arc_swap::ArcSwapOption;

    use crate::own_descriptor::OwnDescriptor;
    use crate::standard_streams;

    /// No lock, which a fork could leave locked.
    static SPARE: ArcSwapOption<OwnDescriptor<OwnedFd>> = ArcSwapOption::const_empty();

    /// Takes a descriptor unless one is kept. Returns whether one is kept now.
    pub fn keep() -> bool {
        if !is_kept() {
            standard_streams::occupy();
            let spare = standard_streams::inert().ok().map(OwnDescriptor::new);
            SPARE.store(spare.map(Arc::new));
        }
        is_kept()
    }

    fn is_kept() -> bool {
        SPARE.load().as_ref().is_some_and(|spare| spare.get().is_some())
    }

    /// Closes the descriptor, unless none is kept.
    pub fn give_up() {
        SPARE.store(None);
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_descriptor_is_kept_until_it_is_given_up() {
            assert!(keep() && keep());
            let first = SPARE.load_full().unwrap();
            assert!(keep());
            assert!(Arc::ptr_eq(&first, &SPARE.load_full().unwrap()));
            give_up();
            give_up();
            assert!(SPARE.load().is_none());
        }
    }
}
