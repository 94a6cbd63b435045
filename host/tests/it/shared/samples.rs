//! The requests that this repository shows and sends have known methods, and no
//! value that services are seen to refuse.

use std::fs;
use std::path::{Path, PathBuf};

use payments_core::json::Json;
use payments_core::methods::payment_method;
use payments_host::{Certainty, lint};
use serde_json::Value;

/// The findings of scenarios that show requests that the library sends although
/// a service may refuse them.
const ON_PURPOSE: &[(&str, &[&str])] = &[
    (
        "accepted.json",
        &[
            "cpf_check_digits",
            "currency_case",
            "document_form",
            "length",
            "method_of_other_country",
            "pix_key_form",
        ],
    ),
    ("card_guard.json", &["document_form"]),
    // A guide of a provider shows a CPF with wrong check digits, and a phone whose area code does not
    // exist.
    ("documented.json", &["length", "pix_key_form"]),
];

#[test]
fn samples_and_scenarios_have_no_certain_finding() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let samples = tree(&tests.join("samples.json"));
    let samples_of_all = samples.as_object().unwrap().values();
    let mut requests: Vec<_> =
        samples_of_all.map(|it| ("samples.json".to_owned(), it.clone())).collect();
    for path in files_in(&tests.join("scenarios"), &["json"]) {
        let file = tree(&path);
        let scenarios = file["scenarios"].as_array().unwrap();
        let steps: Vec<_> =
            scenarios.iter().filter_map(|it| it["steps"].as_array()).flatten().collect();
        let sent = steps.iter().filter(|it| it["error"]["kind"] != "validation");
        let sent = sent.filter(|it| it["call"] != "lint");
        let sent = sent.filter_map(|step| request_of(step, &samples));
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        requests.extend(sent.map(|it| (name.clone(), it)));
    }
    assert!(requests.len() > 200, "{}", requests.len());
    let mut found = Vec::new();
    for (name, request) in requests {
        let request = Json::parse(request.to_string().as_bytes()).unwrap();
        let Some(request) = request.as_object() else { continue };
        let is_meant = |code: &str| {
            ON_PURPOSE.iter().any(|(file, codes)| *file == name && codes.contains(&code))
        };
        let certain = lint(request).into_iter().filter(|it| it.certainty == Certainty::Certain);
        found.extend(certain.filter(|it| !is_meant(it.code)).map(|it| (name.clone(), it)));
    }
    assert!(found.is_empty(), "{found:#?}");
}

fn tree(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The request of a step: its input, or a sample with the step's changes.
fn request_of(step: &Value, samples: &Value) -> Option<Value> {
    if let Some(input) = step.get("input") {
        return Some(input.clone());
    }
    let mut request = samples[step["sample"].as_str()?].clone();
    for (pointer, value) in step["set"].as_object().into_iter().flatten() {
        let (holder, name) = pointer.rsplit_once('/')?;
        request.pointer_mut(holder)?[name] = value.clone();
    }
    Some(request)
}

#[test]
fn examples_and_pages_name_known_methods() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = [
        "examples",
        "docs",
        "tests/dist",
        "cli/src/demo",
        "sandbox/page",
        "bindings-node/examples",
    ];
    let kinds = ["md", "rs", "c", "h", "php", "py", "mjs", "cjs", "js", "ts"];
    let mut files: Vec<_> =
        folders.iter().flat_map(|it| files_in(&root.join(it), &kinds)).collect();
    for readme in [
        "README.md",
        "bindings-node/README.md",
        "bindings-php/README.md",
        "bindings-python/README.md",
    ] {
        files.push(root.join(readme));
    }
    let mut names = 0;
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        for code in text.split("payment_type_code").skip(1).filter_map(code_after) {
            assert!(payment_method(code).is_some(), "{}: {code}", path.display());
            names += 1;
        }
    }
    assert!(names > 15, "{names}");
}

/// The text that is given to a member whose name stands before, in any language.
fn code_after(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(['\\', '"', '\'', ' ', ':', '=', '>', ',']);
    let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '-')?;
    let (code, after) = rest.split_at(end);
    (!code.is_empty() && after.starts_with(['"', '\'', '\\'])).then_some(code)
}

fn files_in(folder: &Path, kinds: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|it| it != "node_modules") {
            files.extend(files_in(&path, kinds));
        } else if path.extension().is_some_and(|it| kinds.iter().any(|kind| it == *kind)) {
            files.push(path);
        }
    }
    files
}
