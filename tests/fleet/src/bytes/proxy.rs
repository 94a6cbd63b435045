//! A proxy in front of a database, which stops after some byte of a request or of a
//! reply.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::set_socket_linger;

/// How the database stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// It keeps the connection for [`SILENCE`], and does nothing.
    Silence,
    Close,
    Reset,
    /// It sends a byte with which no message of PostgreSQL begins, and is
    /// silent.
    Garbage,
    /// Each further byte takes a [`TURN`], until [`SILENCE`] is over.
    Slow,
}

pub(super) const WAYS: [Way; 5] = [Way::Silence, Way::Close, Way::Reset, Way::Garbage, Way::Slow];

/// The sender of the bytes that are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Request,
    Reply,
}

/// Where the database stops, counted over all connections of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    pub(super) direction: Direction,
    pub(super) at: usize,
    pub(super) way: Way,
}

/// How long the connection lives, which is longer than the call. Drivers that block
/// wait this long.
const SILENCE: Duration = Duration::from_millis(1_100);
const TURN: Duration = Duration::from_millis(100);
const GARBAGE: [u8; 64] = [0xff; 64];

/// The bytes that passed, and whether a connection reached the cut.
#[derive(Clone, Copy, Default)]
pub(super) struct Traffic {
    pub(super) requests: usize,
    pub(super) replies: usize,
    pub(super) has_stopped: bool,
}

#[derive(Default)]
struct Run {
    cut: Option<Cut>,
    seen: Mutex<Traffic>,
    open: Mutex<Vec<Weak<TcpStream>>>,
}

/// Passes on the bytes of one run after the other.
pub(super) struct Proxy {
    pub(super) port: u16,
    run: Arc<Mutex<Arc<Run>>>,
}

impl Proxy {
    /// Listens until the process ends.
    pub(super) fn start(database: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let run = Arc::<Mutex<Arc<Run>>>::default();
        let current = Arc::clone(&run);
        std::thread::spawn(move || {
            for near in listener.incoming().map(Result::unwrap) {
                let far = TcpStream::connect((Ipv4Addr::LOCALHOST, database)).unwrap();
                let [near, far] = [near, far].map(Arc::new);
                let run = Arc::clone(&current.lock().unwrap());
                run.open.lock().unwrap().extend([&near, &far].map(Arc::downgrade));
                for direction in [Direction::Request, Direction::Reply] {
                    let (near, far) = (Arc::clone(&near), Arc::clone(&far));
                    let line = Line { near, far, direction, run: Arc::clone(&run) };
                    std::thread::spawn(move || line.pass_on());
                }
            }
        });
        Self { port, run }
    }

    /// Ends the connections of the run before.
    pub(super) fn begin(&self, cut: Option<Cut>) {
        let new = Arc::new(Run { cut, ..Run::default() });
        let old = std::mem::replace(&mut *self.run.lock().unwrap(), new);
        for stream in old.open.lock().unwrap().iter().filter_map(Weak::upgrade) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub(super) fn seen(&self) -> Traffic {
        *self.run.lock().unwrap().seen.lock().unwrap()
    }
}

/// One direction of a connection.
struct Line {
    near: Arc<TcpStream>,
    far: Arc<TcpStream>,
    direction: Direction,
    run: Arc<Run>,
}

impl Line {
    fn pass_on(&self) {
        let (mut from, mut to) = match self.direction {
            Direction::Request => (&*self.near, &*self.far),
            Direction::Reply => (&*self.far, &*self.near),
        };
        let _ = to.set_nodelay(true);
        let mut bytes = [0; 65_536];
        while let Ok(amount @ 1..) = from.read(&mut bytes) {
            let room = self.room(amount);
            if to.write_all(&bytes[..room]).is_err() {
                break;
            }
            if room < amount {
                self.stop(to, &bytes[room..amount]);
                break;
            }
        }
        let _ = self.near.shutdown(Shutdown::Both);
        let _ = self.far.shutdown(Shutdown::Both);
    }

    /// How many of these bytes pass.
    fn room(&self, amount: usize) -> usize {
        let mut seen = self.run.seen.lock().unwrap();
        let passed = match self.direction {
            Direction::Request => &mut seen.requests,
            Direction::Reply => &mut seen.replies,
        };
        let before = *passed;
        *passed += amount;
        match self.run.cut.filter(|cut| cut.direction == self.direction && !seen.has_stopped) {
            Some(cut) if cut.at < before + amount => {
                seen.has_stopped = true;
                cut.at - before
            }
            _ => amount,
        }
    }

    /// Stops the connection, which ends with this.
    fn stop(&self, mut to: &TcpStream, rest: &[u8]) {
        match self.run.cut.map(|cut| cut.way) {
            None | Some(Way::Close) => {}
            Some(Way::Silence) => _ = self.is_left_within(SILENCE),
            Some(Way::Garbage) => {
                let _ = (&*self.near).write_all(&GARBAGE);
                self.is_left_within(SILENCE);
            }
            // Also for the other direction, which reads from the connection.
            Some(Way::Reset) => {
                let _ = set_socket_linger(&*self.near, Some(Duration::ZERO));
                let _ = rustix::net::connect_unspec(&*self.near);
            }
            Some(Way::Slow) => {
                let end = Instant::now() + SILENCE;
                for byte in rest {
                    let is_over = self.is_left_within(TURN) || Instant::now() >= end;
                    if is_over || to.write_all(std::slice::from_ref(byte)).is_err() {
                        return;
                    }
                }
                self.is_left_within(end.saturating_duration_since(Instant::now()));
            }
        }
    }

    /// Waits until the client closes the connection.
    fn is_left_within(&self, time: Duration) -> bool {
        let time = Timespec::try_from(time).unwrap();
        let mut near = [PollFd::new(&self.near, PollFlags::RDHUP)];
        poll(&mut near, Some(&time)).is_ok_and(|amount| amount > 0)
    }
}
