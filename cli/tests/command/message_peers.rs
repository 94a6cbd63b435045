//! Peers that fail in one way each, and the varying parts of messages about
//! them.

use std::io::Read as _;
use std::net::TcpListener;
use std::sync::LazyLock;

use rcgen::{BasicConstraints, CertificateParams, IsCa};
use rustls::version::TLS12;

use crate::raw_server::RawServer;
use crate::support::Merchant;
use crate::tls_server::{self, Authority};

pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) url: String,
    _server: Option<RawServer>,
}

static AUTHORITY: LazyLock<Authority> = LazyLock::new(|| Authority::new("ours"));
static OLD_AUTHORITY: LazyLock<Authority> = LazyLock::new(|| Authority::until("old", 2020));
static SITE: LazyLock<Authority> = LazyLock::new(|| Authority::of_server("site.example"));

/// The certificates that issued those of some peers.
pub(crate) fn authorities() -> String {
    [AUTHORITY.pem(), OLD_AUTHORITY.pem(), SITE.pem()].concat()
}

/// A link to the folder of the vectors' keys. Commands name it without quotes,
/// and a checkout may have a space in its path.
pub(crate) const KEYS: &str = "vector_keys";

/// Responses that are odd in one way each. The first part of a request's path
/// names one, or that of the host that a proxy is to reach.
const ODD: [(&str, &str); 13] = [
    ("compressed", "200 OK\r\ncontent-encoding: gzip\r\n\r\nxyz"),
    ("compressed-400", "400 Bad Request\r\ncontent-encoding: br\r\n\r\nxyz"),
    ("compressed-401", "401 Unauthorized\r\ncontent-encoding: (odd)\r\n\r\nxyz"),
    ("ambiguous", "200 OK\r\nContent-Length : 2\r\n\r\n{}"),
    ("coded", "200 OK\r\ntransfer-encoding: identity, chunked\r\n\r\n0\r\n\r\n"),
    ("switching", "101 Switching Protocols\r\nupgrade: h2c\r\n\r\n"),
    ("statusless", "OK\r\n\r\n"),
    ("basic", "407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n"),
    ("ntlm", "407 Proxy Authentication Required\r\nproxy-authenticate: NTLM\r\n\r\n"),
    ("unauthorized", "401 Unauthorized\r\n\r\n"),
    ("unreachable", "503 Service Unavailable\r\n\r\n"),
    ("redirecting", "302 Found\r\nlocation: http://portal/\r\n\r\n"),
    ("silent", ""),
];

fn odd() -> RawServer {
    RawServer::start(|mut connection| {
        let Some(request) = connection.read_request() else { return };
        let target = request.head.split(' ').nth(1).unwrap().trim_start_matches('/');
        let name = target.split(['/', '.']).next().unwrap();
        let (_, rest) = ODD.iter().find(|(known, _)| *known == name).unwrap();
        let start = if rest.is_empty() { "" } else { "HTTP/1.1 " };
        connection.write(format!("{start}{rest}").as_bytes());
    })
}

pub(crate) static PEERS: LazyLock<Vec<Peer>> = LazyLock::new(|| {
    let responding = |status: &str| RawServer::responding(format!("HTTP/1.1 {status}\r\n\r\n"));
    let tls = |tls| tls_server::start(tls, |_| {});
    let silent = RawServer::start(|mut connection| {
        connection.read_request();
        connection.read_request();
    });
    // A client that begins with TLS sends no line of HTTP.
    let plain = RawServer::start(|mut connection| {
        let _ = connection.stream.read(&mut [0; 1024]);
        connection.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
    });
    let closing = RawServer::start(|mut connection| {
        let _ = connection.stream.read(&mut [0; 1024]);
    });
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let with = |name, scheme: &str, server: RawServer| {
        let host = if scheme == "https" { "localhost" } else { "127.0.0.1" };
        Peer { name, url: format!("{scheme}://{host}:{}", server.port()), _server: Some(server) }
    };
    vec![
        with("silent", "http", silent),
        with("untrusted", "https", tls(Authority::new("foreign").server(&["localhost"]))),
        with("another_host", "https", tls(AUTHORITY.server(&["payments.example"]))),
        with("expired", "https", tls(AUTHORITY.server_until(&["localhost"], 2020))),
        with("issuing", "https", tls(AUTHORITY.server_of_another("Issuing", false))),
        with("authority", "https", tls(AUTHORITY.server_with(&["localhost"], as_authority))),
        with("of_expired", "https", tls(OLD_AUTHORITY.server(&["localhost"]))),
        with("of_server", "https", tls(SITE.server(&["localhost"]))),
        with("known_clients", "https", tls(AUTHORITY.server_for_known_clients(&[&TLS12]))),
        with("plain", "https", plain),
        with("closing", "https", closing),
        with("odd", "http", odd()),
        with("forbidding_proxy", "http", responding("403 Forbidden")),
        with("closed_proxy", "http", responding("407 Proxy Authentication Required")),
        Peer { name: "nobody", url: format!("http://{nobody}"), _server: None },
    ]
});

fn as_authority(params: &mut CertificateParams) {
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
}

/// The text with names in the place of ports and of the folder.
pub(crate) fn without_varying_parts(text: &str, merchant: &Merchant) -> String {
    let service = merchant.sandbox.port().to_string();
    let peers = PEERS.iter().map(|peer| (port_of(&peer.url), peer.name));
    let ports = peers.chain([(service.as_str(), "service")]);
    let text = ports.fold(text.to_owned(), |text, (port, name)| {
        let text = text.replace(&format!(":{port}"), &format!(":{{{name}}}"));
        text.replace(&format!("port {port}"), &format!("port {{{name}}}"))
    });
    let text = without_quotes(&text.replace(&merchant.folder.display().to_string(), "{folder}"));
    let text = text.replace(KEYS, "{keys}");
    let text = without_number(&text, "for another ", " s");
    let text = without_number(&text, "(in ", " min)");
    let text = without_number(&text, "(in ", " s)");
    let text = without_number(&text, " in slot ", "");
    let text = without_user(&text);
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | ':');
    let words = text.split_inclusive(|it| !is_part(it)).map(|word| {
        let inner = word.trim_matches(|it: char| !it.is_ascii_alphanumeric());
        word.replacen(inner, name_of(inner), 1)
    });
    words.collect()
}

/// The text without the quotes of a shell around paths in the folder, which only a
/// folder whose name needs them has.
fn without_quotes(text: &str) -> String {
    let mut parts = text.split("'{folder}");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, rest| text + "{folder}" + &rest.replacen('\'', "", 1))
}

/// The text with `{user}` in the place of the user of this process.
fn without_user(text: &str) -> String {
    let output = std::process::Command::new("id").arg("-un").output().unwrap();
    let user = String::from_utf8(output.stdout).unwrap();
    text.replace(&format!("to the user {}", user.trim()), "to the user {user}")
}

/// The placeholder for an id or a time; the word itself if it is neither.
fn name_of(word: &str) -> &str {
    let is_hex = word.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    let is_number = word.bytes().all(|it| it.is_ascii_digit());
    match word.len() {
        32 if is_hex => "{id}",
        13 if is_number && word.starts_with('1') => "{milliseconds}",
        20 if word.ends_with('Z') && word.contains('T') => "{time}",
        _ => word,
    }
}

/// The text with `{number}` in the place of whole numbers between `before` and
/// `after`.
fn without_number(text: &str, before: &str, after: &str) -> String {
    let mut parts = text.split(before);
    let mut without = parts.next().unwrap().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|it: char| it.is_ascii_digit());
        let is_number = rest.len() < part.len() && rest.starts_with(after);
        without.push_str(before);
        without.push_str(if is_number { "{number}" } else { "" });
        without.push_str(if is_number { rest } else { part });
    }
    without
}

fn port_of(url: &str) -> &str {
    url.rsplit(':').next().unwrap()
}
