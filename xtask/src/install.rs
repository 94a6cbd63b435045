//! Builds the examples against an installation, shared and static, takes
//! payments with each, and reads the events of a query.

use std::path::{Path, PathBuf};

use crate::{Failure, sh};

const STRICT: [&str; 6] = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];

struct Installation<'a> {
    prefix: &'a str,
    sandbox: &'a str,
    /// Beside the prefix, so that the examples add nothing to it.
    folder: PathBuf,
}

pub(crate) fn check(prefix: &str, sandbox: &str) -> Result<(), Failure> {
    let folder = PathBuf::from(format!("{prefix}.example"));
    sh::empty_folder(&folder)?;
    let installed = Installation { prefix, sandbox, folder };
    installed.check_library()?;
    installed.build()?;
    installed.configure()?;
    for kind in ["shared", "static"] {
        installed.take_payments(kind)?;
    }
    let count = |path: &str, member: &str| {
        let listed = sh::output(&["curl", "-sSf", &format!("{sandbox}/sandbox/{path}")])?;
        Ok::<_, Failure>(listed.matches(&format!("\"{member}\"")).count())
    };
    let payments = count("payments", "merchant_payment_code")?;
    let sent = count("requests?operation=create_payment", "operation")?;
    if (payments, sent) != (6, 10) {
        return Err(format!("{payments} payments of {sent} requests instead of 6 of 10"));
    }
    installed.read_events()?;
    println!("examples/c works with what was installed, shared and static");
    Ok(())
}

impl Installation<'_> {
    fn check_library(&self) -> Result<(), Failure> {
        let abi = sh::read("ffi-c/abi/version")?;
        let name = format!("libpayments.so.{}", abi.trim());
        let library = format!("{}/lib/libpayments.so", self.prefix);
        for link in [&library, &format!("{}/lib/{name}", self.prefix)] {
            if !Path::new(link).is_symlink() {
                return Err(format!("{link} is no link"));
            }
        }
        if !sh::output(&["readelf", "-d", &library])?.contains(&format!("[{name}]")) {
            return Err(format!("{library} is not named {name}"));
        }
        if sh::output(&["readelf", "-S", &library])?.contains(".symtab") {
            return Err(format!("{library} is not stripped"));
        }
        Ok(())
    }

    fn build(&self) -> Result<(), Failure> {
        let shared = self.pkg_config(&["--cflags", "--libs"])?;
        for (source, program) in [("pay", "pay-shared"), ("events", "events")] {
            self.compile(&STRICT, source, program, &shared)?;
        }
        // This folder has only libpayments.a, so -lpayments links statically.
        let folder = self.folder.join("static");
        sh::empty_folder(&folder)?;
        let library = format!("{}/lib/libpayments.a", self.prefix);
        std::fs::copy(&library, folder.join("libpayments.a"))
            .map_err(|error| format!("{library}: {error}"))?;
        let variable = format!("--define-variable=libdir={}", folder.display());
        let flags = self.pkg_config(&["--static", "--cflags", "--libs", &variable])?;
        self.compile(&["gcc", "-std=c99"], "pay", "pay-static", &flags)?;
        if sh::output(&["readelf", "-d", &self.file("pay-static")])?.contains("libpayments") {
            return Err("the static example needs libpayments.so".to_owned());
        }
        Ok(())
    }

    /// pkg-config flags from this prefix only, not from another installation.
    fn pkg_config(&self, options: &[&str]) -> Result<String, Failure> {
        let path = format!("PKG_CONFIG_PATH={}/lib/pkgconfig", self.prefix);
        let only = ["env", &path, "PKG_CONFIG_LIBDIR=", "pkg-config"];
        sh::output(&[&only[..], options, &["libpayments"]].concat())
    }

    fn compile(
        &self,
        compiler: &[&str],
        source: &str,
        program: &str,
        flags: &str,
    ) -> Result<(), Failure> {
        let source = format!("examples/c/{source}.c");
        let program = self.file(program);
        let flags: Vec<_> = flags.split_whitespace().collect();
        sh::run(&[compiler, &[&source], &flags, &["-o", &program]].concat())
    }

    fn configure(&self) -> Result<(), Failure> {
        let key = std::path::absolute("tests/vectors/keys/test_rsa_4096_pkcs8.pem");
        let key = key.map_err(|error| error.to_string())?;
        let sandbox = self.sandbox;
        let key = key.display();
        let id = r#"{"client_id": "sandbox-client"}"#;
        sh::output(&["curl", "-sSf", "-d", id, &format!("{sandbox}/sandbox/settings")])?;
        let text = format!(
            r#"{{"base_url": "{sandbox}", "auth_url": "{sandbox}", "environment": "sandbox",
 "integration_key": "sandbox-integration-key", "client_id": "sandbox-client",
 "client_secret": "sandbox-client-secret", "kid": "test-kid", "key_file": "{key}"}}"#
        );
        sh::write(self.folder.join("payments.json"), &text)
    }

    fn take_payments(&self, kind: &str) -> Result<(), Failure> {
        let program = format!("pay-{kind}");
        let pay = |number: u8, expected| {
            self.run(&program, &[&format!("{kind}-{number}"), "100.10"], expected)
        };
        must_have(&pay(1, 0)?, "hash: ")?;
        let refuse = |codes: &[&str]| {
            let response = |code: &&str| {
                let body = format!(r#"{{"status":"ERROR","status_code":"{code}"}}"#);
                format!(r#"{{"fault":"response","json":{body}}}"#)
            };
            let responses = codes.iter().map(response).collect::<Vec<_>>().join(",");
            self.fault("query_payment", &responses)
        };
        // The response is lost and two queries fail: the payment exists, and
        // the example finds it.
        self.fault("create_payment", r#"{"fault":"close","execute":true}"#)?;
        refuse(&["BP-SA-2", "BP-REF-CAN-2"])?;
        must_have(&pay(2, 0)?, ", unknown]")?;
        // The request is lost: the outcome is unknown, so it is not resent.
        self.fault("create_payment", r#"{"fault":"close"}"#)?;
        must_have(&pay(3, 3)?, "not known yet")?;
        pay(3, 3)?;
        // Long after the deadline a person must decide, but only once the
        // service says that the payment does not exist.
        sh::write(self.folder.join(format!("{kind}-3.sent")), "1\n")?;
        refuse(&["BP-SA-2", "BP-SA-2", "BP-SA-2"])?;
        must_have(&pay(3, 3)?, "not known yet")?;
        must_have(&pay(3, 3)?, "a person must decide")?;
        // A call that was not executed may be repeated.
        self.fault("create_payment", r#"{"fault":"response","status":429}"#)?;
        pay(4, 1)?;
        pay(4, 0).map(drop)
    }

    /// Checks the events of a query for the shared program's payment.
    fn read_events(&self) -> Result<(), Failure> {
        let shown = self.run("events", &[r#"{"merchant_payment_code": "shared-1"}"#], 0)?;
        for event in [
            "request_started",
            "token_requested",
            "token_fetched",
            "attempt",
            "attempt_ended",
            "request_ended",
        ] {
            must_have(&shown, &format!("{{\"event\":\"{event}\","))?;
        }
        must_have(&shown, "\"reference\":\"shared-1\"")?;
        for secret in ["sandbox-client-secret", "sandbox-integration-key"] {
            if shown.contains(secret) {
                return Err(format!("an event holds {secret}"));
            }
        }
        Ok(())
    }

    fn fault(&self, operation: &str, faults: &str) -> Result<(), Failure> {
        let body = format!(r#"{{"operation":"{operation}","then":[{faults}]}}"#);
        let address = format!("{}/sandbox/faults", self.sandbox);
        sh::output(&["curl", "-sSf", "-d", &body, &address]).map(drop)
    }

    /// Runs an example, which must exit with `expected`; returns its output.
    fn run(&self, program: &str, arguments: &[&str], expected: i32) -> Result<String, Failure> {
        let path = format!("LD_LIBRARY_PATH={}/lib", self.prefix);
        let program = self.file(program);
        let folder = self.folder.display().to_string();
        // The example records what it sent in the working folder.
        let script = "cd \"$1\" && shift && exec \"$@\" 2>&1";
        let command = ["env", &path, "sh", "-c", script, "sh", &folder, &program, "payments.json"];
        let (code, shown) = sh::outcome(&[&command[..], arguments].concat())?;
        print!("{shown}");
        for gives_up in ["may be sent again", "does not exist"] {
            if shown.contains(gives_up) {
                return Err(format!("{program} gives a payment up: {gives_up}"));
            }
        }
        if code == expected {
            Ok(shown)
        } else {
            Err(format!("{program} ended with {code}, not {expected}"))
        }
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

fn must_have(text: &str, part: &str) -> Result<(), Failure> {
    if text.contains(part) { Ok(()) } else { Err(format!("this is missing: {part}")) }
}
