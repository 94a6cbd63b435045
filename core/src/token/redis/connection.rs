//! A connection that is logged in, and takes one command after the other.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::address::Address;
use super::failure::Failure;
use super::resp::{Command, Reply, read_reply};
use super::socket::Socket;
use crate::context::CallContext;

/// Connections that were idle for longer may have been forgotten by what is
/// between here and there, which shows only when no answer comes.
const MAX_IDLE: Duration = Duration::from_secs(30);

/// One that failed must be dropped: an answer may still come.
pub(super) struct Connection {
    socket: Socket,
    used_at: Instant,
}

impl Connection {
    /// Logs in and chooses the database.
    pub(super) fn log_in(socket: Socket, address: &Address) -> Result<Self, Failure> {
        let mut connection = Self { socket, used_at: Instant::now() };
        if let Some(password) = &address.password {
            let mut login = Command::new("AUTH");
            if let Some(user) = &address.user {
                login = login.word(user.expose());
            }
            connection.ask(&login.word(password.expose()))?;
        }
        if address.database != 0 {
            connection.ask(&Command::new("SELECT").number(address.database.into()))?;
        }
        Ok(connection)
    }

    /// From here on `context` says how long to wait.
    pub(super) fn begin(&mut self, context: &CallContext) {
        self.socket.begin(context);
    }

    pub(super) fn is_fresh(&self) -> bool {
        self.used_at.elapsed() < MAX_IDLE
    }

    pub(super) fn ask(&mut self, command: &Command) -> Result<Reply, Failure> {
        self.used_at = Instant::now();
        let sent = self.socket.write_all(&command.to_bytes()).and_then(|()| self.socket.flush());
        match sent.and_then(|()| read_reply(&mut self.socket)) {
            // Something of another kind under a name of ours is nothing to us.
            Ok(Reply::Refusal(code)) if code == "WRONGTYPE" => Ok(Reply::Nothing),
            Ok(Reply::Refusal(code)) => Err(Failure::of_code(&code)),
            Ok(reply) => Ok(reply),
            Err(error) => Err(Failure::of_exchange(&error)),
        }
    }
}
