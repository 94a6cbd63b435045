//! When a TLS connection may be reused depends on the state of TLS, not only on
//! the socket.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, mpsc};

use rustls::{ServerConfig, ServerConnection};

use crate::support::caller::{Caller, tls_url, trusting};
use crate::support::raw_server::{Connection, RawServer, json, response};
use crate::support::tls_server::Authority;

/// A TLS stream that sends everything written before a flush in one write.
struct AtOnce {
    session: ServerConnection,
    socket: TcpStream,
    /// Whether each flush ends with close_notify, without closing the
    /// connection.
    says_goodbye: bool,
}

impl Read for AtOnce {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        rustls::Stream::new(&mut self.session, &mut self.socket).read(buffer)
    }
}

impl Write for AtOnce {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.session.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.says_goodbye {
            self.session.send_close_notify();
        }
        let mut records = Vec::new();
        while self.session.wants_write() {
            self.session.write_tls(&mut records)?;
        }
        self.socket.write_all(&records)
    }
}

/// Runs `serve` for each connection, with such a TLS stream.
fn start(
    authority: &Authority,
    says_goodbye: bool,
    serve: impl Fn(&mut Connection) + Send + Sync + 'static,
) -> RawServer {
    let tls: Arc<ServerConfig> = authority.server(&["localhost"]);
    RawServer::start(move |mut connection| {
        let mut session = ServerConnection::new(Arc::clone(&tls)).unwrap();
        if session.complete_io(&mut connection.socket).is_err() {
            return;
        }
        let socket = connection.socket.try_clone().unwrap();
        connection.stream = Box::new(AtOnce { session, socket, says_goodbye });
        serve(&mut connection);
    })
}

fn caller(server: &RawServer, authority: &Authority) -> Caller {
    Caller::new(&tls_url(server), &trusting(&authority.pem()))
}

#[test]
fn records_behind_a_response_never_become_the_next_response() {
    let authority = Authority::new("ours");
    // TLS is read in steps of 4096 bytes. The lengths move the start of the
    // second record across such a boundary.
    for length in (3400..4600).step_by(60) {
        let server = start(&authority, false, move |connection| {
            let of =
                |body: &str, length: usize| response("200 OK", "", &format!("{body:<length$}"));
            while connection.read_request().is_some() {
                connection.stream.write_all(&of("ours", length)).unwrap();
                connection.stream.write_all(&of("stray", 300)).unwrap();
                connection.stream.flush().unwrap();
            }
        });
        let caller = caller(&server, &authority);
        for number in 1..=2 {
            assert_eq!(caller.body().trim_end(), "ours", "a response of {length} bytes");
            assert_eq!(server.connections(), number, "a response of {length} bytes");
        }
    }
}

#[test]
fn a_session_that_the_service_ended_is_not_used_again() {
    let authority = Authority::new("ours");
    let server = start(&authority, true, |connection| {
        while connection.read_request().is_some() {
            connection.stream.write_all(&json("{}")).unwrap();
            connection.stream.flush().unwrap();
        }
    });
    let caller = caller(&server, &authority);
    for number in 1..=3 {
        assert_eq!(caller.body(), "{}");
        assert_eq!(server.connections(), number);
    }
}

#[test]
fn a_part_of_a_record_behind_a_response_ends_the_connection() {
    const PART: [u8; 8] = [23, 3, 3, 0, 100, 1, 2, 3];
    let authority = Authority::new("ours");
    let (read, is_read) = mpsc::channel();
    let (sent, is_sent) = mpsc::channel();
    let is_read = Mutex::new(is_read);
    let server = start(&authority, false, move |connection| {
        connection.read_request().unwrap();
        connection.stream.write_all(&json("{}")).unwrap();
        connection.stream.flush().unwrap();
        if is_read.lock().unwrap().recv().is_ok() {
            connection.socket.write_all(&PART).unwrap();
            sent.send(()).unwrap();
            connection.wait_for_the_end();
        }
    });
    let caller = caller(&server, &authority);
    assert_eq!(caller.body(), "{}");
    read.send(()).unwrap();
    is_sent.recv().unwrap();
    drop(read);
    assert_eq!((caller.body().as_str(), server.connections()), ("{}", 2));
}
