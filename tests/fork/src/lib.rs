//! Forks, and clients to use across a fork.
//!
//! Guaranteed: a client that was created and used before `fork` works in the
//! parent and in the children, and they share no connection, lock or parsed
//! key. Only tried, by `cargo run -p payments-fork-tests`: a fork while other
//! threads sign and fetch, since that depends on the state inside libc and
//! aws-lc.

use std::time::Duration;

use payments_core::request::{CreatePayment, Payment};
use payments_core::signer::generate_key;
use payments_core::{Client, Config, Environment};
use payments_sandbox::{Sandbox, SandboxConfig};

/// How a child ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChildEnd {
    /// With this exit code.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

/// A child process.
#[derive(Clone, Copy, Debug)]
pub struct Child(libc::pid_t);

impl Child {
    /// Waits until the child ends.
    pub fn wait(self) -> ChildEnd {
        let mut status = 0;
        // SAFETY: the pid is that of a child of this process, and `status` is a
        // local.
        while unsafe { libc::waitpid(self.0, &mut status, 0) } == -1 {}
        if libc::WIFEXITED(status) {
            ChildEnd::Exited(libc::WEXITSTATUS(status))
        } else {
            ChildEnd::Killed(libc::WTERMSIG(status))
        }
    }

    /// Kills the child and waits until it is gone.
    pub fn kill(self) -> ChildEnd {
        // SAFETY: the pid is that of a child of this process that was not
        // waited for, so it cannot have been reused.
        unsafe { libc::kill(self.0, libc::SIGKILL) };
        self.wait()
    }
}

/// Whether this process runs as root.
pub fn is_root() -> bool {
    // SAFETY: takes no pointer and only reads the user id.
    unsafe { libc::geteuid() == 0 }
}

/// Switches this process from root to `nobody`, as servers do for their
/// workers. Returns whether that worked.
pub fn become_nobody() -> bool {
    const NOBODY: u32 = 65_534;
    // SAFETY: changes the ids of this process; the list of groups is empty.
    unsafe {
        libc::setgroups(0, std::ptr::null()) == 0
            && libc::setgid(NOBODY) == 0
            && libc::setuid(NOBODY) == 0
    }
}

/// Makes the next child of this process the first of a new pid namespace.
///
/// # Panics
/// If the system allows this neither as root nor in a user namespace.
#[cfg(target_os = "linux")]
pub fn new_pid_namespace() {
    // SAFETY: changes the namespaces of this process and its children; takes no
    // pointer.
    let has_left = |with: i32| unsafe { libc::unshare(libc::CLONE_NEWPID | with) } == 0;
    // Root in a user namespace may create a pid namespace there.
    if !has_left(0) && !has_left(libc::CLONE_NEWUSER) {
        let error = std::io::Error::last_os_error();
        panic!(
            "cannot make a pid namespace: {error}; run the tests as root, give the container \
             CAP_SYS_ADMIN, or allow user namespaces (sysctl user.max_user_namespaces and \
             kernel.unprivileged_userns_clone)"
        );
    }
}

/// Runs `work` in a child, which exits with 0 if it returns `true`. A child
/// that hangs is killed after `limit`.
pub fn fork(limit: Duration, work: impl FnOnce() -> bool) -> Child {
    fork_here(limit).unwrap_or_else(|| leave(work))
}

/// Forks; both processes continue. Returns `None` in the child, which must
/// [`leave`], and is killed after `limit`.
pub fn fork_here(limit: Duration) -> Option<Child> {
    // SAFETY: the child uses only libc and the core, and leaves through `_exit`,
    // so that nothing of the parent is torn down twice.
    match unsafe { libc::fork() } {
        0 => {
            let seconds = u32::try_from(limit.as_secs()).unwrap_or(u32::MAX);
            // SAFETY: sets a timer of this process.
            unsafe { libc::alarm(seconds) };
            None
        }
        pid => Some(Child(pid)),
    }
}

/// Ends this process, with 0 if `work` returns `true`.
pub fn leave(work: impl FnOnce() -> bool) -> ! {
    let code = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(_) => 2,
    };
    // SAFETY: ends this process.
    unsafe { libc::_exit(code) }
}

/// A sandbox, and the configuration of a client with every credential.
pub fn sandbox_and_config() -> (Sandbox, Config) {
    let sandbox = Sandbox::start(SandboxConfig::default()).expect("a free port");
    let key = generate_key().expect("a key");
    let kid = sandbox.register_pem(&key.public_key_pem).expect("a public key");
    let config = unsigned_config(&sandbox).signing_key(key.private_key_pem, kid);
    (sandbox, config)
}

/// The configuration of a client with every credential but a key.
pub fn unsigned_config(sandbox: &Sandbox) -> Config {
    let settings = sandbox.config();
    Config::new(sandbox.base_url())
        .environment(Environment::Sandbox)
        .timeout(Duration::from_secs(20))
        .client_credentials(sandbox.auth_url(), settings.client_id, settings.client_secret)
}

/// The request for the payment `reference`.
pub fn payment(reference: &str) -> CreatePayment {
    CreatePayment::new(Payment {
        name: "Ana Pérez".into(),
        email: "ana@example.com".into(),
        country: "mx".into(),
        payment_type_code: "oxxo".into(),
        merchant_payment_code: reference.into(),
        currency_code: "MXN".into(),
        amount_total: 150_u32.into(),
        ..Payment::default()
    })
}

/// Creates the payment `reference` and returns whether that worked. Failures
/// are printed to standard error.
pub fn pay(client: &Client, reference: &str) -> bool {
    match client.create_payment(&payment(reference)) {
        Ok(_) => true,
        Err(error) => {
            eprintln!("{reference}: {error}");
            false
        }
    }
}
