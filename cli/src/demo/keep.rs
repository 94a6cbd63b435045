//! Keeps the sandbox running after the demo.

use std::path::PathBuf;

use super::narrator::{Narrator, print};
use super::stage::Stage;
use crate::keys::keygen;
use crate::process::failure::Failure;
use crate::process::shell;
use crate::sandbox::client_files::{self, ClientKey};
use crate::sandbox::page_url;
use payments_core::ErrorCode;

/// How many folders of earlier runs to skip before giving up.
const MOST_FOLDERS: u32 = 1000;

/// Writes the key and the configuration into a new folder, prints how to use
/// them, and waits until the process is terminated.
pub(super) fn keep(stage: &Stage, narrator: &Narrator, hash: &str) -> Result<(), Failure> {
    let folder = new_folder()?;
    let key = ClientKey::Made(stage.key.clone());
    let configuration = client_files::write(&folder, &stage.sandbox, &stage.kid, &key)?;
    print("");
    print(&narrator.style().bold("The sandbox runs until Ctrl-C"));
    print("");
    print("Its page shows what the demo did:");
    print("");
    print(&format!("  {}", page_url(&stage.sandbox)));
    print("");
    print(&stage.sandbox.banner(&configuration));
    print("The key and this configuration are in this folder:");
    print("");
    print(&format!("  cd {}", shell::word(&folder.display().to_string())));
    print(&format!("  {}", shell::lines(&["payments query-payment", hash])));
    print("");
    print("Delete the folder when you are done.");
    stage.sandbox.wait();
    Ok(())
}

/// Creates a new folder that only the owner can access.
pub(super) fn new_folder() -> Result<PathBuf, Failure> {
    let base = std::env::temp_dir();
    let candidates = (1..=MOST_FOLDERS).map(|number| base.join(format!("payments-demo-{number}")));
    for folder in candidates {
        if keygen::make_new_folder(&folder)? {
            return Ok(folder);
        }
    }
    let message = format!("delete the folders payments-demo-* in {}", base.display());
    Err(Failure::io(ErrorCode::FILE_UNWRITABLE, message))
}
