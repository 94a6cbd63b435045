//! The token store in files across `fork`: workers that run as another user,
//! and parents that die.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_core::observer::{Event, EventKind, Observer};
use payments_core::token::{FileStore, TokenKey, TokenStore as _};
use payments_core::{CallContext, Client, ErrorKind};
use payments_fork_tests::{ChildEnd, become_nobody, fork, is_root, pay, sandbox_and_config};

use crate::child::is_alone;

const LIMIT: Duration = Duration::from_secs(60);

struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        Self(std::env::temp_dir().join(format!("payments-{test}-{}", std::process::id())))
    }

    fn allow(&self, mode: u32) {
        std::fs::set_permissions(&self.0, std::fs::Permissions::from_mode(mode)).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.allow(0o700);
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Records the failed actions of a store.
#[derive(Default)]
struct BypassRecorder(Mutex<Vec<&'static str>>);

impl Observer for BypassRecorder {
    fn on_event(&self, event: &Event<'_>) {
        if let EventKind::StoreBypassed { action, reason, .. } = event.kind {
            assert!(reason.contains("ermission denied"), "{reason}");
            self.0.lock().unwrap().push(action);
        }
    }
}

#[test]
fn a_worker_without_write_access_keeps_its_token_in_memory() {
    if !is_alone(a_worker_without_write_access_keeps_its_token_in_memory, &[]) {
        return;
    }
    let (sandbox, config) = sandbox_and_config();
    let folder = Folder::new("fork-users");
    let bypassed = Arc::new(BypassRecorder::default());
    let config = config.token_folder(&folder.0).observer(bypassed.clone());
    let client = Client::new(config).unwrap();
    let child = fork(LIMIT, || {
        // Root can write anywhere, so it becomes another user; any other user
        // revokes its own write permission.
        let is_root = is_root();
        if is_root {
            assert!(become_nobody());
        } else {
            folder.allow(0o500);
        }
        let paid = (0..3).all(|call| pay(&client, &format!("worker-{call}")));
        let actions = bypassed.0.lock().unwrap().clone();
        assert!(actions.contains(&if is_root { "load" } else { "lock" }), "{actions:?}");
        paid
    });
    assert_eq!(child.wait(), ChildEnd::Exited(0));
    assert_eq!(sandbox.token_requests(), 1, "one token served three calls");
    folder.allow(0o700);
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0, "nothing was written");
    assert!(pay(&client, "parent"));
    assert_eq!(*bypassed.0.lock().unwrap(), [""; 0], "the parent's store works");
    assert_eq!(sandbox.token_requests(), 2);
}

#[test]
fn a_folder_of_another_user_is_refused_with_advice() {
    if !is_alone(a_folder_of_another_user_is_refused_with_advice, &[]) {
        return;
    }
    let (_sandbox, config) = sandbox_and_config();
    let child = fork(LIMIT, || {
        assert!(!is_root() || become_nobody());
        // The folder belongs to root, as configured folders often do.
        let error = Client::new(config.token_folder("/")).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("token_store")));
        error.message().contains("belongs to another user; name a folder that belongs to this user")
    });
    assert_eq!(child.wait(), ChildEnd::Exited(0));
}

#[test]
fn a_lock_ends_with_the_parent_that_held_it() {
    if !is_alone(a_lock_ends_with_the_parent_that_held_it, &[]) {
        return;
    }
    let (sandbox, config) = sandbox_and_config();
    let folder = Folder::new("fork-dead-parent");
    let config = config.token_folder(&folder.0);
    let (mut here, mut there) = UnixStream::pair().unwrap();
    here.set_read_timeout(Some(LIMIT)).unwrap();
    there.set_read_timeout(Some(LIMIT)).unwrap();

    // The parent requests a token, which takes longer than this test.
    sandbox.configure(|config| config.latency = LIMIT);
    let parent = fork(LIMIT, || {
        let client = Client::new(config.clone()).unwrap();
        let fetching = client.clone();
        std::thread::spawn(move || pay(&fetching, "parent"));
        read_byte(&mut there);
        let child = fork(LIMIT, || {
            there.write_all(b"L").unwrap();
            read_byte(&mut there);
            let has_paid = pay(&client, "child");
            there.write_all(if has_paid { b"P" } else { b"F" }).is_ok()
        });
        child.wait() == ChildEnd::Exited(0)
    });
    while sandbox.stats().in_flight == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let settings = sandbox.config();
    let (id, secret) = (&settings.client_id, settings.client_secret.into());
    let key = TokenKey::new(sandbox.auth_url(), id, &secret);
    let store = FileStore::new(&folder.0).unwrap();
    let context = CallContext::with_timeout(LIMIT);
    assert_eq!(store.try_lock(&context, &key).unwrap(), None, "the parent holds the lock");
    here.write_all(b"F").unwrap();
    assert_eq!(read_byte(&mut here), b'L', "the child lives");
    assert_eq!(parent.kill(), ChildEnd::Killed(9));

    sandbox.configure(|config| config.latency = Duration::ZERO);
    let client = Client::new(config).unwrap();
    assert!(pay(&client, "somebody else"), "while the child lives, and waits");
    here.write_all(b"G").unwrap();
    assert_eq!(read_byte(&mut here), b'P', "the child pays too");
    assert_eq!(sandbox.token_requests(), 2, "the parent's, and one for the survivors");
}

/// Waits for one byte from the other end.
fn read_byte(end: &mut UnixStream) -> u8 {
    let mut byte = [0];
    end.read_exact(&mut byte).unwrap();
    byte[0]
}
