//! A journal that another language keeps.

use payments_core::CallContext;
use payments_core::journal::{Counted, Entry, Filter, Found, Journal, JournalError, Updated};
use payments_core::json::{Json, Members};

/// A journal behind one function, with JSON in and out.
///
/// The function gets the name of an action and its input, and returns the
/// result, or a text that says why the journal does not work:
///
/// | Action | Input | Result |
/// |---|---|---|
/// | `insert` | `entry` | whether it was inserted |
/// | `update` | `entry` | `changed` (a flag), and `taken_by` (an id) if that entry has taken the reference |
/// | `find` | `scope`, `id`, `reference`, `hash`, `is_open`, `after`, `limit`; those without a value are null | `now` and `entries` |
/// | `count` | `scope` and `before` | `now`, `newest` (or null), `done`, `failed` and `open` |
/// | `prune` | `scope`, `before` and `limit` | how many entries were deleted |
///
/// Each is like the method of [`Journal`]. An entry has the members of
/// [`Entry`].
pub struct OwnJournal<F>(F);

/// Why an action of a journal in another language failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnJournalFailure {
    /// Why, without secrets.
    pub problem: String,
    /// Whether its commit was under way: its change may appear later. `None` if
    /// the journal does not say.
    pub during_commit: Option<bool>,
}

impl From<String> for OwnJournalFailure {
    fn from(problem: String) -> Self {
        Self { problem, during_commit: None }
    }
}

impl From<OwnJournalFailure> for JournalError {
    fn from(OwnJournalFailure { problem, during_commit }: OwnJournalFailure) -> Self {
        let error = Self::new(format!("the journal failed: {problem}"));
        match during_commit {
            Some(true) => error.during_commit(),
            Some(false) => error.before_commit(),
            None => error,
        }
    }
}

impl<F> OwnJournal<F>
where
    F: Fn(&CallContext, &str, &Json) -> Result<Json, OwnJournalFailure> + Send + Sync,
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
        let result = (self.0)(context, action, &input.into())?;
        read(&result).ok_or_else(|| {
            let message = format!("{action} of the journal returned something unreadable");
            JournalError::new(message)
        })
    }
}

impl<F> Journal for OwnJournal<F>
where
    F: Fn(&CallContext, &str, &Json) -> Result<Json, OwnJournalFailure> + Send + Sync,
{
    fn insert(&self, context: &CallContext, entry: &Entry) -> Result<bool, JournalError> {
        self.act(context, "insert", Members::from([("entry", entry.to_json())]), Json::as_bool)
    }

    fn update(&self, context: &CallContext, entry: &Entry) -> Result<Updated, JournalError> {
        let input = Members::from([("entry", entry.to_json())]);
        self.act(context, "update", input, |result| {
            let taken_by = result.get("taken_by").filter(|it| !it.is_null());
            match (result.get("changed")?.as_bool()?, taken_by) {
                (true, None) => Some(Updated::Changed),
                (false, None) => Some(Updated::ChangedMeanwhile),
                (false, Some(id)) => id.as_str().map(|id| Updated::TakenBy(id.to_owned())),
                (true, Some(_)) => None,
            }
        })
    }

    fn find(&self, context: &CallContext, filter: &Filter) -> Result<Found, JournalError> {
        self.act(context, "find", filter.to_members(), |result| {
            let now = result.get("now")?.as_u64()?;
            let entries = result.get("entries")?.as_array()?;
            let entries = entries.iter().map(Entry::from_json).collect::<Option<Vec<_>>>()?;
            answers(&entries, filter).then_some(Found { now, entries })
        })
    }

    fn count(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
    ) -> Result<Counted, JournalError> {
        let mut input = Members::from([("scope", scope)]);
        input.push("before", before);
        self.act(context, "count", input, Counted::from_json)
    }

    fn prune(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
        limit: u32,
    ) -> Result<u64, JournalError> {
        let mut input = Members::from([("scope", scope)]);
        input.push("before", before);
        input.push("limit", u64::from(limit));
        self.act(context, "prune", input, Json::as_u64)
    }
}

/// Whether these are entries that the filter wants, in their order.
fn answers(entries: &[Entry], filter: &Filter) -> bool {
    let mut before = filter.after.as_deref();
    entries.iter().all(|entry| {
        entry.scope == filter.scope
            && filter.names(entry)
            && before.replace(&entry.id).is_none_or(|before| before < &*entry.id)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;

    fn context() -> CallContext {
        CallContext::with_timeout(Duration::from_secs(60))
    }

    #[test]
    fn actions_get_json_and_return_json() {
        let asked = Mutex::new(Vec::new());
        let entry = Entry::of_test("order-1");
        let journal = OwnJournal::new(|_: &CallContext, action: &str, input: &Json| {
            asked.lock().unwrap().push(format!("{action} {}", input.to_text()));
            Ok(match action {
                "insert" => Json::from(true),
                "update" => Members::from([("changed", true)]).into(),
                "find" => {
                    let mut found = Members::from([("now", 7_u64)]);
                    found.push("entries", vec![entry.to_json()]);
                    found.into()
                }
                "count" => {
                    Json::parse(br#"{"now":9,"newest":8,"done":1,"failed":2,"open":3}"#).unwrap()
                }
                _ => Json::from(2_u64),
            })
        });
        let (context, scope) = (context(), "api.example");
        assert!(journal.insert(&context, &entry).unwrap());
        assert_eq!(journal.update(&context, &entry).unwrap(), Updated::Changed);
        let found = journal.find(&context, &Filter::of_scope(scope)).unwrap();
        assert_eq!((found.now, found.entries), (7, vec![entry.clone()]));
        let counted = Counted { now: 9, newest: Some(8), done: 1, failed: 2, open: 3 };
        assert_eq!(journal.count(&context, scope, 5).unwrap(), counted);
        assert_eq!(journal.prune(&context, scope, 5, 10).unwrap(), 2);
        let text = entry.to_json().to_text();
        assert_eq!(
            *asked.lock().unwrap(),
            [
                format!(r#"insert {{"entry":{text}}}"#),
                format!(r#"update {{"entry":{text}}}"#),
                r#"find {"scope":"api.example","id":null,"reference":null,"hash":null,"is_open":false,"after":null,"limit":1000}"#.to_owned(),
                r#"count {"scope":"api.example","before":5}"#.to_owned(),
                r#"prune {"scope":"api.example","before":5,"limit":10}"#.to_owned(),
            ]
        );
    }

    #[test]
    fn an_update_has_exactly_one_result() {
        let entry = Entry::of_test("order-1");
        for (answer, expected) in [
            (r#"{"changed":true,"taken_by":null}"#, Some(Updated::Changed)),
            (r#"{"changed":false}"#, Some(Updated::ChangedMeanwhile)),
            (r#"{"changed":false,"taken_by":"2"}"#, Some(Updated::TakenBy("2".to_owned()))),
            (r#"{"changed":true,"taken_by":"2"}"#, None),
            (r#"{"changed":false,"taken_by":2}"#, None),
            ("true", None),
        ] {
            let journal = OwnJournal::new(|_: &CallContext, _: &str, _: &Json| {
                Ok(Json::parse(answer.as_bytes()).unwrap())
            });
            assert_eq!(journal.update(&context(), &entry).ok(), expected, "{answer}");
        }
    }

    #[test]
    fn an_answer_to_another_question_is_unreadable() {
        let entry = Entry::of_test("order-1");
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
        assert!(answers(one, Filter { id: id.clone(), reference: reference.clone(), ..all() }));
        let hash = Some("5a".to_owned());
        let hashed = Entry { reference: "order-2".to_owned(), hash: hash.clone(), ..later.clone() };
        assert!(answers(&[entry.clone(), hashed], Filter { reference, hash, ..all() }));
        assert!(answers(&[entry.clone(), later.clone()], all()));
        assert!(answers(std::slice::from_ref(&later), Filter { after: id.clone(), ..all() }));
        for (entries, filter) in [
            (one, Filter::of_scope("other.example")),
            (one, Filter { id: Some(later.id.clone()), ..all() }),
            (one, Filter { reference: Some("order-2".to_owned()), ..all() }),
            (one, Filter { hash: Some("5b".to_owned()), ..all() }),
            (one, Filter { after: id, ..all() }),
            (&[later.clone(), entry.clone()], all()),
        ] {
            assert!(!answers(entries, filter.clone()), "{filter:?}");
        }
    }

    #[test]
    fn a_mistake_of_a_journal_is_an_error() {
        let failing = OwnJournal::new(|_: &CallContext, _: &str, _: &Json| {
            Err("no connection".to_owned().into())
        });
        let error = failing.update(&context(), &Entry::of_test("order-1")).unwrap_err();
        assert_eq!(error.to_string(), "the journal failed: no connection");
        let silent = OwnJournal::new(|_: &CallContext, _: &str, _: &Json| Ok(Json::Null));
        let error = silent.insert(&context(), &Entry::of_test("order-1")).unwrap_err();
        assert_eq!(error.to_string(), "insert of the journal returned something unreadable");
        assert!(silent.find(&context(), &Filter::of_scope("x")).is_err());
        assert!(silent.prune(&context(), "x", 1, 1).is_err());
        assert!(silent.count(&context(), "x", 1).is_err());
    }
}
