//! A proxy that supports only CONNECT.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use super::raw_server::{Connection, RawServer};

/// Starts a proxy that opens a tunnel to any address.
pub fn start() -> RawServer {
    responding("HTTP/1.1 200 Connected\r\n\r\n")
}

/// Starts one with this response to CONNECT.
pub fn responding(head: &str) -> RawServer {
    let head = head.to_owned();
    RawServer::start(move |mut connection| {
        let Some(request) = connection.read_request() else { return };
        let target = request.head.split(' ').nth(1).unwrap().to_owned();
        assert!(request.head.starts_with("CONNECT "), "{}", request.head);
        let target = TcpStream::connect(target).unwrap();
        connection.write(head.as_bytes());
        join(&connection, target);
    })
}

fn join(connection: &Connection, target: TcpStream) {
    let (from, to) = (connection.socket.try_clone().unwrap(), target.try_clone().unwrap());
    let outward = std::thread::spawn(move || pump(from, to));
    pump(target, connection.socket.try_clone().unwrap());
    outward.join().unwrap();
}

fn pump(mut from: TcpStream, mut to: TcpStream) {
    let mut part = [0; 4096];
    while let Ok(amount @ 1..) = from.read(&mut part) {
        if to.write_all(&part[..amount]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
