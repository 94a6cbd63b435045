//! Mistakes in the description of an operation.

use super::{Changes, Operation};
use crate::spec::cancellation::NOT_AGAIN;
use crate::spec::requests::is_sentences;
use crate::spec::{Mistakes, Text};

impl Operation {
    pub(super) fn check(&self, file: &Text, mistakes: &mut Mistakes) {
        // First, since others follow from it.
        self.check_objects(file, mistakes);
        self.check_words(file, mistakes);
        if self.http.is_some() && !self.path.starts_with('/') {
            mistakes.add(&file.place_of("", "http"), "is no method and path");
        }
        if let Some(http) = &self.http
            && is_denied(http, &crate::file::read("docs/interface.md"))
        {
            let what = "docs/interface.md says that no operation sends this; change its row";
            mistakes.add(&file.place_of("", "http"), what);
        }
        let signs = self.success.iter().flat_map(|success| &success.signs);
        for sign in signs.filter(|sign| !sign.starts_with('/')) {
            mistakes.add(&file.place("[success]"), format!("{sign} is no JSON Pointer"));
        }
        let reference = self.reference.iter().map(|at| ("", "reference", at));
        let echo = self.echo.iter().flat_map(|echo| echo.members.values());
        let journal = self.journal.iter().flat_map(|it| {
            let fields = [
                ("amount", &it.amount),
                ("currency", &it.currency),
                ("refund_code", &it.refund_code),
                ("refuses", &it.refuses),
            ];
            fields.into_iter().filter_map(|(key, at)| Some((key, at.as_ref()?)))
        });
        let all = reference
            .chain(echo.map(|at| ("echo", "members", at)))
            .chain(journal.map(|(key, at)| ("journal", key, at)));
        for (table, key, pointer) in all.filter(|(_, _, at)| !self.has_member(at)) {
            mistakes.add(&file.place_of(table, key), format!("the request has no {pointer}"));
        }
        if self.journal.is_some() && !self.moves_money {
            mistakes.add(&file.place("[journal]"), "the journal records what moves money only");
        }
        if self.moves_money && self.reference.is_empty() {
            mistakes.add(&file.place_of("", "changes"), "what moves money needs a reference");
        }
        if self.not_found.is_some() && !self.is_read_only {
            mistakes.add(&file.place_of("", "not_found"), "a query changes nothing");
        }
        let named = self.echo.iter().flat_map(|it| it.exact.iter().map(move |name| (it, name)));
        for (_, name) in named.filter(|(it, name)| !it.members.contains_key(*name)) {
            mistakes.add(&file.place_of("echo", "exact"), format!("{name} is no member of it"));
        }
        if let Some(name) = &self.by_hand
            && crate::file::read(&format!("core/src/model/request/{name}.rs")).is_empty()
        {
            let what = format!("core/src/model/request/{name}.rs does not exist");
            mistakes.add(&file.place_of("", "by_hand"), what);
        }
        if let Some(cancellation) = &self.cancellation {
            cancellation.check(|name| self.has_member(&format!("/{name}")), file, mistakes);
        }
    }

    /// Advice about money is never to send it again.
    fn check_words(&self, file: &Text, mistakes: &mut Mistakes) {
        let verb = self.summary.split(' ').next().unwrap_or_default();
        if self.when_unknown.is_some() != (self.changes != Changes::Nothing) {
            let what = "an operation has [when_unknown] if it changes something";
            mistakes.add(&file.place("[when_unknown]"), what);
        }
        let (sentence, unknown) = match &self.when_unknown {
            Some(it) => (it.sentence.as_str(), it.advice.as_str()),
            None => (".", ""),
        };
        for (table, key, is_right) in [
            ("", "summary", verb.ends_with('s') && self.summary.ends_with('.')),
            ("", "details", is_sentences(&self.details)),
            ("when_unknown", "sentence", sentence.ends_with('.')),
        ] {
            if !is_right {
                mistakes.add(&file.place_of(table, key), format!("the {key} is no sentence"));
            }
        }
        let executed = &self.when_executed.advice;
        let asks_a_person = unknown.contains("let a person decide");
        for (table, key, forbids) in [
            ("when_unknown", "sentence", sentence.contains("Do not send it again")),
            ("when_unknown", "advice", unknown.starts_with(NOT_AGAIN) && asks_a_person),
            ("when_executed", "advice", executed.starts_with(NOT_AGAIN)),
        ] {
            if forbids != self.moves_money {
                let what = if self.moves_money {
                    "does not forbid to move money again"
                } else {
                    "forbids to send again what moves no money"
                };
                mistakes.add(&file.place_of(table, key), what);
            }
        }
    }

    /// Each object that a member names is in the file, and each object of the
    /// file is named.
    fn check_objects(&self, file: &Text, mistakes: &mut Mistakes) {
        let tables = self.object.keys().map(|name| format!("object.{name}.members"));
        let tables = ["request.members".to_owned()].into_iter().chain(tables);
        let mut unnamed: Vec<_> = self.object.keys().collect();
        for (table, object) in tables.zip(self.request.iter().chain(self.object.values())) {
            for (member, name) in object.inner() {
                unnamed.retain(|it| *it != name);
                if !self.object.contains_key(name) {
                    let place = file.place_of(&table, member);
                    mistakes.add(&place, format!("there is no [object.{name}]"));
                }
            }
        }
        let others: Vec<_> = self.request.iter().chain(self.object.values()).collect();
        let request = self.request.iter().filter(|_| self.is_typed);
        let request = request.map(|it| (it, "[request]".to_owned(), None));
        let inner = self.object.iter();
        let inner = inner.map(|(name, it)| (it, format!("[object.{name}]"), Some(&*others)));
        for (object, table, above) in request.chain(inner) {
            for what in object.check_rust(above) {
                mistakes.add(&file.place(&table), what);
            }
        }
        for name in unnamed {
            mistakes.add(&file.place(&format!("[object.{name}]")), "no member names it");
        }
    }

    /// Whether the request has a text of this name.
    pub(super) fn takes(&self, name: &str) -> bool {
        self.has_member(&format!("/{name}"))
    }

    /// Whether the request has a member at this JSON Pointer.
    fn has_member(&self, pointer: &str) -> bool {
        let mut object = self.request.as_ref();
        let mut names = pointer.split('/').skip(1).peekable();
        while let Some(name) = names.next() {
            let Some(member) = object.and_then(|it| it.members.get(name)) else { return false };
            if names.peek().is_none() {
                return true;
            }
            object = member.object.as_ref().and_then(|name| self.object.get(name));
        }
        false
    }
}

/// Advice to query names a query that can be turned on.
pub(super) fn queries(operations: &[Operation], files: &[Text], mistakes: &mut Mistakes) {
    let advices = operations.iter().filter_map(|it| Some((it, it.when_queried.as_ref()?)));
    for (operation, advice) in advices {
        let Some(file) = files.iter().find(|file| super::stem(file) == operation.name) else {
            continue;
        };
        let place = file.place("[when_queried]");
        let is_named =
            |it: &Operation| it.name == advice.by && it.not_found.is_some() && it.switch.is_some();
        if !operations.iter().any(is_named) {
            mistakes.add(&place, format!("{} is no query with a switch", advice.by));
        }
        for text in [&advice.unknown, &advice.executed] {
            if !text.starts_with(NOT_AGAIN) {
                mistakes.add(&place, "does not forbid to send it again");
            }
        }
    }
}

/// Whether a row of the page of what is not stated says that nothing sends this request.
fn is_denied(http: &str, page: &str) -> bool {
    let says_no = |row: &str| ["has no operation", "sends no"].iter().any(|it| row.contains(it));
    page.lines().any(|row| says_no(row) && row.contains(&format!("`{http}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_denies_an_operation_is_found() {
        let page = "| Is it cancelled? | has no operation for it | `POST /ws/cancel` by `hash` |\n\
                    | Is it queried? | offers this query | `GET /ws/query` |";
        assert!(is_denied("POST /ws/cancel", page));
        assert!(!is_denied("GET /ws/query", page));
    }
}
