//! Checks the core with no feature, with each alone, and with all.

use crate::{Failure, sh};

const MANIFEST: &str = "core/Cargo.toml";

/// `cargo clippy` is `cargo check`, and can refuse warnings without compiling the
/// dependencies again.
const CHECK: &str = "cargo clippy --locked --quiet --package payments-core \
                     --no-default-features --features";

pub(crate) fn check() -> Result<(), Failure> {
    let manifest = sh::read(MANIFEST)?;
    let features = features(&manifest);
    if features.is_empty() {
        return Err(format!("{MANIFEST} has no features"));
    }
    let all = features.join(",");
    for chosen in [""].into_iter().chain(features).chain([&*all]) {
        println!(
            "cargo check of the core with: {}",
            if chosen.is_empty() { "none" } else { chosen }
        );
        sh::run(&[&sh::words(CHECK)[..], &[chosen, "--", "-D", "warnings"]].concat())
            .map_err(|failure| format!("features \"{chosen}\": {failure}"))?;
    }
    Ok(())
}

/// The names in the table of features, but for the default.
fn features(manifest: &str) -> Vec<&str> {
    let table = manifest.split("\n[").find_map(|table| table.strip_prefix("features]\n"));
    let rows = table.unwrap_or_default().lines().filter(|line| !line.starts_with('#'));
    let names = rows.filter_map(|row| row.split_once(" = [")).map(|(name, _)| name);
    names.filter(|name| *name != "default").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_those_of_the_manifest() {
        let manifest = "[package]\nname = \"core\"\n\n[features]\ndefault = [\"b\"]\n# Of a kind = [\n\
                        a = []\nb = [\"dep:c\"]\n\n[dependencies]\nc = { features = [\"d\"] }\n";
        assert_eq!(features(manifest), ["a", "b"]);
        assert!(features("[package]\n").is_empty());
    }
}
