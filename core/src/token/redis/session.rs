//! A logged-in connection that runs one command after the other.

use std::time::{Duration, Instant};

use payments_transport::context::CallContext;
use payments_transport::inside::{Connection, Pace};
use zeroize::Zeroizing;

use super::address::RedisAddress;
use super::failure::RedisFailure;
use super::resp::{ParsedReply, RedisCommand, RedisReply, parse_reply};

/// A firewall may have silently dropped a connection that was idle for longer.
const MAX_IDLE: Duration = Duration::from_secs(30);

/// Drop a session after a failure: a late reply may still arrive.
pub(super) struct Session {
    connection: Connection,
    used_at: Instant,
}

impl Session {
    /// Logs in and selects the database.
    pub(super) fn log_in(
        connection: Connection,
        address: &RedisAddress,
    ) -> Result<Self, RedisFailure> {
        let mut session = Self { connection, used_at: Instant::now() };
        if let Some(password) = &address.password {
            let mut login = RedisCommand::new("AUTH");
            if let Some(user) = &address.user {
                login = login.word(user.expose());
            }
            session.ask(&login.word(password.expose()))?;
        }
        if address.database != 0 {
            session.ask(&RedisCommand::new("SELECT").number(address.database.into()))?;
        }
        Ok(session)
    }

    /// Starts serving the call of `context`, which limits all waits.
    pub(super) fn begin(&self, context: &CallContext) {
        self.connection.begin(Pace::new(context, Duration::MAX));
    }

    pub(super) fn rest(&self) {
        self.connection.rest();
    }

    pub(super) fn is_fresh(&self) -> bool {
        self.used_at.elapsed() < MAX_IDLE
    }

    pub(super) fn ask(&mut self, command: &RedisCommand) -> Result<RedisReply, RedisFailure> {
        self.used_at = Instant::now();
        let sent = self.connection.write(&[&command.to_bytes()]);
        sent.map_err(|failure| RedisFailure::of_exchange(&failure))?;
        match self.read_reply()? {
            // A value of another kind under our name counts as absent.
            RedisReply::Refusal(code) if code == "WRONGTYPE" => Ok(RedisReply::Nothing),
            RedisReply::Refusal(code) => Err(RedisFailure::of_code(&code)),
            reply => Ok(reply),
        }
    }

    fn read_reply(&mut self) -> Result<RedisReply, RedisFailure> {
        let mut response = Zeroizing::new(Vec::new());
        loop {
            match self.connection.read(|bytes| response.extend_from_slice(bytes)) {
                Ok(Some(())) => {}
                Ok(None) => return Err(RedisFailure::CLOSED),
                Err(failure) => return Err(RedisFailure::of_exchange(&failure)),
            }
            match parse_reply(&response) {
                ParsedReply::RedisReply(reply) => return Ok(reply),
                ParsedReply::Incomplete => {}
                ParsedReply::Foreign => return Err(RedisFailure::FOREIGN),
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};

    use payments_transport::TlsRoots;
    use payments_transport::inside::{Connector, Proxies};

    use super::*;

    /// A session, and the server's end of it.
    pub(in super::super) fn connected() -> (Session, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let connector = Connector::new(&TlsRoots::default(), Proxies::NONE, None);
        let context = CallContext::with_timeout(Duration::from_secs(60));
        let connection = connector.connect(&uri, Pace::new(&context, Duration::MAX)).unwrap();
        let server = listener.accept().unwrap().0;
        (Session { connection, used_at: Instant::now() }, server)
    }

    /// Runs a command.
    pub(in super::super) fn ping(session: &mut Session, server: &mut TcpStream) {
        server.write_all(b"+PONG\r\n").unwrap();
        let command = RedisCommand::new("PING");
        session.ask(&command).unwrap();
        server.read_exact(&mut vec![0; command.to_bytes().len()]).unwrap();
    }

    #[test]
    fn a_session_is_fresh_for_a_while_after_its_last_command() {
        let (mut session, mut server) = connected();
        assert!(session.is_fresh());
        session.used_at = Instant::now().checked_sub(MAX_IDLE).unwrap();
        assert!(!session.is_fresh());
        ping(&mut session, &mut server);
        assert!(session.is_fresh());
    }
}
