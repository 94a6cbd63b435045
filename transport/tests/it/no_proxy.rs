//! `NO_PROXY`, by the vectors.

use std::path::Path;

use payments_transport::inside::NoProxy;
use serde_json::Value;

fn cases() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/no_proxy.json");
    let file: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    file["cases"].as_array().unwrap().clone()
}

/// Host and port of a URL.
fn parts(url: &str) -> (&str, u16) {
    let (scheme, rest) = url.split_once("://").unwrap();
    let host_ends = rest.find(']').unwrap_or(0);
    match rest[host_ends..].rfind(':') {
        Some(colon) => (&rest[..host_ends + colon], rest[host_ends + colon + 1..].parse().unwrap()),
        None => (rest, if scheme == "https" { 443 } else { 80 }),
    }
}

fn urls<'c>(case: &'c Value, name: &str) -> Vec<&'c str> {
    let list = case[name].as_array().unwrap();
    list.iter().map(|url| url.as_str().unwrap()).collect()
}

#[test]
fn each_list_names_the_hosts_that_it_should() {
    let cases = cases();
    for case in &cases {
        let (what, list) = (case["what"].as_str().unwrap(), case["no_proxy"].as_str().unwrap());
        let (direct, proxied) = (urls(case, "direct"), urls(case, "proxied"));
        assert!(!direct.is_empty() || !proxied.is_empty(), "{what}");
        let no_proxy = NoProxy::read(list);
        for (urls, expected) in [(direct, true), (proxied, false)] {
            for url in urls {
                let (host, port) = parts(url);
                assert_eq!(no_proxy.covers(host, port), expected, "{what}: {list:?} {url}");
            }
        }
    }
}

#[test]
fn no_item_makes_a_call_use_a_proxy() {
    let cases = cases();
    for case in &cases {
        let list = case["no_proxy"].as_str().unwrap();
        for url in urls(case, "direct") {
            let (host, port) = parts(url);
            for other in &cases {
                let other = other["no_proxy"].as_str().unwrap();
                for both in [format!("{list},{other}"), format!("{other} {list}")] {
                    assert!(NoProxy::read(&both).covers(host, port), "{both:?} {url}");
                }
            }
        }
    }
}
