//! A software HSM: SoftHSM with a separate token for each test, behind a module
//! that fails on command.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use cryptoki::context::Pkcs11;
use cryptoki::object::{Attribute, ObjectClass};

use super::child;

/// The directory of the HSM, in a child process that runs a test.
const FOLDER: &str = "PAYMENTS_TEST_HSM";
pub const TOKEN: &str = "payments";
pub const PIN: &str = "canary-pin-27182";
pub const SO_PIN: &str = "canary-so-pin-31415";

/// The keys in the token: label, id, file.
const KEYS: [(&str, &str, &str); 8] = [
    ("signing", "a1", "test_rsa_4096_pkcs8.pem"),
    ("other", "0b", "test_other_rsa_4096_pkcs8.pem"),
    ("small", "20", "test_rsa_2048_pkcs8.pem"),
    ("tiny", "10", "refused_rsa_1024_pkcs8.pem"),
    ("large", "82", "refused_rsa_8192_pkcs8.pem"),
    ("curve", "ec", "refused_ec_p256_pkcs8.pem"),
    ("twins", "71", "test_rsa_2048_pkcs8.pem"),
    ("twins", "72", "test_rsa_3072_pkcs8.pem"),
];

/// A token with keys.
pub struct Hsm {
    folder: PathBuf,
}

impl Hsm {
    /// Runs `work` with an HSM. SoftHSM finds its files through an environment
    /// variable, and modules are per process, so `test` runs again in a child
    /// process, which does the work. `settings` are lines of SoftHSM's
    /// configuration.
    pub fn run(test: impl Fn(), settings: &str, work: impl FnOnce(&Self)) {
        if let Some(folder) = std::env::var_os(FOLDER) {
            return work(&Self { folder: folder.into() });
        }
        let hsm = Self::make(settings);
        let mut command = child::command(test);
        command
            .env(FOLDER, &hsm.folder)
            .env("SOFTHSM2_CONF", hsm.file("softhsm2.conf"))
            .env("PAYMENTS_HSM_FAULTS", hsm.file("faults"))
            .env("PAYMENTS_HSM_REAL_MODULE", module())
            .env("PAYMENTS_PKCS11_PIN", PIN);
        child::must_pass(&mut command);
        std::fs::remove_dir_all(&hsm.folder).unwrap();
    }

    fn make(settings: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("payments-hsm-{}-{number}", std::process::id());
        let hsm = Self { folder: std::env::temp_dir().join(name) };
        std::fs::create_dir_all(hsm.file("tokens")).unwrap();
        let tokens = hsm.file("tokens");
        let configuration = format!(
            "directories.tokendir = {}\nobjectstore.backend = file\nlog.level = ERROR\n{settings}\n",
            tokens.display()
        );
        std::fs::write(hsm.file("softhsm2.conf"), configuration).unwrap();
        hsm.add_token(TOKEN);
        for (label, id, file) in KEYS {
            hsm.import_key(file, label, id);
        }
        hsm.import(&key("test_rsa_4096_pkcs8.pem"), "without-public", "4e", &["--no-public-key"]);
        std::fs::write(hsm.file("secret.bin"), [7; 32]).unwrap();
        hsm.import(&hsm.file("secret.bin"), "secret", "5e", &["--aes"]);
        hsm
    }

    pub fn add_token(&self, label: &str) {
        self.util(&["--init-token", "--free", "--label", label, "--so-pin", SO_PIN, "--pin", PIN]);
    }

    /// Imports one of the keys of the tests, in addition to those with its id.
    pub fn import_key(&self, file: &str, label: &str, id: &str) {
        self.import(&key(file), label, id, &["--force"]);
    }

    fn import(&self, file: &Path, label: &str, id: &str, options: &[&str]) {
        let file = file.to_str().unwrap();
        let of_key = ["--import", file, "--token", TOKEN, "--label", label, "--id", id];
        self.util(&[&of_key, &["--pin", PIN][..], options].concat());
    }

    fn util(&self, arguments: &[&str]) {
        let output = Command::new("softhsm2-util")
            .args(arguments)
            .env("SOFTHSM2_CONF", self.file("softhsm2.conf"))
            .output()
            .expect("softhsm2-util is missing: install softhsm2, or run scripts/setup.sh core");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "softhsm2-util {arguments:?}: {said}");
    }

    /// Deletes a private key, and leaves its public key. The process has logged in.
    pub fn delete_key(&self, label: &str) {
        let module = Pkcs11::new(module()).unwrap();
        let slots = module.get_slots_with_initialized_token().unwrap();
        let session = module.open_rw_session(slots[0]).unwrap();
        let class = Attribute::Class(ObjectClass::PRIVATE_KEY);
        let found = session.find_objects(&[class, Attribute::Label(label.into())]).unwrap();
        session.destroy_object(found[0]).unwrap();
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.file(name), contents).unwrap();
        self.file(name)
    }

    /// Builds a shared library from C.
    pub fn build(&self, name: &str, source: &Path) -> PathBuf {
        let library = self.file(name);
        let status = Command::new("gcc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .args([&library, source])
            .args(["-ldl", "-lpthread"])
            .status();
        assert!(status.expect("gcc is missing: run scripts/setup.sh core").success());
        library
    }

    /// Builds the module that fails on command.
    pub fn faulty_module(&self) -> PathBuf {
        let source = self.write("faulty.c", include_str!("faulty_module.c"));
        self.build("faulty.so", &source)
    }

    /// Sets the faults of the module from now on.
    pub fn faults(&self, lines: &str) {
        self.write("faults", lines);
        let _ = std::fs::remove_file(self.file("faults.log"));
        let _ = std::fs::remove_file(self.file("faults.signed"));
    }

    /// The bytes that the module signed since `faults` was last set, in
    /// hexadecimal.
    pub fn signed(&self) -> Vec<String> {
        let signed = std::fs::read_to_string(self.file("faults.signed")).unwrap_or_default();
        signed.lines().map(str::to_owned).collect()
    }

    /// How often `call` reached the module since `faults` was last set.
    pub fn count(&self, call: &str) -> usize {
        let log = std::fs::read_to_string(self.file("faults.log")).unwrap_or_default();
        log.lines().filter(|line| line.split(' ').next() == Some(call)).count()
    }

    /// How many sessions were opened and not closed since `faults` was last
    /// set.
    pub fn sessions(&self) -> usize {
        self.count("open_session") - self.count("close_session")
    }
}

/// SoftHSM's module.
pub fn module() -> PathBuf {
    let places = [
        "/usr/lib/softhsm/libsofthsm2.so",
        "/usr/lib64/softhsm/libsofthsm2.so",
        "/usr/local/lib/softhsm/libsofthsm2.so",
        "/usr/lib64/pkcs11/libsofthsm2.so",
    ];
    let found = places.iter().map(PathBuf::from).find(|path| path.exists());
    found.expect("libsofthsm2.so is missing: install softhsm2, or run scripts/setup.sh core")
}

fn key(name: &str) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The package of the fork tests is in `tests` itself.
    let keys = ["../tests/vectors/keys", "../vectors/keys"].map(|keys| package.join(keys));
    keys.iter().find(|keys| keys.exists()).expect("the keys of the tests").join(name)
}
