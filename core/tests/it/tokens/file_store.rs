//! The file token store, when something goes wrong with files or processes.

#![cfg(unix)]

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_core::token::{Fence, FileStore, Token, TokenEntry, TokenKey, TokenStore};
use payments_core::{CallContext, Client, Config};
use payments_sandbox::{Sandbox, SandboxConfig};

use crate::support::child;
use crate::support::folder::Folder;

/// The task of a child process.
const CHILD: &str = "PAYMENTS_FILE_STORE_CHILD";

impl Folder {
    fn store(&self) -> FileStore {
        FileStore::new(self.path()).unwrap()
    }

    fn entry_file(&self) -> PathBuf {
        self.path().join(format!("{}.json", key().as_str()))
    }
}

fn key() -> TokenKey {
    TokenKey::new("https://auth.example", "client", &"secret".into())
}

fn context() -> CallContext {
    CallContext::with_timeout(Duration::from_secs(30))
}

fn entry(value: &str) -> TokenEntry {
    let token =
        Token { value: value.into(), obtained_at: 1, expires_at: 2, members: Default::default() };
    TokenEntry { token: Some(token), ..TokenEntry::default() }
}

fn save(store: &FileStore, value: &str, fence: u64) -> bool {
    store.save(&context(), &key(), &entry(value), Fence(fence)).unwrap()
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().mode() & 0o777
}

/// Runs `test` in a child process, through a shell command that ends in `"$@"`.
fn in_child(test: impl Fn(), what: &str, folder: &Folder, shell: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", shell, "sh"]).arg(std::env::current_exe().unwrap());
    command.args(child::only(test)).env(CHILD, what).env("FOLDER", folder.path());
    command
}

fn child_store() -> FileStore {
    FileStore::new(std::env::var_os("FOLDER").unwrap()).unwrap()
}

#[test]
fn only_the_owner_may_see_folder_and_files() {
    let folder = Folder::new();
    let store = folder.store();
    let fence = store.try_lock(&context(), &key()).unwrap().unwrap();
    assert!(save(&store, "token", fence.0));
    assert_eq!(mode(folder.path()), 0o700);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
    assert_eq!(store.load(&context(), &key()).unwrap(), entry("token"));
}

#[test]
fn a_folder_that_others_may_see_is_refused_with_advice() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path()).unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let error = FileStore::new(folder.path()).unwrap_err();
    assert_eq!((error.path(), error.code().as_str()), (Some("token_store"), "token_store_failed"));
    assert!(error.message().contains("accessible to others (mode 755)"), "{error}");
}

#[test]
fn links_are_not_followed() {
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let store = folder.store();
    std::fs::create_dir(elsewhere.path()).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("link")).unwrap();
    assert!(FileStore::new(folder.path().join("link")).is_err());

    let target = elsewhere.path().join("target");
    std::fs::write(&target, "{}").unwrap();
    std::os::unix::fs::symlink(&target, folder.entry_file()).unwrap();
    assert_eq!(store.load(&context(), &key()).unwrap(), TokenEntry::default());
    assert!(save(&store, "token", 1));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "{}", "the link was replaced");
    assert_eq!(store.load(&context(), &key()).unwrap(), entry("token"));
}

#[test]
fn spoiled_files_count_as_empty_and_heal() {
    let folder = Folder::new();
    let store = folder.store();
    let spoiled: [&[u8]; 6] = [b"", b"{", b"\0\0\0\0", b"[1]", b"{\"fence\":1}", &[0xff; 100]];
    for (round, contents) in (1..).zip(spoiled) {
        std::fs::write(folder.entry_file(), contents).unwrap();
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(folder.entry_file(), mode).unwrap();
        assert_eq!(store.load(&context(), &key()).unwrap(), TokenEntry::default());
        assert!(save(&store, "token", 100 + round));
        assert_eq!(store.load(&context(), &key()).unwrap(), entry("token"));
    }
    // A file that others can access may have been written by them.
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(folder.entry_file(), open).unwrap();
    assert_eq!(store.load(&context(), &key()).unwrap(), TokenEntry::default());
    assert!(save(&store, "token", 200));
    assert_eq!(mode(&folder.entry_file()), 0o600);
}

#[test]
fn a_spoiled_lock_file_gives_no_number_twice() {
    let folder = Folder::new();
    let store = folder.store();
    let first = store.try_lock(&context(), &key()).unwrap().unwrap();
    assert_eq!(store.try_lock(&context(), &key()).unwrap(), None, "within one process");
    assert!(save(&store, "token", first.0));
    store.unlock(&key(), first);
    std::fs::write(folder.path().join(format!("{}.lock", key().as_str())), "nonsense").unwrap();
    let second = store.try_lock(&context(), &key()).unwrap().unwrap();
    assert!(second > first);
    assert!(save(&store, "newer", second.0));
    assert!(!save(&store, "late", first.0), "a late saver does not overwrite");
    assert!(!store.delete_if(&context(), &key(), &"late".into()).unwrap());
    assert!(store.delete_if(&context(), &key(), &"newer".into()).unwrap());
    assert_eq!(store.load(&context(), &key()).unwrap(), TokenEntry::default());
}

#[test]
fn each_lock_has_a_higher_number_and_its_holder_may_save_again() {
    let folder = Folder::new();
    let store = folder.store();
    let lock = || store.try_lock(&context(), &key()).unwrap().unwrap();
    let numbers = [(); 3].map(|()| {
        let fence = lock();
        store.unlock(&key(), fence);
        fence
    });
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    let fence = lock();
    assert!(save(&store, "token", fence.0));
    assert!(save(&store, "newer", fence.0));
    assert_eq!(store.load(&context(), &key()).unwrap(), entry("newer"));
    store.unlock(&key(), fence);
}

/// With two handles, closing one would release the lock of the other.
#[test]
fn a_folder_is_locked_once_however_it_is_spelled() {
    let (folder, parent) = (Folder::new(), Folder::new());
    let store = folder.store();
    let name = folder.path().file_name().unwrap();
    std::os::unix::fs::symlink(folder.path().parent().unwrap(), parent.path()).unwrap();
    let roundabout = folder.path().join("..").join(name);
    for spelling in [parent.path().join(name), roundabout] {
        let other = FileStore::new(spelling).unwrap();
        let fence = store.try_lock(&context(), &key()).unwrap().unwrap();
        assert_eq!(other.try_lock(&context(), &key()).unwrap(), None);
        store.unlock(&key(), fence);
        let fence = other.try_lock(&context(), &key()).unwrap().unwrap();
        assert_eq!(store.try_lock(&context(), &key()).unwrap(), None);
        other.unlock(&key(), fence);
    }
    std::fs::remove_file(parent.path()).unwrap();
}

/// In a child process, because all threads share the working directory.
#[test]
fn a_relative_path_means_the_folder_that_it_meant_at_first() {
    if std::env::var_os(CHILD).is_none() {
        let folder = Folder::new();
        std::fs::create_dir(folder.path()).unwrap();
        let status = in_child(
            a_relative_path_means_the_folder_that_it_meant_at_first,
            "move",
            &folder,
            "exec \"$@\" >/dev/null",
        )
        .status()
        .unwrap();
        assert!(status.success());
        return;
    }
    let folder = PathBuf::from(std::env::var_os("FOLDER").unwrap());
    for name in ["first", "second"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    std::env::set_current_dir(folder.join("first")).unwrap();
    let store = FileStore::new("tokens").unwrap();
    let absolute = FileStore::new(folder.join("first/tokens")).unwrap();
    let shared = || {
        let config = Config::new("https://api.example");
        let config = config.client_credentials("https://auth.example", "id", "secret");
        Client::shared(config.token_folder("tokens")).unwrap()
    };
    shared();
    std::env::set_current_dir(folder.join("second")).unwrap();
    let fence = store.try_lock(&context(), &key()).unwrap().unwrap();
    assert!(save(&store, "token", fence.0));
    assert_eq!(absolute.load(&context(), &key()).unwrap(), entry("token"));
    assert_eq!(absolute.try_lock(&context(), &key()).unwrap(), None);
    assert!(!folder.join("second/tokens").exists());
    shared();
    assert!(folder.join("second/tokens").exists(), "another folder is another configuration");
}

#[test]
fn a_process_killed_while_it_saves_leaves_a_usable_file() {
    if std::env::var_os(CHILD).is_some() {
        let store = child_store();
        println!("ready");
        for round in 1_u64.. {
            let fence = store.try_lock(&context(), &key()).unwrap();
            save(&store, &format!("token-{}", "x".repeat(2000)), fence.unwrap().0);
            store.unlock(&key(), fence.unwrap());
            assert!(round < 10_000_000);
        }
    }
    let folder = Folder::new();
    let store = folder.store();
    let mut point = 0_u64;
    for round in 0..200 {
        let mut command = in_child(
            a_process_killed_while_it_saves_leaves_a_usable_file,
            "save",
            &folder,
            "exec \"$@\"",
        );
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        wait_for(child.stdout.as_mut().unwrap(), "ready");
        // Varies the delay in the same way in every run.
        point = (point * 6_364_136_223 + 1_442_695_041) % 3_000;
        std::thread::sleep(Duration::from_micros(point));
        child.kill().unwrap();
        child.wait().unwrap();
        let loaded = store.load(&context(), &key()).unwrap().token.map(|token| token.value);
        let length = loaded.map(|value| value.expose().len());
        assert!(matches!(length, None | Some(4 | 2006)), "{round}: {length:?}");
        let fence = store.try_lock(&context(), &key()).unwrap();
        let fence = fence.expect("the lock of a dead process does not block");
        assert!(save(&store, "mine", fence.0), "{round}");
        assert_eq!(store.load(&context(), &key()).unwrap(), entry("mine"));
        store.unlock(&key(), fence);
    }
}

fn wait_for(output: &mut impl std::io::Read, word: &str) {
    let mut seen = String::new();
    let mut byte = [0];
    while !seen.ends_with(word) {
        assert_eq!(output.read(&mut byte).unwrap(), 1, "{seen}");
        seen.push(char::from(byte[0]));
    }
}

#[test]
fn another_process_that_holds_the_lock_is_respected() {
    if std::env::var_os(CHILD).is_some() {
        let fence = child_store().try_lock(&context(), &key()).unwrap();
        println!("{}", if fence.is_some() { "taken" } else { "refused" });
        std::thread::sleep(Duration::from_secs(60));
        return;
    }
    let folder = Folder::new();
    let store = folder.store();
    let mut command =
        in_child(another_process_that_holds_the_lock_is_respected, "lock", &folder, "exec \"$@\"");
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    wait_for(child.stdout.as_mut().unwrap(), "taken");
    assert_eq!(store.try_lock(&context(), &key()).unwrap(), None);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(store.try_lock(&context(), &key()).unwrap().is_some());
}

#[test]
fn a_full_disk_is_reported_and_leaves_the_old_file() {
    if std::env::var_os(CHILD).is_some() {
        let store = child_store();
        let error = store.save(&context(), &key(), &entry("new"), Fence(9)).unwrap_err();
        assert!(error.to_string().contains("could not write"), "{error}");
        return;
    }
    let folder = Folder::new();
    let store = folder.store();
    assert!(save(&store, "old", 1));
    // Files cannot grow, and the signal that reports it is ignored.
    let shell = "trap '' XFSZ; ulimit -f 0; exec \"$@\" >/dev/null";
    assert!(
        in_child(a_full_disk_is_reported_and_leaves_the_old_file, "full", &folder, shell)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(store.load(&context(), &key()).unwrap(), entry("old"));
    let left = std::fs::read_dir(folder.path())
        .unwrap()
        .filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().ends_with(".tmp"));
    assert_eq!(left.count(), 0, "nothing half-written is left");
}

#[test]
fn with_a_key_the_files_show_no_token_and_another_key_heals() {
    let sandbox = Sandbox::start(SandboxConfig::default()).unwrap();
    let folder = Folder::new();
    let token = |key: Option<[u8; 32]>| {
        let settings = sandbox.config();
        let (id, secret) = (settings.client_id, settings.client_secret);
        let mut config = Config::new(sandbox.base_url())
            .client_credentials(sandbox.auth_url(), id, secret)
            .token_folder(folder.path());
        if let Some(key) = key {
            config = config.token_store_key(STANDARD.encode(key));
        }
        let client = Client::new(config).unwrap();
        client.access_token(&client.context()).unwrap().value.expose().to_owned()
    };
    let is_in_files = |text: &str| {
        std::fs::read_dir(folder.path()).unwrap().any(|file| {
            let contents = std::fs::read(file.unwrap().path()).unwrap();
            contents.windows(text.len()).any(|part| part == text.as_bytes())
        })
    };
    let plain = token(None);
    assert!(is_in_files(&plain), "or this test shows nothing");
    let encrypted = token(Some([1; 32]));
    assert_ne!(encrypted, plain);
    assert_eq!(token(Some([1; 32])), encrypted);
    assert!(!is_in_files(&encrypted) && !is_in_files(&plain));
    assert_ne!(token(Some([2; 32])), encrypted);
    assert_eq!(sandbox.token_requests(), 3);
}
