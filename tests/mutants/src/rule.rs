//! The files to mutate: those that decide about money and tokens.

use std::path::Path;
use std::process::Command;

/// Folders whose files are mutated, new ones too, and single files.
const FOLDERS: [&str; 17] = [
    "base/src/certificate.rs",
    "base/src/reentrancy.rs",
    "base/src/wait.rs",
    "transport/src/",
    "core/src/client/",
    "core/src/journal/",
    "core/src/model/",
    "core/src/signing/jws/",
    "core/src/token/",
    "host/src/agreement/",
    "host/src/answer.rs",
    "host/src/ensuring/",
    "host/src/follow/",
    "host/src/journal/",
    "host/src/recovery/",
    "host/src/turns.rs",
    "host/src/waiting.rs",
];

/// Ends of names of files that are not mutated, with the reason.
const EXCEPT: [(&str, &str); 6] = [
    ("/generated.rs", "tables that are generated"),
    ("/generated/", "tables that are generated"),
    ("tests.rs", "tests"),
    ("/fuzzing.rs", "only fuzzing compiles it"),
    ("model/error/messages.rs", "words"),
    ("model/diagnosis.rs", "what the sandbox's diagnosis looks for"),
];

/// The files that are mutated.
pub fn chosen(root: &Path) -> Result<Vec<String>, String> {
    let files = tracked(root)?;
    if let Some(gone) = FOLDERS.iter().find(|it| !files.iter().any(|file| file.starts_with(*it))) {
        return Err(format!("tests/mutants/src/rule.rs: {gone} is gone"));
    }
    let files = files.into_iter().filter(|file| {
        file.ends_with(".rs")
            && FOLDERS.iter().any(|folder| file.starts_with(folder))
            && !EXCEPT.iter().any(|(end, _)| file.contains(end))
    });
    Ok(files.collect())
}

/// The files of the repository, also those that are not committed yet.
pub fn tracked(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("git: {error}"))?;
    let files = String::from_utf8_lossy(&output.stdout).into_owned();
    let files = files.split_terminator('\0').filter(|it| root.join(it).is_file());
    Ok(files.map(str::to_owned).collect())
}
