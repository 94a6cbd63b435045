//! The faults of a round.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use payments_core::operation::Operation;
use payments_sandbox::{At, Fault, FaultKind, FaultScript, Sandbox};

use crate::numbers::Numbers;

/// Of a hundred calls, how many hit a fault, and how many are cancelled.
const FAULTS: u64 = 15;
const CANCELLED: u64 = 8;
/// The time between two disturbances of tokens.
const BETWEEN: Duration = Duration::from_secs(4);

pub(crate) struct Disturbances {
    numbers: Numbers,
    /// The token store, if tokens and callers are disturbed as well.
    store: Option<PathBuf>,
    last: Instant,
    /// Where the store's folder is while it is moved away.
    away: Option<PathBuf>,
}

impl Disturbances {
    /// Faults of the service only.
    pub(crate) fn of_the_service() -> Self {
        Self { numbers: Numbers::new(), store: None, last: Instant::now(), away: None }
    }

    /// Faults of the service and of the token server, revoked tokens, a token
    /// store that is corrupted or missing, and cancelled calls.
    pub(crate) fn of_everything(store: &Path) -> Self {
        Self { store: Some(store.to_owned()), ..Self::of_the_service() }
    }

    /// May script a fault for one of the next calls. Returns after how many
    /// milliseconds to cancel the next call, if at all.
    pub(crate) fn before_a_call(&mut self, sandbox: &Sandbox) -> Option<u64> {
        if self.numbers.below(100) < FAULTS {
            sandbox.script_fault(FaultScript::for_any(vec![self.fault()]));
        }
        let is_cancelled = self.store.is_some() && self.numbers.below(100) < CANCELLED;
        is_cancelled.then(|| self.numbers.below(60) + 1)
    }

    /// Disturbs tokens if it is time to.
    pub(crate) fn strike(&mut self, sandbox: &Sandbox) {
        if self.store.is_some() && self.last.elapsed() > BETWEEN {
            self.last = Instant::now();
            self.end();
            self.disturb_tokens(sandbox);
        }
    }

    /// Restores a store that was moved away.
    pub(crate) fn end(&mut self) {
        if let (Some(away), Some(store)) = (self.away.take(), &self.store) {
            let _ = fs::remove_file(store);
            fs::rename(away, store).unwrap();
        }
    }

    fn fault(&mut self) -> Fault {
        let executed = self.numbers.below(2) == 0;
        let at = [At::Accept, At::Head, At::Body][self.numbers.below(3) as usize];
        match self.numbers.below(16) {
            0 => Fault::close(at),
            1 => Fault::reset(at),
            2 => Fault::execute_then_close(),
            3 => Fault::reset(At::Body).execute(true),
            4 => Fault::new(FaultKind::PartialStatusLine).execute(executed),
            5 => Fault::new(FaultKind::CutResponse(Some(self.numbers.below(400) as usize))),
            6 => Fault::garbage().execute(executed),
            7 => Fault::html().execute(executed),
            8 => Fault::truncated_json().execute(executed),
            9 => Fault::status(503).execute(executed),
            10 => Fault::status(429),
            // After a 401, the client fetches a new token.
            11 if self.store.is_some() => Fault::status(401),
            12 => Fault::new(FaultKind::ConnectionClose),
            13 => Fault::delay(Duration::from_millis(self.numbers.below(300))),
            14 => Fault::hang(At::Body).execute(executed),
            _ => Fault::new(FaultKind::CloseIdle(Duration::from_millis(self.numbers.below(50)))),
        }
    }

    /// One disturbance at a time, since two failures in a row would keep all
    /// clients away from the token server for half a minute.
    fn disturb_tokens(&mut self, sandbox: &Sandbox) {
        let Some(store) = &self.store else { return };
        let fetch = |fault| {
            sandbox.script_fault(FaultScript::for_operation(Operation::AccessToken, vec![fault]))
        };
        match self.numbers.below(6) {
            0 => _ = sandbox.revoke_tokens(),
            1 => _ = fetch(Fault::close(At::Body)),
            2 => _ = fetch(Fault::delay(Duration::from_secs(1))),
            3 => _ = fetch(Fault::status(500)),
            4 => {
                for file in fs::read_dir(store).unwrap().flatten() {
                    if file.path().is_file() {
                        let _ = fs::write(file.path(), b"\xff\x00 not a token");
                    }
                }
            }
            _ => {
                let away = store.with_extension("away");
                fs::rename(store, &away).unwrap();
                // A file in its place prevents creating the folder.
                fs::write(store, "").unwrap();
                self.away = Some(away);
            }
        }
    }
}
