//! Forks, and clients to use across a fork.
//!
//! What is promised: a client that was made, and used, before `fork` works in
//! the parent and in the children, and no connection, lock or parsed key is
//! shared. What is only tried (`cargo run -p payments-fork-tests`): a fork
//! while other threads sign and fetch, since what lives inside libc and aws-lc
//! is not this project's.

use std::time::Duration;

use payments_core::operations::{CreatePayment, Payment};
use payments_core::signer::generate_key;
use payments_core::{Client, Config, Environment};
use payments_sandbox::{Sandbox, SandboxConfig};

/// How a child ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
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
    pub fn wait(self) -> Ended {
        let mut status = 0;
        // SAFETY: the pid is that of a child of this process, and the status
        // is written to a local.
        while unsafe { libc::waitpid(self.0, &mut status, 0) } == -1 {}
        if libc::WIFEXITED(status) {
            Ended::Exited(libc::WEXITSTATUS(status))
        } else {
            Ended::Killed(libc::WTERMSIG(status))
        }
    }

    /// Kills the child, and waits until it is gone.
    pub fn kill(self) -> Ended {
        // SAFETY: the pid is that of a child of this process that was not
        // waited for, so it is nobody else's.
        unsafe { libc::kill(self.0, libc::SIGKILL) };
        self.wait()
    }
}

/// Whether this process runs as root.
pub fn is_root() -> bool {
    // SAFETY: reads a number of this process.
    unsafe { libc::geteuid() == 0 }
}

/// Turns this process from root into `nobody`, as servers do with their
/// workers. Whether that worked.
pub fn become_nobody() -> bool {
    const NOBODY: u32 = 65_534;
    // SAFETY: these change numbers of this process; no memory is shared.
    unsafe {
        libc::setgroups(0, std::ptr::null()) == 0
            && libc::setgid(NOBODY) == 0
            && libc::setuid(NOBODY) == 0
    }
}

/// Lets the next child of this process be the first of a new pid namespace.
///
/// # Panics
/// When the system permits it neither to root nor in a user namespace.
#[cfg(target_os = "linux")]
pub fn new_pid_namespace() {
    // SAFETY: changes what this process may do and where its children are; no
    // memory is shared.
    let has_left = |with: i32| unsafe { libc::unshare(libc::CLONE_NEWPID | with) } == 0;
    // Root of a user namespace may do the same in it.
    if !has_left(0) && !has_left(libc::CLONE_NEWUSER) {
        let error = std::io::Error::last_os_error();
        panic!(
            "cannot make a pid namespace: {error}; run the tests as root, give the container \
             CAP_SYS_ADMIN, or allow user namespaces (sysctl user.max_user_namespaces and \
             kernel.unprivileged_userns_clone)"
        );
    }
}

/// Runs `work` in a child, whose exit code is 0 if it gives `true`. A child
/// that hangs is killed after `limit`.
pub fn fork(limit: Duration, work: impl FnOnce() -> bool) -> Child {
    // SAFETY: the child runs `work`, which uses libc and the core only, and
    // leaves by `_exit`, so that nothing of the parent is torn down twice.
    match unsafe { libc::fork() } {
        0 => {
            let seconds = u32::try_from(limit.as_secs()).unwrap_or(u32::MAX);
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                // SAFETY: sets a timer of this process.
                unsafe { libc::alarm(seconds) };
                work()
            }));
            let code = match outcome {
                Ok(true) => 0,
                Ok(false) => 1,
                Err(_) => 2,
            };
            // SAFETY: ends this process.
            unsafe { libc::_exit(code) }
        }
        pid => Child(pid),
    }
}

/// A sandbox and the configuration of a client for it, with every credential.
pub fn sandbox_and_config() -> (Sandbox, Config) {
    let sandbox = Sandbox::start(SandboxConfig::default()).expect("a free port");
    let key = generate_key().expect("a key");
    let kid = sandbox.register_pem(&key.public_key_pem).expect("a public key");
    let settings = sandbox.config();
    let config = Config::new(sandbox.base_url())
        .environment(Environment::Sandbox)
        .timeout(Duration::from_secs(20))
        .client_credentials(sandbox.auth_url(), settings.client_id, settings.client_secret)
        .signing_key(key.private_key_pem, kid);
    (sandbox, config)
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

/// Creates the payment `reference`, and reports whether that worked. The reason
/// of a failure goes to standard error.
pub fn pay(client: &Client, reference: &str) -> bool {
    match client.create_payment(&payment(reference)) {
        Ok(_) => true,
        Err(error) => {
            eprintln!("{reference}: {error}");
            false
        }
    }
}
