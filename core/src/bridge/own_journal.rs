//! A journal that another language keeps.

use std::time::Duration;

use crate::context::CallContext;
use crate::journal::{Entry, Filter, Found, Journal, JournalError};
use crate::json::{Json, Members};

/// A journal behind one function, with JSON in and out.
///
/// The function gets the name of an action and its input, and returns the
/// result, or a text that says why the journal does not work:
///
/// | Action | Input | Result |
/// |---|---|---|
/// | `insert` | `entry`, and `superseded`, an array of entries | whether it was inserted |
/// | `update` | `entry` | whether it was changed |
/// | `find` | `scope`, `id`, `reference`, `is_open`, `after`, `limit`; those without a value are null | `now` and `entries` |
/// | `prune` | `scope` and `age_ms` | how many entries were deleted |
///
/// Each does what the method of [`Journal`] says. An entry has the members of
/// [`Entry`].
pub struct OwnJournal<F>(F);

impl<F> OwnJournal<F>
where
    F: Fn(&CallContext, &str, &Json) -> Result<Json, String> + Send + Sync,
{
    /// A journal that runs `act`.
    pub fn new(act: F) -> Self {
        Self(act)
    }

    fn act<T>(
        &self,
        context: &CallContext,
        action: &str,
        input: impl Into<Json>,
        read: impl FnOnce(&Json) -> Option<T>,
    ) -> Result<T, JournalError> {
        let result = (self.0)(context, action, &input.into())
            .map_err(|problem| JournalError::new(format!("the journal failed: {problem}")))?;
        read(&result).ok_or_else(|| {
            let message = format!("{action} of the journal returned something unreadable");
            JournalError::new(message)
        })
    }
}

impl<F> Journal for OwnJournal<F>
where
    F: Fn(&CallContext, &str, &Json) -> Result<Json, String> + Send + Sync,
{
    fn insert(
        &self,
        context: &CallContext,
        entry: &Entry,
        superseded: &[Entry],
    ) -> Result<bool, JournalError> {
        let superseded: Vec<_> = superseded.iter().map(Entry::to_json).collect();
        let mut input = Members::from([("entry", entry.to_json())]);
        input.push("superseded", superseded);
        self.act(context, "insert", input, Json::as_bool)
    }

    fn update(&self, context: &CallContext, entry: &Entry) -> Result<bool, JournalError> {
        self.act(context, "update", Members::from([("entry", entry.to_json())]), Json::as_bool)
    }

    fn find(&self, context: &CallContext, filter: &Filter) -> Result<Found, JournalError> {
        let mut input = Members::from([("scope", filter.scope.as_str())]);
        input.push("id", filter.id.as_deref());
        input.push("reference", filter.reference.as_deref());
        input.push("is_open", filter.is_open);
        input.push("after", filter.after.as_deref());
        input.push("limit", u64::from(filter.limit));
        self.act(context, "find", input, |result| {
            let now = whole_number(result.get("now")?)?;
            let entries = result.get("entries")?.as_array()?;
            let entries = entries.iter().map(Entry::from_json).collect::<Option<Vec<_>>>()?;
            answers(&entries, filter).then_some(Found { now, entries })
        })
    }

    fn prune(
        &self,
        context: &CallContext,
        scope: &str,
        age: Duration,
    ) -> Result<u64, JournalError> {
        let mut input = Members::from([("scope", scope)]);
        input.push("age_ms", u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        self.act(context, "prune", input, whole_number)
    }
}

/// Whether these are entries that the filter wants, in their order.
fn answers(entries: &[Entry], filter: &Filter) -> bool {
    let mut before = filter.after.as_deref();
    entries.iter().all(|entry| {
        entry.scope == filter.scope
            && filter.id.as_ref().is_none_or(|id| *id == entry.id)
            && filter.reference.as_ref().is_none_or(|it| *it == entry.reference)
            && before.replace(&entry.id).is_none_or(|before| before < &*entry.id)
    })
}

fn whole_number(json: &Json) -> Option<u64> {
    json.as_number_text()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::journal::test_entry;

    fn context() -> CallContext {
        CallContext::with_timeout(Duration::from_secs(60))
    }

    #[test]
    fn actions_get_json_and_return_json() {
        let asked = Mutex::new(Vec::new());
        let entry = test_entry("order-1");
        let journal = OwnJournal::new(|_: &CallContext, action: &str, input: &Json| {
            asked.lock().unwrap().push(format!("{action} {}", input.to_text()));
            Ok(match action {
                "find" => {
                    let mut found = Members::from([("now", 7_u64)]);
                    found.push("entries", vec![entry.to_json()]);
                    found.into()
                }
                "prune" => Json::from(2_u64),
                _ => Json::from(action == "insert"),
            })
        });
        assert!(journal.insert(&context(), &entry, std::slice::from_ref(&entry)).unwrap());
        assert!(!journal.update(&context(), &entry).unwrap());
        let found = journal.find(&context(), &Filter::of_scope("api.example")).unwrap();
        assert_eq!((found.now, found.entries), (7, vec![entry.clone()]));
        assert_eq!(journal.prune(&context(), "api.example", Duration::from_secs(1)).unwrap(), 2);
        let text = entry.to_json().to_text();
        assert_eq!(
            *asked.lock().unwrap(),
            [
                format!(r#"insert {{"entry":{text},"superseded":[{text}]}}"#),
                format!(r#"update {{"entry":{text}}}"#),
                r#"find {"scope":"api.example","id":null,"reference":null,"is_open":false,"after":null,"limit":1000}"#.to_owned(),
                r#"prune {"scope":"api.example","age_ms":1000}"#.to_owned(),
            ]
        );
    }

    #[test]
    fn an_answer_to_another_question_is_unreadable() {
        let entry = test_entry("order-1");
        let answers = |entries: &[Entry], filter: Filter| {
            let entries: Vec<_> = entries.iter().map(Entry::to_json).collect();
            let journal = OwnJournal::new(move |_: &CallContext, _: &str, _: &Json| {
                let mut found = Members::from([("now", 7_u64)]);
                found.push("entries", entries.clone());
                Ok(found.into())
            });
            journal.find(&context(), &filter).is_ok()
        };
        let all = || Filter::of_scope("api.example");
        let one = std::slice::from_ref(&entry);
        let later = Entry { id: "f".repeat(32), ..entry.clone() };
        let (id, reference) = (Some(entry.id.clone()), Some("order-1".to_owned()));
        assert!(answers(one, Filter { id: id.clone(), reference, ..all() }));
        assert!(answers(&[entry.clone(), later.clone()], all()));
        assert!(answers(std::slice::from_ref(&later), Filter { after: id.clone(), ..all() }));
        for (entries, filter) in [
            (one, Filter::of_scope("other.example")),
            (one, Filter { id: Some(later.id.clone()), ..all() }),
            (one, Filter { reference: Some("order-2".to_owned()), ..all() }),
            (one, Filter { after: id, ..all() }),
            (&[later.clone(), entry.clone()], all()),
        ] {
            assert!(!answers(entries, filter.clone()), "{filter:?}");
        }
    }

    #[test]
    fn what_a_journal_does_wrong_is_an_error() {
        let failing =
            OwnJournal::new(|_: &CallContext, _: &str, _: &Json| Err("no connection".to_owned()));
        let error = failing.update(&context(), &test_entry("order-1")).unwrap_err();
        assert_eq!(error.to_string(), "the journal failed: no connection");
        let silent = OwnJournal::new(|_: &CallContext, _: &str, _: &Json| Ok(Json::Null));
        let error = silent.insert(&context(), &test_entry("order-1"), &[]).unwrap_err();
        assert_eq!(error.to_string(), "insert of the journal returned something unreadable");
        assert!(silent.find(&context(), &Filter::of_scope("x")).is_err());
        assert!(silent.prune(&context(), "x", Duration::ZERO).is_err());
    }
}
