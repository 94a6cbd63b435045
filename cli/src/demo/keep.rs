//! Keeps the sandbox running after the demo, with a shop.

use std::path::Path;

use super::narrator::print;
use super::steps::{PAID, Stage};
use crate::output;
use crate::process::failure::Failure;
use crate::process::{browser, shell};
use crate::sandbox::page_url;

/// Prints how to use the sandbox and the files in `folder`, and waits until the
/// process is terminated. With `open`, a browser shows the shop.
pub(super) fn keep(stage: &Stage, folder: &Path, open: bool) -> Result<(), Failure> {
    print("");
    print(&output::Style::of_stdout().bold("The sandbox runs until Ctrl-C"));
    print("");
    print("Its page shows what the demo did:");
    print("");
    print(&format!("  {}", page_url(&stage.sandbox)));
    print("");
    let shop = open_shop(stage, folder)?;
    print(&stage.sandbox.banner(&stage.configuration));
    print("The key and this configuration are in this folder:");
    print("");
    print(&format!("  cd {}", shell::word(&folder.display().to_string())));
    print(&format!(
        "  {}",
        shell::lines(&["payments query-payment --merchant-payment-code", PAID])
    ));
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
