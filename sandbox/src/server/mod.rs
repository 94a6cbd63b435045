//! The listener and its threads.

mod connection;

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use socket2::{Domain, SockRef, Socket, Type};

use crate::service::Service;

/// Enough for JSON at the reader's maximum depth in a debug build. The system
/// allocates only the pages that are used.
const STACK_SIZE: usize = 512 * 1024;
const BACKLOG: i32 = 1024;
/// The pause after a failed accept, which most likely ran out of file
/// descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Binds a port on 127.0.0.1; 0 picks a free one.
pub(crate) fn bind(port: u16) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    // Not on Windows, where it would let two sandboxes share a port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// The connections and threads to end when the sandbox stops.
#[derive(Default, Debug)]
struct Running {
    open: HashMap<u64, Arc<TcpStream>>,
    threads: HashMap<u64, JoinHandle<()>>,
    finished: Vec<u64>,
}

#[derive(Debug)]
struct SharedServer {
    service: Arc<Service>,
    running: Mutex<Running>,
}

impl SharedServer {
    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins finished threads, so that they do not pile up.
    fn reap(&self) {
        let ended: Vec<JoinHandle<()>> = {
            let mut running = self.running();
            let finished = std::mem::take(&mut running.finished);
            finished.iter().filter_map(|id| running.threads.remove(id)).collect()
        };
        for thread in ended {
            let _ = thread.join();
        }
    }
}

/// A running listener.
#[derive(Debug)]
pub(crate) struct Server {
    shared: Arc<SharedServer>,
    listener: Arc<TcpListener>,
    accepting: Mutex<Option<JoinHandle<()>>>,
}

impl Server {
    pub(crate) fn start(listener: TcpListener, service: Arc<Service>) -> io::Result<Self> {
        let shared = Arc::new(SharedServer { service, running: Mutex::default() });
        let listener = Arc::new(listener);
        let accepting = {
            let (shared, listener) = (Arc::clone(&shared), Arc::clone(&listener));
            thread::Builder::new()
                .name("sandbox-accept".to_owned())
                .stack_size(STACK_SIZE)
                .spawn(move || accept(&shared, &listener))?
        };
        Ok(Self { shared, listener, accepting: Mutex::new(Some(accepting)) })
    }

    /// Closes every connection and waits for every thread. Idempotent.
    pub(crate) fn stop(&self) {
        self.shared.service.halt.stop();
        let accepting = self.accepting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(accepting) = accepting {
            // Both wake the accept: the first where the system allows it on a
            // listener, the second everywhere.
            let _ = SockRef::from(&*self.listener).shutdown(std::net::Shutdown::Both);
            if let Ok(address) = self.listener.local_addr() {
                let _ = TcpStream::connect_timeout(&address, Duration::from_millis(200));
            }
            let _ = accepting.join();
        }
        let threads: Vec<JoinHandle<()>> = {
            let mut running = self.shared.running();
            for stream in running.open.values() {
                let _ = stream.shutdown(std::net::Shutdown::Both);
            }
            running.threads.drain().map(|(_, thread)| thread).collect()
        };
        for thread in threads {
            let _ = thread.join();
        }
    }
}

fn accept(shared: &Arc<SharedServer>, listener: &TcpListener) {
    let mut connection = 0;
    while !shared.service.halt.is_stopped() {
        let accepted = listener.accept();
        if shared.service.halt.is_stopped() {
            break;
        }
        match accepted {
            Ok((stream, _)) => {
                connection += 1;
                shared.reap();
                open(shared, stream, connection);
            }
            Err(_) => {
                shared.reap();
                shared.service.halt.wait_for(ACCEPT_PAUSE);
            }
        }
    }
}

fn open(shared: &Arc<SharedServer>, stream: TcpStream, connection: u64) {
    shared.service.counters.connections.fetch_add(1, Ordering::Relaxed);
    shared.service.counters.open_connections.fetch_add(1, Ordering::Relaxed);
    let ending = ServerEnding { shared: Arc::clone(shared), connection };
    let stream = Arc::new(stream);
    shared.running().open.insert(connection, Arc::clone(&stream));
    let spawned = thread::Builder::new()
        .name(format!("sandbox-{connection}"))
        .stack_size(STACK_SIZE)
        .spawn(move || {
            connection::serve(&ending.shared.service, &stream, connection);
            drop(stream);
            drop(ending);
        });
    // Safe even if the thread has already ended: only this thread, the
    // accepting one, joins ended threads.
    if let Ok(thread) = spawned {
        shared.running().threads.insert(connection, thread);
    }
}

/// Removes a connection when its thread ends, even by a panic. The list then
/// holds the last handle, so removing it closes the socket.
struct ServerEnding {
    shared: Arc<SharedServer>,
    connection: u64,
}

impl Drop for ServerEnding {
    fn drop(&mut self) {
        let stream = {
            let mut running = self.shared.running();
            running.finished.push(self.connection);
            running.open.remove(&self.connection)
        };
        drop(stream);
        let counters = &self.shared.service.counters;
        counters.open_connections.fetch_sub(1, Ordering::Relaxed);
        if thread::panicking() {
            counters.panicked.fetch_add(1, Ordering::Relaxed);
        }
    }
}
