//! What stands between ureq and a connection, outside of TLS: the record of
//! whether a byte of the request left, and a screen before what is said.

use std::io;

use ::ureq::Error;
use ::ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport,
};

use super::answer::AnswerReader;
use super::exchange::{self, Outgoing, Phase};
use super::socket::{is_silent, record};
use super::ureq::failure_of;
use super::{FailureKind, TransportFailure};

/// What ureq is shown instead of every answer.
const STAND_IN_ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";
/// The stand-ins need no more room than this, each way.
const STAND_IN_BYTES: usize = 4096;

/// Wraps every connection to the service.
#[derive(Debug)]
pub(super) struct TrackingConnector {
    /// ureq runs the whole chain a second time to reach a proxy; what is
    /// said to the proxy is no byte of the request.
    pub(super) through_proxy: bool,
}

impl<In: Transport> Connector<In> for TrackingConnector {
    type Out = Either<In, Tracked<In>>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(transport) = chained else {
            return Ok(None);
        };
        let is_to_proxy = self.through_proxy && details.config.proxy().is_none();
        Ok(Some(if is_to_proxy {
            Either::A(transport)
        } else {
            Either::B(Tracked::new(transport))
        }))
    }
}

/// A connection that sends the exchange's own request when ureq writes its
/// stand-in, reads the answer itself, and shows ureq an empty one.
///
/// ureq logs what it writes and reads at trace level: it thus never sees a
/// credential, a payer's data or a token.
pub(super) struct Tracked<T> {
    inner: T,
    /// What ureq sees.
    shown: LazyBuffers,
    /// The answer to what was sent last, until it is complete.
    answer: Option<AnswerReader>,
    /// Whether another request may be sent, as far as the last answer tells.
    can_be_reused: bool,
    /// Why the request could not be written in full. The service may have
    /// answered before it went away, and that answer counts.
    write_failure: Option<TransportFailure>,
}

impl<T: Transport> Tracked<T> {
    fn new(inner: T) -> Self {
        let shown = LazyBuffers::new(STAND_IN_BYTES, STAND_IN_BYTES);
        Self { inner, shown, answer: None, can_be_reused: true, write_failure: None }
    }

    /// Writes head and body, small ones in one piece.
    fn transmit(&mut self, request: &Outgoing, timeout: NextTimeout) -> Result<(), Error> {
        let mut filled = 0;
        for mut part in [request.head.as_slice(), request.body.payload()] {
            while !part.is_empty() {
                let output = self.inner.buffers().output();
                let (now, later) = part.split_at(part.len().min(output.len() - filled));
                output[filled..filled + now.len()].copy_from_slice(now);
                filled += now.len();
                part = later;
                if filled == output.len() {
                    self.inner.transmit_output(filled, timeout)?;
                    filled = 0;
                }
            }
        }
        match filled {
            0 => Ok(()),
            _ => self.inner.transmit_output(filled, timeout),
        }
    }

    /// Reads until the answer is complete, or as complete as it gets.
    fn read_answer(
        &mut self,
        answer: &mut AnswerReader,
        timeout: NextTimeout,
    ) -> Result<(), TransportFailure> {
        let mut is_limited = false;
        while !answer.is_done() {
            match self.inner.await_input(timeout) {
                Ok(true) => {
                    let buffers = self.inner.buffers();
                    let taken = answer.push(buffers.input());
                    let amount = buffers.input().len();
                    buffers.input_consume(amount);
                    taken?;
                }
                Ok(false) => answer.end(None)?,
                // A server that closes TLS without saying so is common.
                Err(Error::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    answer.end(None)?;
                }
                Err(error) => answer.end(Some(failure_of(error)))?,
            }
            if answer.is_refusal() && !is_limited {
                exchange::limit_refusal();
                is_limited = true;
            }
        }
        Ok(())
    }
}

impl<T: Transport> Transport for Tracked<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.shown
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        if !self.shown.output()[..amount].ends_with(b"\r\n\r\n") {
            return Ok(());
        }
        let due = exchange::with(|exchange| {
            exchange.phase = Phase::Exchanging;
            exchange.request.take()
        });
        let Some(request) = due.flatten() else {
            return Err(record(TransportFailure::new(
                FailureKind::Broken,
                "a connection was used outside of an exchange",
            )));
        };
        self.can_be_reused = false;
        // A call that has ended already sends nothing.
        exchange::wait_slice().map_err(record)?;
        exchange::with(|exchange| exchange.context.mark_bytes_left());
        self.answer = Some(AnswerReader::new(request.is_head, request.max_response_bytes));
        let written = self.transmit(&request, timeout);
        // The buffer is kept with the connection; the credentials are not.
        self.inner.buffers().output().fill(0);
        match written {
            Err(error) if !exchange::has_failed() => {
                self.write_failure = Some(failure_of(error));
                exchange::limit_refusal();
                Ok(())
            }
            result => result,
        }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let Some(mut answer) = self.answer.take() else {
            return Ok(false);
        };
        let write_failure = self.write_failure.take();
        if let Err(failure) = self.read_answer(&mut answer, timeout) {
            return Err(record(write_failure.unwrap_or(failure)));
        }
        let (response, can_be_reused) = answer.finish();
        self.can_be_reused = can_be_reused && write_failure.is_none();
        exchange::with(|exchange| exchange.answer = Some(response));
        let shown = &mut self.shown.input_append_buf()[..STAND_IN_ANSWER.len()];
        shown.copy_from_slice(STAND_IN_ANSWER);
        self.shown.input_appended(STAND_IN_ANSWER.len());
        Ok(true)
    }

    fn is_open(&mut self) -> bool {
        self.can_be_reused && is_silent(&mut self.inner)
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

impl<T> std::fmt::Debug for Tracked<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tracked")
    }
}
