//! Connections that are used again. The service is outside of the scheduler.

use std::io::{Read as _, Write as _};
use std::model;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::original::sync::OnceLock;
use std::thread;

use payments_transport::context::CallContext;
use payments_transport::inside::SignedBody;
use payments_transport::{HttpSettings, HttpTransport, PreparedRequest, Transport as _};

use super::LONG;

/// Three requests at once, and one afterwards.
pub fn one_request() {
    model::execution(|| {
        let transport = HttpTransport::new(&HttpSettings::default()).unwrap();
        let address = service();
        let send = |path: &str| {
            let url = format!("http://{address}/{path}");
            let body = SignedBody::new(Vec::new(), 0);
            let request = PreparedRequest::new("GET", url.into(), body, 1000, true);
            let context = CallContext::with_timeout(LONG).begun();
            let response = transport.send(&context, &request).unwrap();
            assert_eq!(String::from_utf8_lossy(response.raw.body()), format!("/{path}"));
        };
        thread::scope(|scope| {
            for path in ["first", "second"] {
                let send = &send;
                scope.spawn(move || {
                    send(path);
                    send(path);
                });
            }
        });
    });
}

/// Answers with the path. A request that comes before the answer to another one
/// gets a wrong answer.
fn service() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::original::thread::spawn(move || {
            for stream in listener.incoming() {
                std::original::thread::spawn(move || serve(&mut stream.unwrap()));
            }
        });
        address
    })
}

fn serve(stream: &mut TcpStream) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        let text = String::from_utf8_lossy(&buffer[..length]);
        let path = match text.matches("HTTP/1.1\r\n").count() {
            1 => text.split(' ').nth(1).unwrap_or_default(),
            _ => "requests of two",
        };
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{path}", path.len());
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}
