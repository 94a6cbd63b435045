//! The tunnel to a host that a proxy opens, and the words for its refusal.

use ::ureq::http::Uri;
use ::ureq::unversioned::transport::{NextTimeout, Transport};
use ::ureq::{Error, Proxy};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use crate::address::port_of;
use crate::classify::Ends;
use crate::failure::{Cause, TransportFailure};
use crate::head::{self, Head, is_ambiguous};
use crate::proxy_url::{NamedProxy, ProxyName};
use crate::request::USER_AGENT;
use crate::socket::Wire;

/// Has `proxy`, to which `layers` lead, open a tunnel to the host of `uri`.
///
/// # Errors
/// If it does not; `wire` may know why.
pub(super) fn open(
    layers: &mut dyn Transport,
    uri: &Uri,
    proxy: &NamedProxy,
    wire: &Wire,
    ends: &Ends,
) -> Result<(), Error> {
    let request = request(uri, &proxy.proxy);
    let mut rest = request.as_bytes();
    while !rest.is_empty() {
        let output = layers.buffers().output();
        let (now, later) = rest.split_at(rest.len().min(output.len()));
        output[..now.len()].copy_from_slice(now);
        layers.transmit_output(now.len(), NextTimeout::default())?;
        // The buffer is reused; the password is secret.
        layers.buffers().output().fill(0);
        rest = later;
    }
    let mut received = Vec::new();
    let head = loop {
        if !layers.await_input(NextTimeout::default())? {
            return Err(wire.fail(silent(&proxy.name, ends)));
        }
        let (before, buffers) = (received.len(), layers.buffers());
        received.extend_from_slice(buffers.input());
        let read = head::read(&received)
            .map_err(|failure| wire.fail(unreadable(&failure, &proxy.name, ends)))?;
        // Bytes after the head are those of the host.
        let used = read.as_ref().map_or(received.len(), |(_, length)| *length) - before;
        buffers.input_consume(used);
        if let Some((head, _)) = read {
            break head;
        }
    };
    match (head.status, head.ambiguous) {
        (200..=299, None) => Ok(()),
        (200..=299, Some(name)) => {
            Err(wire.fail(unreadable(&is_ambiguous(name), &proxy.name, ends)))
        }
        _ => Err(wire.fail(refused(&head, &proxy.name, ends))),
    }
}

fn request(uri: &Uri, proxy: &Proxy) -> Zeroizing<String> {
    let host = format!("{}:{}", uri.host().unwrap_or_default(), port_of(uri));
    let login = proxy.username().or(proxy.password()).map(|_| {
        let [user, password] = [proxy.username(), proxy.password()].map(Option::unwrap_or_default);
        let login = Zeroizing::new(format!("{user}:{password}"));
        let login = Zeroizing::new(STANDARD.encode(login.as_bytes()));
        Zeroizing::new(format!("proxy-authorization: Basic {}\r\n", *login))
    });
    Zeroizing::new(format!(
        "CONNECT {host} HTTP/1.1\r\nhost: {host}\r\nuser-agent: {USER_AGENT}\r\n\
         proxy-connection: keep-alive\r\n{}\r\n",
        login.as_ref().map_or("", |it| it.as_str())
    ))
}

/// The proxy closed the connection in place of a response.
fn silent(name: &ProxyName, ends: &Ends) -> TransportFailure {
    let ProxyName { shown, set_by } = name;
    let host = &ends.host;
    failed(format!(
        "{shown} closed the connection that was to lead to {host}, without a response; check \
         {set_by}, and that it is an HTTP proxy that allows this host"
    ))
}

fn unreadable(why: &TransportFailure, name: &ProxyName, ends: &Ends) -> TransportFailure {
    failed(format!("{} did not open a connection to {}: {why}", name.shown, ends.host))
}

/// The proxy gave a response other than 2xx.
fn refused(head: &Head, name: &ProxyName, ends: &Ends) -> TransportFailure {
    let ProxyName { shown, set_by } = name;
    let host = &ends.host;
    let status = head.status;
    match status {
        // The same password would be refused again.
        407 => failed(login_refused(&schemes(head), name, host)).without_reconnect(),
        401 => failed(format!(
            "{shown} responded with 401, as a web server does, and not with 407, as a proxy does; \
             check that {set_by} is the address of a proxy, and its user and password"
        ))
        .without_reconnect(),
        502..=504 => {
            failed(format!("{shown} could not reach or resolve {host} ({status})")).of_address()
        }
        _ => {
            let or_direct = match *set_by {
                "proxy" => "",
                _ => ", or add the host to NO_PROXY if it can be reached without",
            };
            failed(format!(
                "{shown} refused to connect to {host}: it responded {status}; have the proxy allow \
                 this host{or_direct}"
            ))
        }
    }
}

/// The known schemes that `head` offers for a login.
fn schemes(head: &Head) -> Vec<&'static str> {
    const KNOWN: [&str; 6] = ["Basic", "Bearer", "Digest", "Kerberos", "Negotiate", "NTLM"];
    let of_proxy = |name: &str| name.eq_ignore_ascii_case("proxy-authenticate");
    let offered = head.headers.iter().filter(|(name, _)| of_proxy(name));
    let offered: Vec<_> = offered
        .flat_map(|(_, value)| value.split(','))
        .filter_map(|challenge| challenge.split_whitespace().next())
        .collect();
    KNOWN
        .into_iter()
        .filter(|known| offered.iter().any(|it| it.eq_ignore_ascii_case(known)))
        .collect()
}

fn login_refused(schemes: &[&str], name: &ProxyName, host: &str) -> String {
    let (shown, set_by) = (&name.shown, name.set_by);
    let offered = schemes.join(", ");
    if !schemes.is_empty() && !schemes.contains(&"Basic") {
        return format!(
            "{shown} offers no login by Basic (407), the only scheme that is supported, but \
             {offered}; have it offer Basic, or allow {host} without a login, or set {set_by} to a \
             proxy on this host that logs in there"
        );
    }
    let offered =
        if schemes.is_empty() { String::new() } else { format!(", which offers {offered}") };
    format!(
        "{shown} requires other credentials (407{offered}); set {set_by} to \
         http://user:password@host:port, and percent-encode characters such as @ : / and % in user \
         and password"
    )
}

fn failed(message: String) -> TransportFailure {
    TransportFailure::of(Cause::ProxyRefused, message)
}
