//! Stand-ins for the C library in this program: sockets that take only some
//! bytes, and a wall clock that jumps. The linker prefers these functions to
//! those of the C library. A call does all its work on one thread; threads that
//! are not watched get the system's functions.

#![allow(unsafe_code, reason = "these are functions of C")]

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use libc::{EAGAIN, ECONNRESET, EPIPE, clockid_t, size_t, ssize_t, timespec, timeval};

use crate::bytes::{TURN, Way};

thread_local! {
    static WIRE: RefCell<Option<Wire>> = const { RefCell::new(None) };
}

/// The bytes of one connection.
#[derive(Clone, Default)]
pub(crate) struct Flow {
    socket: c_int,
    own_port: u16,
    pub(crate) port: u16,
    pub(crate) sent: Vec<u8>,
    pub(crate) arrived: Vec<u8>,
    /// Whether the end of the stream arrived.
    pub(crate) has_ended: bool,
}

/// Where a socket stops taking bytes.
pub(crate) enum Stop {
    /// The first connection to a port, after this many bytes.
    After { port: u16, bytes: usize, way: Way },
    /// The connection that sends for this time, after half of it: the rest
    /// fails, or comes later.
    Half { number: usize, fails: bool },
}

/// The connections of a thread.
#[derive(Default)]
struct Wire {
    stop: Option<Stop>,
    flows: Vec<Flow>,
    sends: usize,
}

/// Watches the connections of this thread from now on, and stops one of them.
pub(crate) fn watch(stop: Option<Stop>) {
    WIRE.set(Some(Wire { stop, ..Wire::default() }));
}

/// The connections since then, and how often they were asked to take bytes.
pub(crate) fn watched() -> (Vec<Flow>, usize) {
    WIRE.take().map(|wire| (wire.flows, wire.sends)).unwrap_or_default()
}

impl Wire {
    /// The connection of a socket; `None` if it is not one.
    fn flow(&mut self, socket: c_int) -> Option<usize> {
        // SAFETY: the caller of `send` or `recv` keeps it open until that returns.
        let fd = unsafe { BorrowedFd::borrow_raw(socket) };
        let own_port = SocketAddr::try_from(rustix::net::getsockname(fd).ok()?).ok()?.port();
        let is_it = |flow: &Flow| flow.socket == socket && flow.own_port == own_port;
        if let Some(known) = self.flows.iter().position(is_it) {
            return Some(known);
        }
        let port = SocketAddr::try_from(rustix::net::getpeername(fd).ok()??).ok()?.port();
        self.flows.push(Flow { socket, own_port, port, ..Flow::default() });
        Some(self.flows.len() - 1)
    }

    /// How many of these bytes the socket takes, or the error instead.
    fn taken(&self, at: usize, length: usize) -> Result<usize, c_int> {
        let flow = &self.flows[at];
        match self.stop {
            Some(Stop::After { port, bytes, way }) if port == flow.port => {
                let is_first = !self.flows[..at].iter().any(|it| it.port == port);
                let room = bytes.saturating_sub(flow.sent.len());
                match way {
                    _ if !is_first || room >= length => Ok(length),
                    Way::Garbage => Ok(length),
                    _ if room > 0 => Ok(room),
                    Way::Close => Err(EPIPE),
                    Way::Reset => Err(ECONNRESET),
                    Way::Silence => Err(EAGAIN),
                    Way::Slow => Ok(1),
                }
            }
            Some(Stop::Half { number, .. }) if self.sends == number => Ok(length.div_ceil(2)),
            Some(Stop::Half { number, fails: true }) if self.sends == number + 1 => Err(ECONNRESET),
            _ => Ok(length),
        }
    }

    /// Whether the other side takes its time.
    fn is_slow(&self, taken: Result<usize, c_int>) -> bool {
        let way = match self.stop {
            Some(Stop::After { way, .. }) => Some(way),
            _ => None,
        };
        taken == Err(EAGAIN) || (way == Some(Way::Slow) && taken == Ok(1))
    }
}

/// Like that of the C library. `sendto` without an address is the same.
///
/// # Safety
/// That of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn send(
    socket: c_int,
    bytes: *const c_void,
    length: size_t,
    flags: c_int,
) -> ssize_t {
    let pass_on = |length| {
        // SAFETY: the caller vouches for `bytes`, and `length` is not longer.
        unsafe { libc::sendto(socket, bytes, length, flags, std::ptr::null(), 0) }
    };
    let sent = WIRE.try_with(|wire| {
        let mut wire = wire.borrow_mut();
        let wire = wire.as_mut()?;
        let at = wire.flow(socket)?;
        wire.sends += 1;
        let taken = wire.taken(at, length);
        if wire.is_slow(taken) {
            std::thread::sleep(TURN);
        }
        if taken == Err(ECONNRESET) && matches!(wire.stop, Some(Stop::Half { .. })) {
            // Otherwise the peer waits for the rest.
            // SAFETY: this has no conditions.
            unsafe { libc::shutdown(socket, libc::SHUT_RDWR) };
        }
        let sent = match taken {
            Ok(taken) => pass_on(taken),
            Err(code) => {
                // SAFETY: this is the variable of this thread.
                unsafe { *libc::__errno_location() = code };
                -1
            }
        };
        if let Ok(sent) = usize::try_from(sent) {
            // SAFETY: the caller vouches for more than these.
            let sent = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), sent) };
            wire.flows[at].sent.extend_from_slice(sent);
        }
        Some(sent)
    });
    sent.ok().flatten().unwrap_or_else(|| pass_on(length))
}

/// Like that of the C library. `recvfrom` without an address is the same.
///
/// # Safety
/// That of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recv(
    socket: c_int,
    buffer: *mut c_void,
    length: size_t,
    flags: c_int,
) -> ssize_t {
    let none = std::ptr::null_mut();
    // SAFETY: the caller vouches for `buffer`.
    let received = unsafe { libc::recvfrom(socket, buffer, length, flags, none, none.cast()) };
    if let Ok(arrived) = usize::try_from(received) {
        // SAFETY: the kernel has just written these.
        let arrived = unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), arrived) };
        let _ = WIRE.try_with(|wire| {
            let mut wire = wire.borrow_mut();
            let wire = wire.as_mut()?;
            let at = wire.flow(socket)?;
            wire.flows[at].arrived.extend_from_slice(arrived);
            wire.flows[at].has_ended |= arrived.is_empty() && length > 0;
            Some(())
        });
    }
    received
}

/// How often this process read the wall clock.
static LOOKS: AtomicUsize = AtomicUsize::new(0);
static JUMPS_AT: AtomicUsize = AtomicUsize::new(usize::MAX);
static JUMPS_BY: AtomicI64 = AtomicI64::new(0);

/// From the reading `at` on, counted from now, the wall clock has jumped.
pub(crate) fn jump(at: usize, seconds: i64) {
    JUMPS_BY.store(seconds, Ordering::SeqCst);
    JUMPS_AT.store(at, Ordering::SeqCst);
    LOOKS.store(0, Ordering::SeqCst);
}

/// How often the wall clock was read since then.
pub(crate) fn looks() -> usize {
    LOOKS.load(Ordering::SeqCst)
}

/// Counts a reading, and returns how far the wall clock has jumped by it.
fn jumped() -> i64 {
    let look = LOOKS.fetch_add(1, Ordering::SeqCst) + 1;
    if look >= JUMPS_AT.load(Ordering::SeqCst) { JUMPS_BY.load(Ordering::SeqCst) } else { 0 }
}

/// Like that of the C library. Other clocks never jump.
///
/// # Safety
/// That of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    // SAFETY: the caller vouches for `time`.
    let result = unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) };
    if result == 0 && matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE) {
        // SAFETY: the kernel has just written it.
        unsafe { (*time).tv_sec += jumped() };
    }
    -c_int::from(result != 0)
}

/// As the C library's. SQLite calls it.
///
/// # Safety
/// That of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int {
    // SAFETY: the caller vouches for both.
    let result = unsafe { libc::syscall(libc::SYS_gettimeofday, time, zone) };
    if result == 0 && !time.is_null() {
        // SAFETY: the kernel has just written it.
        unsafe { (*time).tv_sec += jumped() };
    }
    -c_int::from(result != 0)
}
