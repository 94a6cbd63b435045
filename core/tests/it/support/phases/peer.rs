//! Servers at which a call waits until it ends there, over real sockets.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};
use std::thread::JoinHandle;

use payments_core::{Client, Config};
use socket2::{Domain, Socket, Type};

use super::End;
use super::stage::{ServerAction, Stage};
use crate::support::calls;
use crate::support::raw_server::{Connection, RawServer};
use crate::support::silent::refused_port;
use crate::support::tls_server::{self, Authority, TemporaryFile};

/// Where the client waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// For the address of the service.
    Lookup,
    /// For a server whose queue of connections is full.
    Connect,
    /// For the server's part of the TLS handshake.
    Tls,
    /// For a peer that has the first bytes of the request and reads no more.
    Write,
    /// For the response to a whole request.
    Wait,
    /// For the rest of a response.
    Read,
}

/// More than a client's kernel takes for a server that does not read.
const LARGE_REQUEST: usize = 4 << 20;
/// More than the kernels hold for a client that has not read yet.
const LARGE_RESPONSE: usize = 1 << 20;

/// The most times that a call asks between the lookup and the connection.
const ASKS_BEFORE_CONNECTING: u32 = 3;

/// The service of one call.
pub struct Peer {
    step: Step,
    end: End,
    stage: Arc<Stage>,
    port: u16,
    _server: Option<RawServer>,
    _waiting: Vec<Socket>,
    authority: Option<TemporaryFile>,
    note: String,
}

impl Peer {
    pub fn start(step: Step, end: End, stage: Arc<Stage>) -> Self {
        let note = if step == Step::Write { "x".repeat(LARGE_REQUEST) } else { String::new() };
        if step == Step::Connect {
            let (port, _waiting) = full_or_closed(end, &stage);
            return Self { step, end, stage, port, _server: None, _waiting, authority: None, note };
        }
        let served = Arc::clone(&stage);
        let (server, authority) = match step {
            Step::Tls => {
                let authority = Authority::new("ours");
                let tls = authority.server(&["localhost"]);
                let server = RawServer::start(move |connection| {
                    connection.socket.peek(&mut [0]).unwrap();
                    if continues_after_arriving(&served)
                        && let Some(connection) = tls_server::accept(&tls, connection)
                    {
                        respond(&served, connection);
                    }
                });
                (server, Some(authority.file()))
            }
            _ => (
                RawServer::start_on(listener(128).into(), move |it| serve(step, &served, it)),
                None,
            ),
        };
        let port = server.port();
        Self {
            step,
            end,
            stage,
            port,
            _server: Some(server),
            _waiting: Vec::new(),
            authority,
            note,
        }
    }

    pub fn base_url(&self) -> String {
        let scheme = if self.authority.is_some() { "https" } else { "http" };
        // A name, so that it is looked up.
        format!("{scheme}://localhost:{}", self.port)
    }

    pub fn configure(&self, config: Config) -> Config {
        let config = match &self.authority {
            Some(file) => config.ca_file(&file.0),
            None => config,
        };
        let Self { step, end, port, .. } = *self;
        let stage = Arc::clone(&self.stage);
        config.lookup(Arc::new(move |_, _| {
            let then = match step {
                Step::Lookup => stage.arrive_once(),
                Step::Connect if end == End::Error => stage.arrive_once(),
                Step::Connect => {
                    stage.arm_after(ASKS_BEFORE_CONNECTING);
                    ServerAction::GoOn
                }
                _ => ServerAction::GoOn,
            };
            match then {
                ServerAction::Fail if step == Step::Lookup => {
                    return Err(std::io::ErrorKind::NotFound.into());
                }
                ServerAction::Wait => stage.wait_for_the_end(),
                ServerAction::GoOn | ServerAction::Fail => {}
            }
            Ok(vec![([127, 0, 0, 1], port).into()])
        }))
    }

    /// The text that makes the request large, if it must be.
    pub fn note(&self) -> &str {
        &self.note
    }
}

/// Its connections take little before somebody reads them.
fn listener(backlog: i32) -> Socket {
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    listener.set_recv_buffer_size(4096).unwrap();
    listener.set_send_buffer_size(4096).unwrap();
    let address: std::net::SocketAddr = "127.0.0.1:0".parse().unwrap();
    listener.bind(&address.into()).unwrap();
    listener.listen(backlog).unwrap();
    listener
}

/// The port of a server that has no place for another connection until the call
/// has forked, and the connections that take all places. If the call is to fail,
/// there is no server.
fn full_or_closed(end: End, stage: &Arc<Stage>) -> (u16, Vec<Socket>) {
    if end == End::Error {
        return (refused_port(), Vec::new());
    }
    let full = listener(1);
    let address = full.local_addr().unwrap();
    let port = address.as_socket().unwrap().port();
    let connect = |_| {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_nonblocking(true).unwrap();
        // It is under way, or there is no place for it either.
        let _ = socket.connect(&address);
        socket
    };
    let waiting = (0..8).map(connect).collect();
    let (full, served) = (Mutex::new(Some(full)), Arc::downgrade(stage));
    let server = Mutex::new(None);
    stage.on_fork(move || {
        let (full, served) = (full.lock().unwrap().take().unwrap(), Weak::clone(&served));
        let serve = move |connection| {
            if let Some(stage) = served.upgrade() {
                respond(&stage, connection);
            }
        };
        *server.lock().unwrap() = Some(RawServer::start_on(full.into(), serve));
    });
    (port, waiting)
}

fn serve(step: Step, stage: &Stage, connection: Connection) {
    if step == Step::Write {
        connection.socket.peek(&mut [0]).unwrap();
        stage.begun.store(1, Ordering::SeqCst);
        if !continues_after_arriving(stage) {
            return connection.reset();
        }
    }
    match step {
        Step::Wait | Step::Read => {
            let mut connection = connection;
            if read_request(stage, &mut connection) {
                let body =
                    if step == Step::Read { " ".repeat(LARGE_RESPONSE) } else { String::new() };
                let rest = r#"{"status":"SUCCESS","payment":{"hash":"5f2c","status":"PE"}}"#;
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                    body.len() + rest.len()
                );
                if step == Step::Read {
                    // Only a client that reads lets all of it pass.
                    connection.write(head.as_bytes());
                    connection.write(body.as_bytes());
                }
                if !continues_after_arriving(stage) {
                    return;
                }
                if step == Step::Wait {
                    connection.write(head.as_bytes());
                }
                connection.write(rest.as_bytes());
                connection.wait_for_the_end();
            }
        }
        _ => respond(stage, connection),
    }
}

/// Reaches the moment, unless an earlier connection did. Returns whether the
/// server continues.
fn continues_after_arriving(stage: &Stage) -> bool {
    match stage.arrive_once() {
        ServerAction::GoOn => true,
        ServerAction::Fail => false,
        ServerAction::Wait => {
            stage.wait_for_the_end();
            false
        }
    }
}

/// Returns whether there was a whole request.
fn read_request(stage: &Stage, connection: &mut Connection) -> bool {
    if connection.read_request().is_none() {
        return false;
    }
    let wholes = stage.wholes.fetch_add(1, Ordering::SeqCst) + 1;
    stage.begun.fetch_max(wholes, Ordering::SeqCst);
    stage.executed.fetch_add(1, Ordering::SeqCst);
    true
}

fn respond(stage: &Stage, mut connection: Connection) {
    while read_request(stage, &mut connection) {
        connection.write(&crate::support::raw_server::created());
    }
}

thread_local! {
    static IS_OTHER_CALL: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread makes the other call.
pub fn is_other_call() -> bool {
    IS_OTHER_CALL.get()
}

/// Begins another call of the client, and returns when it asks the token server.
pub fn fetch_elsewhere(client: &Client, stage: &Arc<Stage>) -> JoinHandle<()> {
    let client = client.clone();
    let other = std::thread::spawn(move || {
        IS_OTHER_CALL.set(true);
        // Its result does not matter.
        let _ = client.execute(&calls::tracking(), &client.context());
    });
    stage.wait_for_other();
    other
}
