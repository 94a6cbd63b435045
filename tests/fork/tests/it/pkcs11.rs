//! A client with its key in an HSM, across `fork`.

use std::time::Duration;

use crate::hsm::{Hsm, PIN, TOKEN, module};
use payments_core::config::Pkcs11;
use payments_core::{Client, Config, Environment};
use payments_fork_tests::{ChildEnd, fork, pay};
use payments_sandbox::{Require, Sandbox, SandboxConfig};

const LIMIT: Duration = Duration::from_secs(60);

fn sandbox() -> (Sandbox, String) {
    let require = Require { jws: true, ..Require::NOTHING };
    let sandbox = Sandbox::start(SandboxConfig { require, ..SandboxConfig::default() }).unwrap();
    let public_key = include_str!("../../../vectors/keys/test_rsa_4096_public.pem");
    let kid = sandbox.register_pem(public_key).unwrap();
    (sandbox, kid)
}

fn client(sandbox: &Sandbox, kid: &str, key: Pkcs11) -> Client {
    let key = key.token(TOKEN).key_label("signing").pin(PIN);
    let config = Config::new(sandbox.base_url()).environment(Environment::Sandbox);
    Client::new(config.pkcs11(key, kid)).unwrap()
}

/// Pays in the parent and in children, `at_a_time` of them concurrently.
fn fork_and_pay(at_a_time: usize) {
    let (sandbox, kid) = sandbox();
    let client = client(&sandbox, &kid, Pkcs11::new(module()));
    assert!(pay(&client, "before"));
    let pay_in_child = |child: usize| {
        let client = &client;
        fork(LIMIT, move || {
            let threads: Vec<_> = (0..3)
                .map(|call| {
                    let client = client.clone();
                    std::thread::spawn(move || pay(&client, &format!("c{child}-{call}")))
                })
                .collect();
            threads.into_iter().all(|thread| thread.join().unwrap())
        })
    };
    for first in (0..4).step_by(at_a_time) {
        let children: Vec<_> = (first..first + at_a_time).map(pay_in_child).collect();
        assert!(pay(&client, &format!("parent-{first}")));
        for child in children {
            assert_eq!(child.wait(), ChildEnd::Exited(0));
        }
    }
    let grandparent = fork(LIMIT, || {
        let grandchild = fork(LIMIT, || pay(&client, "grandchild"));
        grandchild.wait() == ChildEnd::Exited(0) && pay(&client, "child")
    });
    assert_eq!(grandparent.wait(), ChildEnd::Exited(0));
    assert!(pay(&client, "after"));
    let signatures = sandbox.requests();
    assert_eq!(signatures.len(), 1 + 12 + 4 / at_a_time + 2 + 1);
    assert!(signatures.iter().all(|request| request.signature.as_str() == "verified"));
}

#[test]
fn an_hsm_used_before_fork_signs_in_parent_and_children() {
    Hsm::run(an_hsm_used_before_fork_signs_in_parent_and_children, "", |_| fork_and_pay(4));
}

#[test]
fn a_module_that_forgets_its_state_is_initialized_again() {
    // One at a time: SoftHSM misses a token whose file another process writes
    // during a login.
    Hsm::run(
        a_module_that_forgets_its_state_is_initialized_again,
        "library.reset_on_fork = true",
        |_| fork_and_pay(1),
    );
}

#[test]
fn a_child_initializes_the_module_and_keeps_parent_sessions() {
    Hsm::run(a_child_initializes_the_module_and_keeps_parent_sessions, "", |hsm| {
        let (sandbox, kid) = sandbox();
        let client = client(&sandbox, &kid, Pkcs11::new(hsm.faulty_module()));
        assert!(pay(&client, "before"));
        let counts = || ["initialize", "open_session", "close_session"].map(|it| hsm.count(it));

        hsm.faults("");
        let mut unused = Some(client);
        let dropping = fork(LIMIT, || unused.take().is_some());
        assert_eq!(dropping.wait(), ChildEnd::Exited(0));
        assert_eq!(counts(), [0, 0, 0], "a child that never signs leaves the module alone");
        drop(unused);
        assert_eq!(counts(), [0, 0, 1], "the parent closes what is its own");
    });
}

#[test]
fn a_child_that_signs_opens_and_closes_its_own_sessions() {
    Hsm::run(a_child_that_signs_opens_and_closes_its_own_sessions, "", |hsm| {
        let (sandbox, kid) = sandbox();
        let client = client(&sandbox, &kid, Pkcs11::new(hsm.faulty_module()));
        assert!(pay(&client, "before"));
        hsm.faults("");
        let (signing, counts) = (client.clone(), |it| hsm.count(it));
        let signing = fork(LIMIT, move || pay(&signing, "child"));
        assert_eq!(signing.wait(), ChildEnd::Exited(0));
        assert_eq!((counts("initialize"), counts("open_session")), (1, 1));
        assert_eq!(counts("close_session"), 0);
        assert!(pay(&client, "after"));
        assert_eq!(counts("open_session"), 1, "the parent's session is still its own");
    });
}

#[test]
fn a_process_tries_a_key_once_and_so_does_its_child() {
    Hsm::run(a_process_tries_a_key_once_and_so_does_its_child, "", |hsm| {
        let (sandbox, kid) = sandbox();
        let faulty = hsm.faulty_module();
        let make = || client(&sandbox, &kid, Pkcs11::new(&faulty));
        hsm.faults("");
        let inherited = make();
        assert_eq!(hsm.signed().len(), 1);
        let using = fork(LIMIT, || pay(&inherited, "child"));
        assert_eq!(using.wait(), ChildEnd::Exited(0));
        assert_eq!(hsm.signed().len(), 2, "what it inherits was tried");
        let making = fork(LIMIT, || pay(&make(), "first") && pay(&make(), "second"));
        assert_eq!(making.wait(), ChildEnd::Exited(0));
        assert_eq!(hsm.signed().len(), 5);
        assert!(pay(&make(), "after"));
        assert_eq!(hsm.signed().len(), 6);
    });
}

#[test]
fn a_child_uses_the_module_of_its_parent_after_a_move() {
    Hsm::run(a_child_uses_the_module_of_its_parent_after_a_move, "", |hsm| {
        let (sandbox, kid) = sandbox();
        let faulty = hsm.faulty_module();
        std::env::set_current_dir(hsm.file(".")).unwrap();
        let client = client(&sandbox, &kid, Pkcs11::new("faulty.so"));
        assert!(pay(&client, "before"));
        let moved = fork(LIMIT, || {
            std::env::set_current_dir("/").unwrap();
            std::fs::rename(&faulty, hsm.file("before.so")).unwrap();
            pay(&client, "child")
        });
        assert_eq!(moved.wait(), ChildEnd::Exited(0));
    });
}
