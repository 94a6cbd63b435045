//! The certificates that a configuration and an environment trust.

use payments_core::{Client, ErrorKind};

use crate::support::calls;
#[cfg(target_os = "linux")]
use crate::support::folder::Folder;
use crate::support::payer;
use crate::support::raw_server::{Connection, RawServer, created};
use crate::support::tls_server::{self, Authority, TemporaryFile};

fn response_all(mut connection: Connection) {
    while connection.read_request().is_some() && connection.write(&created()) {}
}

/// The server's URL, with a name that the operating system resolves.
fn url(server: &RawServer) -> String {
    format!("https://localhost:{}", server.port())
}

#[test]
fn a_ca_file_that_cannot_be_used_is_a_configuration_error() {
    let refused = |contents: &[u8]| {
        let file = TemporaryFile::new(contents);
        let error = Client::new(calls::config("https://localhost").ca_file(&file.0)).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("ca_file")), "{error}");
        error.code().as_str()
    };
    let key = rcgen::KeyPair::generate().unwrap().serialize_pem();
    let good = Authority::new("ours").pem();
    let broken = good.replacen("MII", "@@@", 1);
    let not_one = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for contents in ["", "\n", "not pem", &key, not_one, &broken, &[&good, not_one].concat()] {
        assert_eq!(refused(contents.as_bytes()), "file_unreadable", "{contents}");
    }
    for path in ["/nonexistent/ca.pem", "/"] {
        let error = Client::new(calls::config("https://localhost").ca_file(path)).unwrap_err();
        assert_eq!(
            (error.path(), error.code().as_str()),
            (Some("ca_file"), "file_unreadable"),
            "{error}"
        );
    }
}

/// Pays from a child process with these environment variables. Roots are read
/// once per process, so each case needs its own.
fn pay_in_child(test: impl Fn(), server: &RawServer, variables: &[(&str, &str)]) -> String {
    payer::pay(test, &url(server), |command| {
        command.env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR");
        command.envs(variables.iter().copied());
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_root_of_the_operating_system_keeps_its_limits() {
    if payer::is_child(|config| config) {
        return;
    }
    let (old, site) = (Authority::until("old", 2020), Authority::of_server("localhost"));
    for (authority, tls, result) in [
        (&old, old.server(&["localhost"]), "tls certificate_expired not_executed"),
        (&site, site.server(&["localhost"]), "tls certificate_refused not_executed"),
        (&site, site.own_server(), "paid"),
    ] {
        let server = tls_server::start(tls, response_all);
        let folder = Folder::made();
        let file = folder.write("5ad8a5d6.0", authority.pem());
        for variable in [("SSL_CERT_FILE", &*file), ("SSL_CERT_DIR", folder.path())] {
            let variable = (variable.0, variable.1.to_str().unwrap());
            let test = a_root_of_the_operating_system_keeps_its_limits;
            assert_eq!(pay_in_child(test, &server, &[variable]), result, "{variable:?}");
        }
    }
}

#[test]
fn ssl_cert_file_and_ssl_cert_dir_add_to_the_roots() {
    if payer::is_child(|config| config) {
        return;
    }
    let authority = Authority::new("ours");
    let server = tls_server::start(authority.server(&["localhost"]), response_all);
    let file = authority.file();
    let path = file.0.to_str().unwrap();
    assert_eq!(
        pay_in_child(ssl_cert_file_and_ssl_cert_dir_add_to_the_roots, &server, &[]),
        "tls certificate_refused not_executed"
    );
    assert_eq!(
        pay_in_child(
            ssl_cert_file_and_ssl_cert_dir_add_to_the_roots,
            &server,
            &[("SSL_CERT_FILE", path)]
        ),
        "paid"
    );

    // Files in the directory are found by the hashed names that c_rehash
    // creates.
    let directory = std::env::temp_dir().join(format!("payments-roots-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("5ad8a5d6.0"), authority.pem()).unwrap();
    let result = pay_in_child(
        ssl_cert_file_and_ssl_cert_dir_add_to_the_roots,
        &server,
        &[("SSL_CERT_DIR", directory.to_str().unwrap())],
    );
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(result, "paid");

    let foreign = Authority::new("foreign").file();
    let foreign = foreign.0.to_str().unwrap();
    assert_eq!(
        pay_in_child(
            ssl_cert_file_and_ssl_cert_dir_add_to_the_roots,
            &server,
            &[("SSL_CERT_FILE", foreign)]
        ),
        "tls certificate_refused not_executed"
    );
}
