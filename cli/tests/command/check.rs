//! `payments check`.

use std::net::TcpListener;

use payments_sandbox::{Fault, Response};
use serde_json::{Value, json};

use crate::support::{Merchant, Payments, new_folder, test_key};

/// Runs the command; returns its exit code and report.
fn check(payments: Payments) -> (i32, Value) {
    let run = payments.argument("--json").run();
    assert_eq!(run.stderr, "");
    (run.code, serde_json::from_str(run.text()).unwrap())
}

/// The finding about a member, variable or step.
#[track_caller]
fn finding<'r>(report: &'r Value, about: &str) -> &'r Value {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().find(|it| it["about"] == about).unwrap_or_else(|| panic!("{about}: {report}"))
}

#[track_caller]
fn assert_found(report: &Value, about: &str, level: &str, part: &str) {
    let finding = finding(report, about);
    assert_eq!(finding["level"], level, "{report}");
    assert!(finding.to_string().contains(part), "{part}: {finding}");
}

/// A merchant whose files only the owner can read.
fn merchant() -> Merchant {
    let merchant = Merchant::new();
    let key = merchant.folder.join("key.pem");
    std::fs::copy(test_key("test_rsa_4096_pkcs8.pem"), &key).unwrap();
    merchant.configure(|members| members["key_file"] = json!("key.pem"));
    for name in ["key.pem", "payments.json"] {
        set_mode(&merchant, name, 0o600);
    }
    merchant
}

#[cfg(unix)]
fn set_mode(merchant: &Merchant, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;

    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(merchant.folder.join(name), permissions).unwrap();
}

#[cfg(not(unix))]
fn set_mode(_: &Merchant, _: &str, _: u32) {}

#[test]
fn a_good_configuration_is_ok_and_nothing_is_connected() {
    let merchant = merchant();
    let (code, report) = check(merchant.payments(["check"]));
    assert_eq!((code, &report["errors"], &report["warnings"]), (0, &json!(0), &json!(0)));
    assert_found(&report, "configuration", "ok", "payments.json");
    assert_found(&report, "key", "ok", "test-kid");
    assert_found(&report, "online", "skipped", "--online");
    assert!(merchant.sandbox.requests().is_empty());
    assert_eq!(merchant.sandbox.token_requests(), 0);

    let run = merchant.run(["check"]);
    assert!(run.text().lines().any(|line| line.starts_with("ok       base_url")), "{}", run.text());
    assert!(run.text().ends_with("errors: 0, warnings: 0\n"), "{}", run.text());
    assert!(run.text().lines().all(|line| line.chars().count() <= 80), "{}", run.text());
}

#[test]
fn the_credentials_of_operations_are_listed() {
    let merchant = merchant();
    let notes = |members: Value| {
        merchant.configure(|configured| {
            for (name, value) in members.as_object().unwrap() {
                configured[name] = value.clone();
            }
        });
        let (_, report) = check(merchant.payments(["check"]));
        let findings = report["findings"].as_array().unwrap();
        let of = |about: &str| -> Vec<String> {
            let of = findings.iter().filter(|it| it["about"] == about && it["level"] == "note");
            of.map(|it| it["message"].as_str().unwrap().to_owned()).collect()
        };
        (of("operations"), !of("query_method").is_empty())
    };
    let moved = "create_payment, refund_payment, create_payout, register_tracking";
    let body = |rest: &str| {
        format!("integration_key in the body, a signature of the body, a bearer token: {rest}")
    };
    let send = "a signature of the body, a bearer token: send".to_owned();
    let query = |signature: &str| {
        format!("integration_key in the query, {signature}a bearer token: query_payment")
    };
    for (signed, signature, is_noted) in [
        ("empty", "a signature of the empty payload, ", true),
        ("query", "a signature of the query, ", false),
        ("none", "", true),
    ] {
        let members = json!({"signed_query": signed, "payout_query": false});
        let (found, noted) = notes(members);
        let expected = [body(moved), query(signature), send.clone()];
        assert_eq!((found, noted), (expected.to_vec(), is_noted), "{signed}");
    }
    let (found, noted) = notes(json!({"query_method": "post", "payout_query": true}));
    let all = "create_payment, query_payment, refund_payment, create_payout, query_payout, \
               register_tracking";
    assert_eq!((found, noted), (vec![body(all), send], false));
    let off = json!({"integration_key": false, "signature": false, "bearer": false});
    let auth = json!({"create_payout": off, "create_payment": {"signature": false}});
    let (found, _) = notes(json!({"auth": auth}));
    assert_eq!(found[0], "integration_key in the body, a bearer token: create_payment");
    assert!(found.contains(&"no credential: create_payout".to_owned()), "{found:?}");
}

#[cfg(unix)]
#[test]
fn a_file_is_private_if_it_holds_a_secret_itself() {
    let folder = new_folder();
    let file = folder.join("payments.json");
    let warns = |members: Value, variable: Option<(&str, &str)>| {
        let mut members = members;
        members["base_url"] = json!("https://api.example");
        std::fs::write(&file, members.to_string()).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .unwrap();
        let command = Payments::new(&folder, ["check"]);
        let (_, report) = check(match variable {
            Some((name, value)) => command.env(name, value),
            None => command,
        });
        let findings = report["findings"].as_array().unwrap();
        findings.iter().any(|it| it["about"] == "config" && it["level"] == "warning")
    };
    let key = Some(("PAYMENTS_INTEGRATION_KEY", "k"));
    assert!(warns(json!({"headers": {"X-Api-Key": "a"}}), None));
    assert!(!warns(json!({"headers": {}}), None));
    assert!(!warns(json!({"headers": null}), None));
    assert!(!warns(json!({}), Some(("PAYMENTS_HEADERS", r#"{"X-Api-Key": "a"}"#))));
    assert!(!warns(json!({}), key));
    assert!(warns(json!({"integration_key": "k"}), key));
    assert!(!warns(json!({"integration_key": null}), key));
    assert!(!warns(json!({"token_store": "memory", "proxy": "env"}), None));
    assert!(!warns(json!({"token_store": "redis://cache.example"}), None));
    assert!(warns(json!({"token_store": "redis://:password@cache.example"}), None));
    assert!(warns(json!({"proxy": "user:password@proxy.example:3128"}), None));
}

#[test]
fn a_missing_or_doubtful_member_is_a_warning() {
    let merchant = merchant();
    std::fs::rename(merchant.folder.join("key.pem"), merchant.folder.join("the key.pem")).unwrap();
    set_mode(&merchant, "the key.pem", 0o644);
    merchant.configure(|members| {
        members["key_file"] = json!("the key.pem");
        members["timeout_ms"] = json!(500);
        members["environment"] = json!("production");
    });
    set_mode(&merchant, "payments.json", 0o640);
    let (code, report) = check(merchant.payments(["check"]).env("PAYMENTS_LOG", "all"));
    assert_eq!(code, 0);
    for (about, part) in [
        ("timeout_ms", "500"),
        ("base_url", "sandbox"),
        ("PAYMENTS_LOG", "debug"),
        #[cfg(unix)]
        ("key_file", "chmod 600 'the key.pem'"),
        #[cfg(unix)]
        ("config", "chmod 600"),
    ] {
        assert_found(&report, about, "warning", part);
    }
}

#[test]
fn with_a_signature_no_integration_key_is_needed() {
    let merchant = merchant();
    let about_key = |signs: bool| {
        merchant.configure(|members| {
            let members = members.as_object_mut().unwrap();
            members.remove("integration_key");
            if !signs {
                members.remove("kid");
                members.remove("key_file");
            }
        });
        let (code, report) = check(merchant.payments(["check"]));
        assert_eq!(code, 0, "{report}");
        let findings = report["findings"].as_array().unwrap().iter();
        findings.filter(|it| it["about"] == "integration_key").cloned().collect::<Vec<_>>()
    };
    assert_eq!(about_key(true), Vec::<Value>::new());
    let found = about_key(false);
    assert_eq!((found.len(), &found[0]["level"]), (1, &json!("warning")), "{found:?}");
    assert!(found[0]["advice"].as_str().unwrap().contains("integration_key_file"), "{found:?}");
}

#[test]
fn the_environment_is_compared_with_the_words_of_the_host() {
    for (environment, url, level) in [
        ("sandbox", "https://api-sandbox.example", "ok"),
        ("sandbox", "https://api.example", "ok"),
        ("sandbox", "https://live.example", "warning"),
        ("sandbox", "https://api.prod.example", "warning"),
        ("production", "https://api.example", "ok"),
        ("production", "https://sandbox.example", "warning"),
        ("production", "https://staging-api.example", "warning"),
        ("production", "https://latest.example", "ok"),
    ] {
        let folder = new_folder();
        let members = json!({"base_url": url, "environment": environment});
        std::fs::write(folder.join("payments.json"), members.to_string()).unwrap();
        let (_, report) = check(Payments::new(&folder, ["check"]));
        assert_found(&report, "base_url", level, environment);
    }
}

#[test]
fn unknown_variables_are_reported_with_the_nearest_member() {
    let merchant = merchant();
    let run = merchant.payments(["check"]);
    let run = run.env("PAYMENTS_BASEURL", "CANARY").env("PAYMENTS_SERVICE_HOST", "CANARY");
    let (code, report) = check(run);
    assert_eq!(code, 1, "the library refuses it");
    assert_found(&report, "PAYMENTS_SERVICE_HOST", "skipped", "unknown variable");
    let findings = report["findings"].as_array().unwrap();
    let named = findings.iter().filter(|it| it["about"] == "PAYMENTS_BASEURL");
    assert_eq!(named.count(), 1, "{report}");
    assert_found(&report, "PAYMENTS_BASEURL", "error", "PAYMENTS_BASE_URL");
    assert!(!report.to_string().contains("CANARY"));

    let run = merchant.payments(["check", "--config", "payments.json"]);
    let (code, report) = check(run.env("PAYMENTS_KID", "x").env("PAYMENTS_TIMEOUT", "1"));
    assert_eq!(code, 0, "{report}");
    assert_found(&report, "--config", "warning", "PAYMENTS_KID");
    assert_found(&report, "PAYMENTS_TIMEOUT", "warning", "PAYMENTS_TIMEOUT_MS");
}

#[test]
fn an_invalid_configuration_is_an_error() {
    let (code, report) = check(Payments::new(&new_folder(), ["check"]));
    assert_eq!(code, 1);
    assert_found(&report, "base_url", "error", "payments sandbox");

    let merchant = merchant();
    for (member, value, about) in [
        ("key_file", json!("nowhere.pem"), "key_file"),
        ("key_file", json!("payments.json"), "key_file"),
        ("kid", Value::Null, "kid"),
        ("base_url", json!("http://api.example"), "base_url"),
        ("timeout_ms", json!("soon"), "timeout_ms"),
        ("zzz", json!(1), "zzz"),
    ] {
        merchant.configure(|members| members[member] = value.clone());
        let (code, report) = check(merchant.payments(["check", "--online"]));
        assert_eq!(code, 1, "{report}");
        let findings = report["findings"].as_array().unwrap();
        let is_told = |it: &&Value| it["about"] == about && it["level"] == "error";
        assert!(findings.iter().any(|it| is_told(&it)), "{about}: {report}");
        assert_found(&report, "online", "skipped", "correct the configuration");
    }
    merchant.configure(|members| members["timeout_ms"] = json!("30000"));
    let (_, report) = check(merchant.payments(["check"]));
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.iter().filter(|it| it["about"] == "timeout_ms").count(), 1, "{report}");
}

#[test]
fn without_its_file_nothing_else_is_judged() {
    let merchant = merchant();
    std::fs::write(merchant.folder.join("broken.json"), "{").unwrap();
    for name in ["nope.json", "broken.json"] {
        let (code, report) = check(merchant.payments(["check", "--config", name, "--online"]));
        assert_eq!((code, &report["errors"], &report["warnings"]), (1, &json!(1), &json!(0)));
        assert_eq!(report["findings"].as_array().unwrap().len(), 1, "{report}");
        assert_found(&report, "config", "error", name);
    }
}

#[test]
fn online_it_asks_for_a_token_and_a_payment_that_does_not_exist() {
    let merchant = merchant();
    let (code, report) = check(merchant.payments(["check", "--online"]));
    assert_eq!(code, 0, "{report}");
    assert_found(&report, "token", "ok", "valid");
    assert_found(&report, "query", "ok", "no such payment");
    assert_found(&report, "clock", "ok", "agrees with");
    assert_eq!(merchant.service_requests(), ["GET /ws/query"]);
}

#[test]
fn online_failures_are_errors_with_a_remedy() {
    let merchant = merchant();
    merchant.configure(|members| members["kid"] = json!("another-kid"));
    let (code, report) = check(merchant.payments(["check", "--online"]));
    assert_eq!(code, 1, "{report}");
    assert_found(&report, "query", "error", "kid");
    merchant.configure(|members| members["client_secret"] = json!("wrong"));
    let (_, report) = check(merchant.payments(["check", "--online"]));
    assert_found(&report, "token", "error", "client");
    assert_found(&report, "query", "skipped", "needs a token");
    // Not a port that another test could be given.
    merchant.configure(|members| members["base_url"] = json!("http://127.0.0.1:1"));
    let (code, report) = check(merchant.payments(["check", "--online"]));
    assert_eq!(code, 1);
    assert_found(&report, "query", "error", "connection refused");
}

#[test]
fn the_proxy_is_tried() {
    let merchant = merchant();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let run = |address: &str| {
        merchant.configure(|members| {
            members["proxy"] = json!(format!("http://user:CANARY@{address}"));
            members["timeout_ms"] = json!(2000);
        });
        let (_, report) = check(merchant.payments(["check", "--online"]));
        assert!(!report.to_string().contains("CANARY"), "{report}");
        report
    };
    assert_found(&run(&address), "proxy", "ok", &address);
    drop(listener);
    assert_found(&run(&address), "proxy", "error", &address);
}

#[test]
fn the_proxy_of_the_environment_is_tried_and_not_shown() {
    let merchant = merchant();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let url = format!("http://user:CANARY@{address}");
    merchant.configure(|members| {
        members["proxy"] = json!("env");
        members["timeout_ms"] = json!(2000);
    });
    let run = |variables: &[(&str, &str)]| {
        let command = merchant.payments(["check", "--online"]);
        let add = |command: Payments, (name, value): &(&str, &str)| command.env(name, value);
        let (_, report) = check(variables.iter().fold(command, add));
        let text = report.to_string();
        assert!(!text.contains("CANARY") && !text.contains(&address), "{report}");
        report
    };
    let variable = ("ALL_PROXY", url.as_str());
    assert_found(&run(&[variable]), "proxy", "ok", "the proxy that ALL_PROXY names accepts");
    let without = [variable, ("NO_PROXY", "127.0.0.1")];
    assert_found(&run(&without), "proxy", "ok", "NO_PROXY has the host of base_url");
    drop(listener);
    let said = "the proxy that ALL_PROXY names: connection refused; check ALL_PROXY";
    assert_found(&run(&[variable]), "proxy", "error", said);
    assert_found(&run(&[]), "proxy", "warning", "no variable names a proxy");
}

#[test]
fn a_clock_that_differs_is_a_warning() {
    let merchant = merchant();
    let refusal = Response::json(200, &json!({"status": "ERROR", "status_code": "BP-REF-CAN-2"}));
    let refusal = refusal.with_header("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
    merchant.run(["token"]).response();
    merchant.sandbox.script_next([Fault::response(refusal)]);
    let (code, report) = check(merchant.payments(["check", "--online"]));
    assert_eq!(code, 0, "{report}");
    assert_found(&report, "query", "ok", "no such payment");
    assert_found(&report, "clock", "warning", "ahead of");
}

/// `secret` as a member, as a file and as a variable.
fn reports_of_secret(secret: &str) -> Vec<(&'static str, Value)> {
    let merchant = merchant();
    std::fs::write(merchant.folder.join("secret"), secret).unwrap();
    set_mode(&merchant, "secret", 0o600);
    let with = |member: &str, value: &str| {
        merchant.configure(|members| {
            members["key_file"] = json!("key.pem");
            members.as_object_mut().unwrap().remove("client_secret");
            members[member] = json!(value);
        });
        check(merchant.payments(["check"])).1
    };
    let (member, file) = (with("client_secret", secret), with("client_secret_file", "secret"));
    let variable = merchant.payments(["check"]).env("PAYMENTS_CLIENT_SECRET", secret);
    let variable = check(variable).1;
    vec![("client_secret", member), ("client_secret_file", file), ("client_secret", variable)]
}

#[test]
fn likely_additions_to_a_secret_are_a_warning() {
    for (secret, warnings) in [
        ("Zq9cret+1/2%3=:", &[][..]),
        (" Zq9cret", &["white space"]),
        ("Zq9cret\t", &["white space"]),
        ("Zq9cret\u{a0}", &["white space"]),
        ("\"Zq9cret\"", &["quotes"]),
        ("'Zq9cret' ", &["white space", "quotes"]),
        ("“Zq9cret”", &["quotes", "letters beyond ASCII"]),
        ("Zq9\u{200b}cret", &["invisible characters"]),
        ("Zq9cret\u{200b}", &["invisible characters"]),
        ("Zq9\u{ad}c\u{a0}ret", &["invisible characters"]),
        ("Zq9crét", &["letters beyond ASCII"]),
        ("\"", &[]),
    ] {
        for (about, report) in reports_of_secret(secret) {
            let findings = report["findings"].as_array().unwrap();
            let details: Vec<_> = findings
                .iter()
                .filter(|it| it["about"] == about && it["level"] == "warning")
                .map(|it| it["message"].as_str().unwrap())
                .collect();
            assert_eq!(details.len(), warnings.len(), "{secret:?}: {report}");
            for (detail, warning) in details.iter().zip(warnings) {
                assert!(detail.contains(warning), "{secret:?}: {detail}");
            }
            assert!(!report.to_string().contains("Zq9"), "{report}");
        }
    }
}

#[test]
fn line_breaks_and_byte_order_marks_of_a_secret_are_refused() {
    for (secret, is_file_read) in [
        ("Zq9cret\n", true),
        ("Zq9cret\r\n", true),
        ("\u{feff}Zq9cret", true),
        ("\u{feff}Zq9cret\r\n", true),
        ("\nZq9cret", false),
        ("Zq9cret\u{feff}", false),
        ("Zq9cret\u{2028}", false),
    ] {
        for (about, report) in reports_of_secret(secret) {
            if about.ends_with("_file") && is_file_read {
                assert_eq!((&report["errors"], &report["warnings"]), (&json!(0), &json!(0)));
            } else {
                assert_found(&report, about, "error", "a line break or a byte order mark");
            }
            assert!(!report.to_string().contains("Zq9"), "{report}");
        }
    }
}

#[cfg(unix)]
#[test]
fn the_journal_is_reported_with_its_open_entries() {
    use payments_core::Operation;
    use payments_sandbox::{At, FaultScript};

    let merchant = merchant();
    assert_found(&check(merchant.payments(["check"])).1, "journal", "skipped", "not set");
    std::fs::create_dir(merchant.folder.join("journal")).unwrap();
    set_mode(&merchant, "journal", 0o700);
    merchant.run(["journal", "create", "journal/payments.db"]).response();
    merchant.configure(|members| members["journal"] = json!("file:journal/payments.db"));
    let expected = ["has no open entry", "has 1 open entry; ", "has 2 open entries; "];
    for (open, found) in expected.into_iter().enumerate() {
        if open > 0 {
            let lost = vec![Fault::close(At::Body).execute(true)];
            let script = FaultScript::for_operation(Operation::CreatePayment, lost);
            merchant.sandbox.script_fault(script);
            let payment = crate::support::payment(&format!("lost-{open}"));
            assert_eq!(merchant.payments(["create-payment", "-"]).stdin(payment).run().code, 3);
        }
        let requests = merchant.sandbox.requests().len();
        let (code, report) = check(merchant.payments(["check"]));
        assert_eq!((code, merchant.sandbox.requests().len()), (0, requests));
        assert_found(&report, "journal", "ok", found);
    }
    std::fs::rename(merchant.folder.join("journal"), merchant.folder.join("moved")).unwrap();
    assert_found(&check(merchant.payments(["check"])).1, "journal", "error", "payments.db");
}

#[test]
fn the_token_store_is_read_and_nothing_is_requested() {
    let merchant = merchant();
    let report = |store: Value| {
        merchant.configure(|members| members["token_store"] = store);
        let report = check(merchant.payments(["check"])).1;
        assert_eq!(merchant.sandbox.token_requests(), 0);
        report
    };
    assert_found(&report(Value::Null), "token_store", "ok", "the user's cache folder");
    assert!(!merchant.folder.join("cache").exists(), "it would belong to another user");
    assert_found(&report(json!("memory")), "token_store", "ok", "memory: each process");
    let redis = report(json!("redis://:CANARY@127.0.0.1:1"));
    assert_found(&redis, "token_store", "skipped", "--online tries the Redis server");
    assert!(!redis.to_string().contains("CANARY"), "{redis}");
    assert_found(&report(json!("file:tokens")), "token_store", "ok", "the folder works");
    #[cfg(unix)]
    {
        set_mode(&merchant, "tokens", 0o755);
        assert_found(&report(json!("file:tokens")), "token_store", "error", "accessible to others");
    }
    merchant.configure(|members| drop(members.as_object_mut().unwrap().remove("client_id")));
    let (_, none) = check(merchant.payments(["check"]));
    assert!(!none.to_string().contains("token_store"), "{none}");
}

#[test]
fn a_proxy_is_reported_without_a_connection() {
    let merchant = merchant();
    let (_, report) = check(merchant.payments(["check"]).env("HTTPS_PROXY", "http://u:CANARY@p"));
    assert_found(&report, "proxy", "ok", "directly, although HTTPS_PROXY names a proxy");
    assert!(!report.to_string().contains("CANARY"), "{report}");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://user:CANARY@{}", listener.local_addr().unwrap());
    merchant.configure(|members| members["proxy"] = json!(url));
    let (_, report) = check(merchant.payments(["check"]));
    assert_found(&report, "proxy", "skipped", "--online tries it");
    assert!(!report.to_string().contains("CANARY"), "{report}");
    assert!(listener.accept().is_err(), "a check without --online connects to nothing");
}
