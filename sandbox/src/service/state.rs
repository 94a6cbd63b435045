//! Keeps keys, payments, payouts, and trackings across restarts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::service::Service;
use crate::service::ledger::Ledger;
use crate::service::signature::read_public_key;

/// How often to look for changes.
const PAUSE: Duration = Duration::from_millis(200);
const VERSION: u32 = 1;

/// The contents of the file.
#[derive(Serialize, Deserialize)]
struct SavedState {
    version: u32,
    /// The kid and PEM text of each key.
    keys: Vec<(String, String)>,
    /// The number of readings of the seeded clock.
    dates: u64,
    ledger: Ledger,
}

/// Restores the state from the file, if it exists, and writes every change to it on
/// a thread, until the service stops.
pub(crate) fn start(service: &Arc<Service>, file: &Path) -> io::Result<JoinHandle<()>> {
    if let Some(text) = read(file)? {
        restore(service, &text).map_err(|message| {
            let message = format!("{}: {message}; delete it to start over", file.display());
            io::Error::new(io::ErrorKind::InvalidData, message)
        })?;
    }
    let saved = service.revisions();
    write(service, file)?;
    let service = Arc::clone(service);
    let file = file.to_path_buf();
    let run = move || save_until_stopped(&service, &file, saved);
    thread::Builder::new().name("sandbox-state".to_owned()).spawn(run)
}

fn save_until_stopped(service: &Service, file: &Path, mut saved: [(&'static str, u64); 5]) {
    loop {
        let is_stopped = service.halt.wait_for(PAUSE);
        let now = service.revisions();
        // If the write fails, it is tried again.
        if now != saved && write(service, file).is_ok() {
            saved = now;
        }
        if is_stopped {
            return;
        }
    }
}

fn read(file: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(named(file, &error)),
    }
}

/// Writes a temporary file and renames it, so that the file is always complete.
fn write(service: &Service, file: &Path) -> io::Result<()> {
    let state = SavedState {
        version: VERSION,
        keys: service.keys.all().into_iter().map(|(kid, key)| (kid, key.to_pem())).collect(),
        dates: service.clock.readings(),
        ledger: service.ledger().clone(),
    };
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let text = serde_json::to_vec(&state)?;
    fs::write(&part, text)
        .and_then(|()| fs::rename(&part, file))
        .map_err(|error| named(file, &error))
}

fn named(file: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", file.display()))
}

fn restore(service: &Service, text: &str) -> Result<(), String> {
    let state: SavedState = serde_json::from_str(text)
        .map_err(|error| format!("not a state of the sandbox ({error})"))?;
    if state.version != VERSION {
        return Err(format!("of version {}, which this sandbox cannot read", state.version));
    }
    for (kid, pem) in state.keys {
        service.keys.register(read_public_key(&pem)?, Some(&kid));
    }
    service.clock.resume(state.dates);
    service.ledger().restore(state.ledger, &service.base_url);
    Ok(())
}
