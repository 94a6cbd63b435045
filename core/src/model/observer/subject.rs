//! Which call an event is about.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use payments_base::debug_shows;
use payments_base::quoted::escaped;

use crate::model::card_guard;
use crate::model::forms;

/// How much of a reference is shown.
const LONGEST: usize = 64;
/// How much is shown of one that names a person or a card.
const BEGINNING: usize = 3;

/// The call that events are about.
pub struct Subject {
    call: u64,
    reference: Option<String>,
    shown: OnceLock<String>,
    hash: OnceLock<String>,
}

impl Subject {
    /// The next call of this process. `reference` is `None` if the request has
    /// none, or if it is not to be shown.
    pub fn next(reference: Option<String>) -> Self {
        static CALLS: AtomicU64 = AtomicU64::new(1);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        Self { call, reference, shown: OnceLock::new(), hash: OnceLock::new() }
    }

    /// Notes the hash of the payment. The first one counts.
    pub(crate) fn note_hash(&self, hash: &str) {
        let _ = self.hash.set(escaped(hash, LONGEST));
    }

    pub(super) fn call(&self) -> u64 {
        self.call
    }

    pub(super) fn reference(&self) -> Option<&str> {
        let reference = self.reference.as_deref()?;
        Some(self.shown.get_or_init(|| shown(reference)))
    }

    pub(super) fn hash(&self) -> Option<&str> {
        self.hash.get().map(String::as_str)
    }
}

debug_shows!(Subject, |it| call = it.call(), reference = it.reference(), hash = it.hash());

/// A reference as logs show it: on one line, and without the data of a person
/// or a card.
fn shown(reference: &str) -> String {
    if !names_a_person(reference) && !card_guard::holds_card_number(reference) {
        return escaped(reference, LONGEST);
    }
    let beginning: String = reference.chars().take(BEGINNING).collect();
    format!("{}…", escaped(&beginning, LONGEST))
}

/// Whether the text holds an e-mail address, a CPF or a CNPJ.
fn names_a_person(text: &str) -> bool {
    text.contains('@') || forms::holds_tax_document(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_different_numbers() {
        let [first, second] = [Subject::next(None), Subject::next(None)];
        assert!(second.call() > first.call());
    }

    #[test]
    fn a_reference_stays_on_its_line_and_short() {
        assert_eq!(shown("order-1001"), "order-1001");
        assert_eq!(shown("a\nb\u{1b}[1m\u{202e}"), r"a\nb\u{1b}[1m\u{202e}");
        let long = shown(&"x".repeat(65));
        assert_eq!((long.chars().count(), long.ends_with('…')), (64, true));
        assert_eq!(shown(&"\n".repeat(65)).chars().count(), 63, "no half of an escape");
    }

    #[test]
    fn a_reference_of_a_person_or_a_card_shows_its_beginning() {
        for named in [
            "maria@example.com",
            "853.513.468-93",
            "order-85351346893",
            "85351346893-2",
            "PED85351346893",
            "20261126-85351346893",
            "11.222.333/0001-81",
            "x11222333000181",
            "12ABC34501DE35",
            "12.ABC.345/01DE-35",
            "4111111111111111",
            "order-4111 1111 1111 1111",
        ] {
            let beginning: String = named.chars().take(3).collect();
            assert_eq!(shown(named), format!("{beginning}…"), "{named}");
        }
        for other in [
            "85351346894",
            "order-853513468931",
            "11111111111",
            "11222333000182",
            "4111111111111112",
            "2026-11-26/0001",
            "5a1c",
        ] {
            assert_eq!(shown(other), other);
        }
    }
}
