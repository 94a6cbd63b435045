//! Builds the examples with nothing but what was installed, shared and static,
//! takes payments with each, and reads the events of a query.

use std::path::{Path, PathBuf};

use crate::{Failure, sh};

const STRICT: [&str; 6] = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];

struct Installation<'a> {
    prefix: &'a str,
    sandbox: &'a str,
    /// Beside the prefix, so that nothing of the examples is in it.
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
    let payments = sh::output(&["curl", "-sSf", &format!("{sandbox}/sandbox/payments")])?;
    let count = payments.matches("\"merchant_payment_code\"").count();
    if count != 4 {
        return Err(format!("{count} payments instead of 4: {payments}"));
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
        // A folder with libpayments.a alone, so that -lpayments means that.
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

    /// Flags by what this prefix offers: no other libpayments of this machine.
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
        let (sandbox, key) = (self.sandbox, key.display());
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
        // The answer is lost: the payment exists, and the example finds out.
        self.fault(r#"{"fault":"close","execute":true}"#)?;
        must_have(&pay(2, 0)?, ", unknown]")?;
        // The request is lost: it does not exist.
        self.fault(r#"{"fault":"close"}"#)?;
        pay(3, 1).map(drop)
    }

    /// The events of a query for the payment of the shared program.
    fn read_events(&self) -> Result<(), Failure> {
        let shown = self.run("events", &[r#"{"merchant_payment_code": "shared-1"}"#], 0)?;
        for event in ["request_started", "token_fetched", "attempt", "request_ended"] {
            must_have(&shown, &format!("{{\"event\":\"{event}\","))?;
        }
        for secret in ["shared-1", "sandbox-client-secret", "sandbox-integration-key"] {
            if shown.contains(secret) {
                return Err(format!("an event holds {secret}"));
            }
        }
        Ok(())
    }

    fn fault(&self, fault: &str) -> Result<(), Failure> {
        let body = format!(r#"{{"operation":"create_payment","then":[{fault}]}}"#);
        let address = format!("{}/sandbox/faults", self.sandbox);
        sh::output(&["curl", "-sSf", "-d", &body, &address]).map(drop)
    }

    /// What an example prints. It must end with this exit code.
    fn run(&self, program: &str, arguments: &[&str], expected: i32) -> Result<String, Failure> {
        let path = format!("LD_LIBRARY_PATH={}/lib", self.prefix);
        let (program, config) = (self.file(program), self.file("payments.json"));
        let script = ["env", &path, "sh", "-c", "exec \"$@\" 2>&1", "sh", &program, &config];
        let (code, shown) = sh::outcome(&[&script[..], arguments].concat())?;
        print!("{shown}");
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
