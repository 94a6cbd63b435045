//! A server that sends exactly the bytes a test chooses.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The server's side of a connection: plain, or with TLS.
pub trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// A request as received.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// Request line and headers, without the empty line.
    pub head: String,
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

#[derive(Default)]
struct Seen {
    connections: usize,
    requests: Vec<ReceivedRequest>,
}

pub struct RawServer {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
    stopped: Arc<AtomicBool>,
}

/// One connection of a [`RawServer`].
pub struct Connection {
    /// Counted from 1, in the order of acceptance.
    pub number: usize,
    pub stream: Box<dyn Stream>,
    pub socket: TcpStream,
    seen: Arc<Mutex<Seen>>,
    unread: Vec<u8>,
}

impl RawServer {
    /// Runs `serve` for every connection, each on its own thread. The
    /// connection is closed when `serve` returns.
    pub fn start(serve: impl Fn(Connection) + Send + Sync + 'static) -> Self {
        Self::start_on(TcpListener::bind("127.0.0.1:0").unwrap(), serve)
    }

    pub fn start_on(
        listener: TcpListener,
        serve: impl Fn(Connection) + Send + Sync + 'static,
    ) -> Self {
        let server = Self {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
            stopped: Arc::default(),
        };
        let (seen, stopped) = (Arc::clone(&server.seen), Arc::clone(&server.stopped));
        let serve = Arc::new(serve);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.connections += 1;
                    seen.connections
                };
                // Longer than any test waits: only a client that is gone hits
                // this limit.
                socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
                socket.set_nodelay(true).unwrap();
                let connection = Connection {
                    number,
                    stream: Box::new(socket.try_clone().unwrap()),
                    socket,
                    seen: Arc::clone(&seen),
                    unread: Vec::new(),
                };
                let serve = Arc::clone(&serve);
                std::thread::spawn(move || serve(connection));
            }
        });
        server
    }

    /// Starts a server that responds to every request with these bytes, and
    /// keeps the connection.
    pub fn responding(response: impl Into<Vec<u8>>) -> Self {
        let response = response.into();
        Self::start(
            move |mut connection| {
                while connection.read_request().is_some() && connection.write(&response) {}
            },
        )
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn connections(&self) -> usize {
        self.seen.lock().unwrap().connections
    }

    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.seen.lock().unwrap().requests.clone()
    }
}

impl Drop for RawServer {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

impl Connection {
    /// Reads and records one request. Returns `None` if the client disconnects.
    pub fn read_request(&mut self) -> Option<ReceivedRequest> {
        let end = loop {
            if let Some(end) = self.unread.windows(4).position(|part| part == b"\r\n\r\n") {
                break end;
            }
            self.read_more()?;
        };
        let rest = self.unread.split_off(end + 4);
        let mut request = ReceivedRequest {
            head: String::from_utf8_lossy(&self.unread[..end]).into_owned(),
            body: Vec::new(),
        };
        self.unread = rest;
        let length = request.header("content-length").map_or(0, |value| value.parse().unwrap());
        while self.unread.len() < length {
            self.read_more()?;
        }
        request.body = self.unread.drain(..length).collect();
        self.seen.lock().unwrap().requests.push(request.clone());
        Some(request)
    }

    fn read_more(&mut self) -> Option<()> {
        let mut part = [0; 16 * 1024];
        match self.stream.read(&mut part) {
            Ok(amount @ 1..) => self.unread.extend_from_slice(&part[..amount]),
            _ => return None,
        }
        Some(())
    }

    /// Sends the bytes. Returns whether the connection accepted them.
    pub fn write(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).and_then(|()| self.stream.flush()).is_ok()
    }

    /// Stays silent until the client disconnects.
    pub fn wait_for_the_end(&mut self) {
        while self.read_more().is_some() {
            self.unread.clear();
        }
    }

    /// Resets the connection.
    pub fn reset(self) {
        let socket = socket2::SockRef::from(&self.socket);
        socket.set_linger(Some(Duration::ZERO)).unwrap();
    }
}

/// A 200 with a JSON body.
pub fn json(body: &str) -> Vec<u8> {
    response("200 OK", "content-type: application/json\r\n", body)
}

/// A response with `content-length`. Each line of `headers` ends in CRLF.
pub fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len()).into()
}

/// The response to a successful payment.
pub fn created() -> Vec<u8> {
    json(r#"{"status":"SUCCESS","payment":{"hash":"5f2c","status":"PE"}}"#)
}
