//! A request that is sent again, and whose response is lost.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::json;

use crate::faults::script::FaultScript;
use crate::faults::{Fault, FaultKind};
use crate::http::response::Response;
use crate::service::Service;
use crate::service::request_log::RequestRecord;

/// Sends the request of that number again, as its client did, and closes the
/// connection once it is executed.
pub(super) fn replay(service: &Service, sequence: &str) -> Response {
    let record = sequence.parse().ok().and_then(|it| service.request_log.record(it));
    let Some(record) = record else {
        return Response::json(404, &json!({"error": "the sandbox no longer has this request"}));
    };
    let lost = Fault {
        execute: Some(true),
        given_as: Some("response_lost"),
        ..Fault::new(FaultKind::Close)
    };
    let script = FaultScript {
        method: Some(record.method.clone()),
        path: Some(record.path.clone()),
        ..FaultScript::for_any(vec![lost])
    };
    service.faults.push(script);
    match send(service, &record) {
        Ok(()) => Response::json(200, &json!({})),
        Err(error) => {
            Response::json(500, &json!({"error": format!("could not send it again: {error}")}))
        }
    }
}

fn send(service: &Service, record: &RequestRecord) -> io::Result<()> {
    let host = service.base_url.trim_start_matches("http://");
    let mut head = format!("{} {} HTTP/1.1\r\n", record.method, record.target);
    let is_framing = |name: &str| {
        ["connection", "content-length", "transfer-encoding", "expect"]
            .iter()
            .any(|it| name.eq_ignore_ascii_case(it))
    };
    for (name, value) in record.headers.iter().filter(|(name, _)| !is_framing(name)) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", record.body.len()));
    let mut stream = TcpStream::connect(host)?;
    stream.write_all(&[head.as_bytes(), &record.body].concat())?;
    // Until the connection is closed, which is the response that was asked for.
    stream.read_to_end(&mut Vec::new()).map(drop)
}
