//! `Client::shared`: what is shared, and what never is.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use payments_core::jws::PublicKey;
use payments_core::observer::Event;
use payments_core::operations::QueryPayment;
use payments_core::signer::{GeneratedKey, generate_key};
use payments_core::{Client, Config, Error, ErrorKind};
use payments_sandbox::{Sandbox, SandboxConfig};

fn sandbox() -> Sandbox {
    Sandbox::start(SandboxConfig::default()).unwrap()
}

fn config(sandbox: &Sandbox) -> Config {
    let settings = sandbox.config();
    Config::new(sandbox.base_url()).client_credentials(
        sandbox.auth_url(),
        settings.client_id,
        settings.client_secret,
    )
}

/// The service does not know the payment: an answer is what counts here.
fn call(client: &Client) -> Result<(), Error> {
    match client.query_payment(&QueryPayment::by_hash("0f")) {
        Err(error) if error.kind() != ErrorKind::Rejected => Err(error),
        _ => Ok(()),
    }
}

fn public_key(key: &GeneratedKey) -> PublicKey {
    PublicKey::from_pem(&key.public_key_pem).unwrap()
}

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("payments-shared-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, contents).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_same_configuration_gives_the_same_client() {
    let sandbox = sandbox();
    for _ in 0..5 {
        call(&Client::shared(config(&sandbox)).unwrap()).unwrap();
    }
    assert_eq!((sandbox.token_requests(), sandbox.connections()), (1, 1));

    let other = config(&sandbox).query_retries(7);
    call(&Client::shared(other).unwrap()).unwrap();
    assert_eq!((sandbox.token_requests(), sandbox.connections()), (2, 2));
}

#[test]
fn threads_that_ask_at_once_get_one_client() {
    let sandbox = sandbox();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| call(&Client::shared(config(&sandbox)).unwrap()).unwrap());
        }
    });
    assert_eq!(sandbox.token_requests(), 1);
}

#[test]
fn a_changed_key_file_gives_a_new_client() {
    let (sandbox, folder) = (sandbox(), Folder::new());
    let (old, new) = (generate_key().unwrap(), generate_key().unwrap());
    let file = folder.write("key.pem", old.private_key_pem.expose());
    let shared = |file: &Path| Client::shared(config(&sandbox).signing_key_file(file, "rotated"));

    sandbox.register_key_as(&public_key(&old), "rotated");
    call(&shared(&file).unwrap()).unwrap();

    folder.write("key.pem", new.private_key_pem.expose());
    sandbox.register_key_as(&public_key(&new), "rotated");
    call(&shared(&file).unwrap()).unwrap();
    assert_eq!(sandbox.token_requests(), 2, "the new client has a token of its own");
}

#[test]
fn a_changed_secret_file_gives_a_new_client() {
    let (sandbox, folder) = (sandbox(), Folder::new());
    let file = folder.write("secret", "wrong\n");
    let json = format!(
        r#"{{"base_url": "{0}", "auth_url": "{0}", "client_id": "{1}", "client_secret_file": {2:?}}}"#,
        sandbox.base_url(),
        sandbox.config().client_id,
        file
    );
    let shared = || Client::shared(Config::from_json(json.as_bytes()).unwrap()).unwrap();
    let refused = call(&shared()).unwrap_err();
    assert_eq!((refused.kind(), refused.code()), (ErrorKind::Token, "credentials_refused"));
    folder.write("secret", &format!("{}\n", sandbox.config().client_secret));
    call(&shared()).unwrap();
}

#[test]
fn an_unreadable_file_is_an_error_and_never_the_old_client() {
    let (sandbox, folder) = (sandbox(), Folder::new());
    let key = generate_key().unwrap();
    let file = folder.write("key.pem", key.private_key_pem.expose());
    let shared = || Client::shared(config(&sandbox).signing_key_file(&file, "kid"));
    shared().unwrap();
    std::fs::remove_file(&file).unwrap();
    let error = shared().unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("key_file")));
}

#[test]
fn the_client_that_was_idle_for_longest_is_dropped() {
    let sandbox = sandbox();
    let numbered = |number: u32| Client::shared(config(&sandbox).query_retries(100 + number));
    call(&numbered(0).unwrap()).unwrap();
    call(&numbered(1).unwrap()).unwrap();
    assert_eq!(sandbox.token_requests(), 2);
    // The registry keeps 64; number 0 stays in use, number 1 is idle.
    for number in 2..90 {
        numbered(number).unwrap();
        call(&numbered(0).unwrap()).unwrap();
    }
    assert_eq!(sandbox.token_requests(), 2, "the one in use was kept");
    call(&numbered(1).unwrap()).unwrap();
    assert_eq!(sandbox.token_requests(), 3, "the idle one was dropped and made anew");
}

#[test]
fn a_client_with_a_callback_is_never_shared_but_its_token_and_connections_are() {
    let sandbox = sandbox();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let with_observer = |name: &'static str| {
        let seen = Arc::clone(&seen);
        let observer = move |event: &Event<'_>| {
            if let Event::RequestEnded { .. } = event {
                seen.lock().unwrap().push(name);
            }
        };
        Client::shared(config(&sandbox).observer(Arc::new(observer))).unwrap()
    };
    call(&with_observer("first")).unwrap();
    call(&Client::shared(config(&sandbox)).unwrap()).unwrap();
    call(&with_observer("second")).unwrap();
    call(&Client::shared(config(&sandbox)).unwrap()).unwrap();
    assert_eq!(*seen.lock().unwrap(), ["first", "second"], "no callback outlives its client");
    assert_eq!((sandbox.token_requests(), sandbox.connections()), (1, 1));
}
