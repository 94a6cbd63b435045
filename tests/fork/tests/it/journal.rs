//! A journal across `fork`.

use std::time::{Duration, Instant};

use payments_core::journal::{SqliteJournal, State};
use payments_core::{CallContext, Client, ErrorKind, Outcome};
use payments_fork_tests::{Ended, fork, pay, payment, sandbox_and_config};

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
    assert_eq!(fork(LIMIT, || pay(&client, "child of an idle parent")).wait(), Ended::Exited(0));

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
            refused.code() == "forked" && refused.message().contains("fork before the first call")
        };
        let began = Instant::now();
        while fork(LIMIT, is_refused).wait() != Ended::Exited(0) {
            assert!(began.elapsed() < LIMIT, "no child is refused");
        }
        drop(lock);
        assert!(writer.join().unwrap(), "the parent's call goes on");
    });
    let entries = client.list_journal(false, None, &client.context()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(entries.iter().all(|entry| entry.state == State::Done), "{entries:?}");
    assert_eq!((entries.len(), sandbox.payments().len()), (3, 3));
}
