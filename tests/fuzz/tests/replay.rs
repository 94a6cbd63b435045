//! Replays the committed corpora: a finding of a fuzzer is tried in every run.

use std::fs;
use std::path::Path;

use payments_fuzz::TARGETS;

#[test]
fn every_file_of_every_corpus_passes() {
    let mut tried = 0;
    for (name, target) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut files: Vec<_> = files.map(|entry| entry.expect("a file").path()).collect();
        files.sort();
        assert!(!files.is_empty(), "{name} has no corpus");
        for file in files {
            // A failure is found by the last line.
            eprintln!("{name}: {}", file.display());
            target(&fs::read(&file).expect("a file"));
            tried += 1;
        }
    }
    println!("{tried} inputs of {} targets", TARGETS.len());
}
