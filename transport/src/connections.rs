//! The connections of one process, and the one of a response.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::ureq::http::Uri;
use payments_base::boot_instant::BootInstant;
use payments_base::process::lock;

use crate::connection::Connection;
use crate::connector::Connector;
use crate::failure::{Cause, TransportFailure};
use crate::pace::Pace;
use crate::pool::{ConnectionPool, MAX_IDLE};
use crate::request::{Framed, invalid_request, origin_of};

/// The connections of one process.
pub(crate) struct Connections {
    pub(crate) connector: Connector,
    pub(crate) pool: Mutex<ConnectionPool<Connection>>,
}

impl Connections {
    /// Opens a connection to `url`, unless one is idle.
    pub(crate) fn warm_up(self: Arc<Self>, url: &str, pace: Pace) -> Result<(), TransportFailure> {
        let uri: Uri = url.parse().map_err(|_| invalid_request())?;
        let origin = origin_of(&uri).ok_or_else(invalid_request)?;
        pace.slice()?;
        if !lock(&self.pool).has_idle(&origin, BootInstant::now()) {
            let past_proxy = |failure: TransportFailure| {
                failure.past_proxy(|| self.connector.proxies.unused_for(&uri))
            };
            let connection = Some(self.connect(&uri, pace).map_err(past_proxy)?);
            drop(PooledConnection { connection, connections: self, origin, may_idle: MAX_IDLE });
        }
        Ok(())
    }

    /// Takes an idle connection that the service has not closed, and its idle
    /// time.
    pub(crate) fn take_idle(
        &self,
        framed: &Framed,
        is_read_only: bool,
        pace: &Pace,
    ) -> Option<(Connection, Duration)> {
        loop {
            let now = BootInstant::now();
            let (mut connection, age) = lock(&self.pool).take(&framed.origin, is_read_only, now)?;
            connection.begin(pace.clone());
            if connection.is_silent(connection.was_used()) {
                return Some((connection, age));
            }
            self.note_closed(framed, age);
        }
    }

    pub(crate) fn connect(&self, uri: &Uri, pace: Pace) -> Result<Connection, TransportFailure> {
        let mut connection = self.connector.connect(uri, pace)?;
        connection.wire().pace().slice()?;
        if connection.is_silent(false) {
            return Ok(connection);
        }
        if let Some(failure) = connection.wire().take_failure() {
            return Err(failure);
        }
        let message = "the service closed the connection or sent something before the request; \
                       check that the address speaks HTTP/1.1";
        Err(TransportFailure::of(Cause::SpokeFirst, message))
    }

    pub(crate) fn note_closed(&self, framed: &Framed, age: Duration) {
        lock(&self.pool).note_closed(&framed.origin, age, BootInstant::now());
    }
}

/// The connection of a response. Dropping it returns the connection to the
/// pool, unless it was discarded.
pub struct PooledConnection {
    pub(crate) connection: Option<Connection>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) origin: String,
    pub(crate) may_idle: Duration,
}

impl PooledConnection {
    /// Closes the connection, whose responses cannot be trusted.
    pub fn discard(&mut self) {
        self.connection = None;
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.rest();
            let mut pool = lock(&self.connections.pool);
            pool.put(&self.origin, connection, self.may_idle, BootInstant::now());
        }
    }
}
