//! Replays test suites that others wrote. Cargo downloads them inside crates,
//! and compiles none of these.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use payments_core::json::{Json, JsonErrorKind, ParseOptions};
use payments_core::transport::fuzzing::received;
use serde_json::Value;

/// `nst/JSONTestSuite`: `y_` must be read, `n_` must be refused, `i_` may be either.
#[test]
fn the_json_test_suite_passes() {
    let folder = source_of("actson").join("tests/json_test_suite/test_parsing");
    let mut counts = [0; 3];
    for entry in fs::read_dir(&folder).expect("the suite") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read(&path).expect("a file");
        let read = Json::parse_with(&text, ParseOptions::new().keeping_duplicates());
        match name.as_bytes()[0] {
            b'y' => assert!(read.is_ok(), "{name}: {read:?}"),
            b'n' => assert!(read.is_err(), "{name}"),
            _ => {
                if let Err(error) = &read {
                    let is_text = str::from_utf8(&text).is_ok();
                    // The rest are lone surrogates, which no text holds.
                    let is_known = !is_text
                        || error.kind() == JsonErrorKind::TooDeep
                        || text.starts_with("\u{feff}".as_bytes())
                        || name.contains("surrogate")
                        || name.contains("lone");
                    assert!(is_known, "{name}: {error}");
                }
            }
        }
        counts["yni".find(&name[..1]).expect("y, n or i")] += 1;
    }
    println!("JSON: {} valid, {} invalid, {} undefined documents", counts[0], counts[1], counts[2]);
    assert!(counts.iter().sum::<usize>() >= 300, "the suite is not whole");
}

/// The responses of `nodejs/http-parser`, in whole and byte by byte.
#[test]
fn the_responses_of_http_parser_are_read() {
    let source = source_of("http-muncher").join("http-parser/test.c");
    let source = fs::read(source).expect("the suite");
    let responses = responses_in(&String::from_utf8_lossy(&source));
    assert!(responses.len() >= 20, "only {} responses", responses.len());
    for Response { name, raw, status, body } in &responses {
        let whole = received([&raw[..]].into_iter(), false, 1 << 20);
        let bytewise = received(raw.chunks(1), false, 1 << 20);
        if REFUSED.contains(&&**name) {
            assert!(whole.is_none() && bytewise.is_none(), "{name} is read now");
            continue;
        }
        for read in [whole, bytewise] {
            let (read, is_whole) = read.unwrap_or_else(|| panic!("{name} is not read"));
            assert_eq!((read.status(), is_whole), (*status, true), "{name}");
            assert_eq!(String::from_utf8_lossy(read.body()), *body, "{name}");
        }
    }
    println!("HTTP: {} responses, of which {} are refused", responses.len(), REFUSED.len());
}

/// Input that http-parser accepts.
const REFUSED: [&str; 1] = ["http version 0.9"];

#[derive(Default, Debug)]
struct Response {
    name: String,
    raw: Vec<u8>,
    status: u16,
    body: String,
}

/// Reads C: the designated initializers of the array `responses`.
fn responses_in(source: &str) -> Vec<Response> {
    let start = source.find("struct message responses[]").expect("the array");
    let end = start + source[start..].find("\n};").expect("its end");
    source[start..end].split(".name=").skip(1).filter_map(response_in).collect()
}

fn response_in(source: &str) -> Option<Response> {
    let field = |name: &str| {
        let name = format!(",.{name}");
        source.split(&name).skip(1).find_map(|rest| rest.trim_start().strip_prefix('='))
    };
    let text = |rest: &str| String::from_utf8_lossy(&literals(rest)).into_owned();
    let status = field("status_code")?.trim_start();
    let status = &status[..status.find(|it: char| !it.is_ascii_digit())?];
    Some(Response {
        name: text(source),
        raw: literals(field("raw")?),
        status: status.parse().ok()?,
        body: field("body").map(text).unwrap_or_default(),
    })
}

/// The string literals, with comments between them, at the start of `source`.
fn literals(source: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = source.trim_start();
    loop {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").expect("the end of a comment").1.trim_start();
        } else if let Some(literal) = rest.strip_prefix('"') {
            rest = literal_at(literal, &mut bytes).trim_start();
        } else {
            return bytes;
        }
    }
}

/// Appends the text of the literal, and returns the rest.
fn literal_at<'a>(literal: &'a str, bytes: &mut Vec<u8>) -> &'a str {
    let mut characters = literal.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return &literal[at + 1..],
            '\\' => {
                let (at, escaped) = characters.next().expect("an escape");
                match escaped {
                    'r' => bytes.push(b'\r'),
                    'n' => bytes.push(b'\n'),
                    't' => bytes.push(b'\t'),
                    '0'..='7' => {
                        let octal = &literal[at..at + 3];
                        bytes.push(u8::from_str_radix(octal, 8).expect("three octal digits"));
                        characters.nth(1);
                    }
                    'x' => {
                        let hex = &literal[at + 1..at + 3];
                        bytes.push(u8::from_str_radix(hex, 16).expect("two hex digits"));
                        characters.nth(1);
                    }
                    other => bytes.extend(other.to_string().bytes()),
                }
            }
            other => bytes.extend(other.to_string().bytes()),
        }
    }
    panic!("a literal does not end")
}

/// The folder into which Cargo unpacked the crate.
fn source_of(name: &str) -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let mut metadata = Command::new(env!("CARGO"));
    metadata.args(["metadata", "--locked", "--format-version", "1", "--manifest-path"]);
    let output = metadata.arg(manifest).output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|it| it["name"] == name);
    let manifest = package.unwrap_or_else(|| panic!("no {name}"))["manifest_path"].as_str();
    Path::new(manifest.expect("a path")).parent().expect("a folder").to_owned()
}
