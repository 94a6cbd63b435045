//! Reads JSON from standard input and writes it as `serde_json` does, for
//! `tests/vectors/make_rewritings.py`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tree: serde_json::Value = serde_json::from_reader(std::io::stdin())?;
    serde_json::to_writer(std::io::stdout(), &tree)?;
    Ok(())
}
