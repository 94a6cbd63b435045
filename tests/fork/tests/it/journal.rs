//! A journal across `fork`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use payments_core::journal::{EntryState, SqliteJournal};
use payments_core::{CallContext, Client, Config, ErrorKind, Outcome};
use payments_fork_tests::{ChildEnd, fork, pay, payment, sandbox_and_config};

use crate::child::is_alone;
use crate::journal_lock::JournalLock;

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn a_child_uses_the_journal_unless_its_parent_was_writing() {
    if !is_alone(a_child_uses_the_journal_unless_its_parent_was_writing, &[]) {
        return;
    }
    let (sandbox, config) = sandbox_and_config();
    let folder = std::env::temp_dir().join(format!("payments-fork-{}", std::process::id()));
    let path = folder.join("journal.db");
    SqliteJournal::create(&path).unwrap();
    let client = Client::new(config.journal_file(&path).timeout(LIMIT)).unwrap();
    assert!(pay(&client, "parent"));
    assert_eq!(fork(LIMIT, || pay(&client, "child of an idle parent")).wait(), ChildEnd::Exited(0));

    let lock = JournalLock::take(&path);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| pay(&client, "parent while it forks"));
        // Until the writer has the turn, a child waits for the lock itself.
        let is_refused = || {
            let context = CallContext::with_timeout(Duration::from_millis(300));
            let refused = client.execute(&payment("refused"), &context).unwrap_err();
            assert_eq!(
                (refused.kind(), refused.outcome()),
                (ErrorKind::Journal, Outcome::NotExecuted)
            );
            refused.code().as_str() == "forked"
                && refused.message().contains("fork before the first call")
        };
        let began = Instant::now();
        while fork(LIMIT, is_refused).wait() != ChildEnd::Exited(0) {
            assert!(began.elapsed() < LIMIT, "no child is refused");
        }
        drop(lock);
        assert!(writer.join().unwrap(), "the parent's call goes on");
    });
    let entries =
        payments_host::journal::list(&client, false, None, &client.context()).unwrap().entries;
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(entries.iter().all(|entry| entry.state == EntryState::Done), "{entries:?}");
    assert_eq!((entries.len(), sandbox.payments().len()), (3, 3));
}

#[test]
fn a_child_does_not_hang_if_its_parent_was_making_a_client() {
    if !is_alone(a_child_does_not_hang_if_its_parent_was_making_a_client, &[]) {
        return;
    }
    let folder = std::env::temp_dir().join(format!("payments-forks-{}", std::process::id()));
    let path = folder.join("journal.db");
    SqliteJournal::create(&path).unwrap();
    let new_client = || Client::new(Config::new("http://127.0.0.1:1").journal_file(&path));
    let client = new_client().unwrap();
    let works_or_is_refused = || {
        let listed =
            payments_host::journal::list(&client, false, None, &client.context()).map(drop);
        let results = [listed, new_client().map(drop)];
        results.into_iter().filter_map(Result::err).all(|error| error.code().as_str() == "forked")
    };
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    new_client().unwrap();
                }
            });
        }
        let mut ends = (0..300).map(|_| fork(LIMIT, works_or_is_refused).wait());
        let wrong = ends.find(|end| *end != ChildEnd::Exited(0));
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(wrong, None);
    });
    assert_eq!(fork(LIMIT, || new_client().is_ok()).wait(), ChildEnd::Exited(0));
    std::fs::remove_dir_all(&folder).unwrap();
}
