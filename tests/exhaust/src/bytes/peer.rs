//! The other sides of a call. Each stops where its script says.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::net::sockopt::set_socket_linger;

use super::{TURN, Way, redis};
use crate::stand_ins::Flow;

/// By then a connection was accepted, if it ever is.
const LATE: Duration = Duration::from_secs(10);

/// Bytes that no protocol here contains.
const GARBAGE: [u8; 64] = *b"\xff\x00\xfe<\x01\xff\x00\xfe<\x01\xff\x00\xfe<\x01\xff\x00\xfe<\x01\
    \xff\x00\xfe<\x01\xff\x00\xfe<\x01\xff\x00\xfe<\x01\xff\x00\xfe<\x01\
    \xff\x00\xfe<\x01\xff\x00\xfe<\x01\xff\x00\xfe<\x01\xff\x00\xfe<\x01\xff\x00\xfe<";

/// The sender of the bytes that are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Request,
    Response,
}

/// Where the first connection of a peer stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    pub(super) direction: Direction,
    pub(super) at: usize,
    pub(super) way: Way,
}

/// The action of a peer on a connection.
#[derive(Clone)]
pub(super) enum Role {
    /// Answers requests. Closes after the answer, or not.
    Http { answer: Arc<[u8]>, closes: bool },
    /// Tunnels to any address.
    Proxy,
    /// A Redis server, with or without a token.
    Redis { has_token: bool },
}

/// One run of a peer.
struct Script {
    /// Connections to other addresses are of earlier runs.
    address: Ipv4Addr,
    role: Role,
    cut: Option<Cut>,
    serving: Vec<(Weak<TcpStream>, JoinHandle<()>)>,
    seen: Traffic,
}

/// The bytes that a peer saw in a run.
#[derive(Default)]
pub(super) struct Traffic {
    /// Whether its connection reached the cut.
    pub(super) has_stopped: bool,
    /// All requests that it read whole.
    pub(super) requests: Vec<Vec<u8>>,
}

/// A peer that serves one run after the other.
pub(super) struct Peer {
    pub(super) port: u16,
    script: Arc<Mutex<Script>>,
}

impl Peer {
    /// Listens on all addresses of loopback until the process ends.
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = Arc::new(Mutex::new(Script {
            address: Ipv4Addr::UNSPECIFIED,
            role: Role::Proxy,
            cut: None,
            serving: Vec::new(),
            seen: Traffic::default(),
        }));
        let shared = Arc::clone(&script);
        std::thread::spawn(move || {
            for stream in listener.incoming().map(Result::unwrap) {
                let mut script = shared.lock().unwrap();
                let Ok(address) = stream.local_addr() else { continue };
                if address.ip() == IpAddr::V4(script.address) {
                    let (role, cut) = (script.role.clone(), script.cut.take());
                    let (stream, shared) = (Arc::new(stream), Arc::clone(&shared));
                    let open = Arc::downgrade(&stream);
                    let line = Line { stream, cut, read: 0, written: 0, shared };
                    let serving = std::thread::spawn(move || line.serve(&role));
                    script.serving.push((open, serving));
                }
            }
        });
        Self { port, script }
    }

    /// Serves connections to `address` from now on.
    pub(super) fn begin(&self, address: Ipv4Addr, role: Role, cut: Option<Cut>) {
        let mut script = self.script.lock().unwrap();
        *script = Script { address, role, cut, serving: Vec::new(), seen: Traffic::default() };
    }

    /// Ends the run, whose client is gone, and had these connections.
    pub(super) fn end(&self, flows: &[Flow]) -> Traffic {
        let connections = flows.iter().filter(|flow| flow.port == self.port).count();
        let began = Instant::now();
        // A call may have ended before its connection was accepted.
        while self.script.lock().unwrap().serving.len() < connections && began.elapsed() < LATE {
            std::thread::sleep(Duration::from_millis(1));
        }
        let serving = {
            let mut script = self.script.lock().unwrap();
            script.address = Ipv4Addr::UNSPECIFIED;
            std::mem::take(&mut script.serving)
        };
        for (open, serving) in serving {
            // The store of an identity outlives its clients, with its connection.
            let _ = open.upgrade().map(|stream| stream.shutdown(Shutdown::Both));
            serving.join().unwrap();
        }
        std::mem::take(&mut self.script.lock().unwrap().seen)
    }
}

/// A connection of a peer. A method that returns `None` has stopped.
struct Line {
    stream: Arc<TcpStream>,
    cut: Option<Cut>,
    read: usize,
    written: usize,
    shared: Arc<Mutex<Script>>,
}

impl Line {
    fn serve(mut self, role: &Role) {
        self.stream.set_nodelay(true).unwrap();
        let _ = match role {
            Role::Http { answer, closes } => self.answer(answer, *closes),
            Role::Proxy => self.tunnel(),
            Role::Redis { has_token } => self.serve_redis(*has_token),
        };
    }

    fn answer(&mut self, answer: &[u8], closes: bool) -> Option<()> {
        loop {
            let request = self.read_until(|bytes| {
                let head = head_of(bytes)?;
                let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
                let length = text
                    .split_once("content-length: ")
                    .map_or(0, |(_, rest)| rest.split_once("\r\n").unwrap().0.parse().unwrap());
                (bytes.len() >= head + length).then_some(head + length)
            })?;
            self.shared.lock().unwrap().seen.requests.push(request);
            self.write(answer)?;
            if closes {
                return None;
            }
        }
    }

    fn tunnel(&mut self) -> Option<()> {
        let request = String::from_utf8(self.read_until(head_of)?).unwrap();
        let target = request.split(' ').nth(1).unwrap();
        self.write(b"HTTP/1.1 200 Connection established\r\nvia: 1.1 proxy\r\n\r\n")?;
        let service = TcpStream::connect(target).unwrap();
        let (from, to) = (self.stream.try_clone().unwrap(), service.try_clone().unwrap());
        let outward = std::thread::spawn(move || pass_on(from, to));
        pass_on(service, self.stream.try_clone().unwrap());
        outward.join().unwrap();
        None
    }

    fn serve_redis(&mut self, has_token: bool) -> Option<()> {
        loop {
            let command = self.read_until(redis::end_of_command)?;
            self.write(&redis::reply(&command, has_token))?;
        }
    }

    /// Reads until `end_of` finds the end. Nothing comes after it.
    fn read_until(&mut self, end_of: impl Fn(&[u8]) -> Option<usize>) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        while end_of(&bytes).is_none() {
            let limit = self.limit(Direction::Request, self.read);
            if limit == 0 {
                self.stop()?;
                continue;
            }
            let mut part = vec![0; limit.min(65_536)];
            let amount = (&*self.stream).read(&mut part).ok().filter(|amount| *amount > 0)?;
            bytes.extend_from_slice(&part[..amount]);
            self.read += amount;
        }
        Some(bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> Option<()> {
        let now = self.limit(Direction::Response, self.written).min(bytes.len());
        (&*self.stream).write_all(&bytes[..now]).ok()?;
        self.written += now;
        // After the last byte there is also something to cut.
        if self.limit(Direction::Response, self.written) > 0 {
            return Some(());
        }
        self.stop()?;
        for byte in &bytes[now..] {
            std::thread::sleep(TURN);
            (&*self.stream).write_all(std::slice::from_ref(byte)).ok()?;
        }
        Some(())
    }

    /// How many more bytes pass before the cut.
    fn limit(&self, direction: Direction, passed: usize) -> usize {
        let cut = self.cut.filter(|cut| cut.direction == direction);
        cut.map_or(usize::MAX, |cut| cut.at - passed)
    }

    /// Stops here, until the client is gone. A slow peer continues.
    fn stop(&mut self) -> Option<()> {
        self.shared.lock().unwrap().seen.has_stopped = true;
        match self.cut.take().unwrap().way {
            Way::Slow => return Some(()),
            Way::Silence => {}
            Way::Close => return None,
            Way::Reset => {
                let _ = set_socket_linger(&*self.stream, Some(Duration::ZERO));
                return None;
            }
            Way::Garbage => (&*self.stream).write_all(&GARBAGE).ok()?,
        }
        while (&*self.stream).read(&mut [0; 4096]).is_ok_and(|amount| amount > 0) {}
        None
    }
}

/// The length of a head.
pub(super) fn head_of(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
