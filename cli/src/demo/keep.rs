//! Keeps the sandbox running after the demo, with a shop.

use std::path::{Path, PathBuf};

use super::narrator::{Narrator, print};
use super::stage::Stage;
use crate::keys::keygen;
use crate::output;
use crate::process::failure::Failure;
use crate::process::{browser, shell};
use crate::sandbox::client_files::{self, ClientKey};
use crate::sandbox::page_url;
use payments_core::ErrorCode;

/// How many folders of earlier runs to skip before giving up.
const MOST_FOLDERS: u32 = 1000;

/// Writes the key and the configuration into a new folder, prints how to use
/// them, and waits until the process is terminated. With `open`, a browser shows
/// the shop.
pub(super) fn keep(
    stage: &Stage,
    narrator: &Narrator,
    hash: &str,
    open: bool,
) -> Result<(), Failure> {
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
    let shop = open_shop(stage, &folder)?;
    print(&stage.sandbox.banner(&configuration));
    print("The key and this configuration are in this folder:");
    print("");
    print(&format!("  cd {}", shell::word(&folder.display().to_string())));
    print(&format!("  {}", shell::lines(&["payments query-payment", hash])));
    print("");
    print("Delete the folder when you are done.");
    if open && let Err(problem) = browser::open(&shop) {
        output::note(&problem);
    }
    stage.sandbox.wait();
    Ok(())
}

/// Opens the shop, and prints and returns its address.
#[cfg(unix)]
fn open_shop(stage: &Stage, folder: &Path) -> Result<String, Failure> {
    let shop = super::shop::open(&stage.sandbox, folder)?;
    print("Buy a mug in this shop, and pay for it on the page above, under Payments:");
    print("");
    print(&format!("  {shop}"));
    print("");
    print(&format!("Its owner refunds with the password {}.", super::shop::KEY));
    print("");
    Ok(shop)
}

/// Returns the page of the sandbox: without a file for its journal, there is no shop.
#[cfg(not(unix))]
fn open_shop(stage: &Stage, _: &Path) -> Result<String, Failure> {
    Ok(page_url(&stage.sandbox))
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
