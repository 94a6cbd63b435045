//! The commands in examples/deploy. The parsers of systemd, cron and others read the
//! files themselves, in examples/tests/deploy.

use std::path::{Path, PathBuf};

use clap::Parser as _;

use crate::args::journal::JournalCommand;
use crate::args::{Cli, Command, Tool};

/// As the Debian package installs it.
const PAYMENTS: &str = "/usr/bin/payments ";
/// As an image.
const IMAGE: &str = " payments \\\n#     ";

/// The files below a folder, with their texts.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| {
        if path.is_dir() {
            return files(&path);
        }
        vec![(path.clone(), std::fs::read_to_string(path).unwrap())]
    };
    paths.flat_map(read).collect()
}

fn deploy() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/deploy");
    let name = |path: &Path| path.strip_prefix(&folder).unwrap().display().to_string();
    files(&folder).into_iter().map(|(path, text)| (name(&path), text)).collect()
}

/// The command that `payments` runs with these words, and its state file.
fn started(words: &str) -> (&'static str, Option<String>) {
    // Nothing is quoted there.
    assert!(!words.contains(['\'', '"', '\\', '$']), "{words}");
    let words: Vec<_> = words.split_whitespace().take_while(|it| !it.starts_with('>')).collect();
    let parsed = Cli::try_parse_from(["payments"].iter().chain(&words));
    let command = parsed.unwrap_or_else(|error| panic!("{words:?}: {error}")).command;
    let is_configured = words[..2] == ["--config", "/etc/shop/payments.json"];
    let (name, state) = match command {
        Command::Tool(Tool::Journal(JournalCommand::Create { .. })) => return ("create", None),
        Command::Tool(Tool::Journal(JournalCommand::Recover { .. })) => ("recover", None),
        Command::Tool(Tool::Check(_)) => ("check", None),
        Command::Tool(Tool::Follow(args)) => ("follow", args.state),
        _ => panic!("another command: {words:?}"),
    };
    assert!(is_configured, "nothing says which folder it runs in: {words:?}");
    (name, state.map(|path| path.display().to_string()))
}

#[test]
fn every_command_of_the_deployments_parses() {
    let mut found = Vec::new();
    for (file, text) in deploy() {
        for rest in text.split(PAYMENTS).skip(1).chain(text.split(IMAGE).skip(1)) {
            found.push((file.clone(), started(rest.lines().next().unwrap()).0));
        }
    }
    found.sort();
    let found: Vec<_> = found.iter().map(|(file, name)| (file.as_str(), *name)).collect();
    assert_eq!(
        found,
        [
            ("crontab", "follow"),
            ("crontab", "recover"),
            ("docker/rust.Dockerfile", "create"),
            ("docker/rust.Dockerfile", "recover"),
            ("kubernetes.yaml", "check"),
            ("kubernetes.yaml", "create"),
            ("kubernetes.yaml", "recover"),
            ("systemd/payments-follow.service", "follow"),
            ("systemd/payments-recover.service", "recover"),
        ]
    );
}

#[test]
fn each_service_keeps_its_files_where_systemd_makes_a_folder() {
    for name in ["recover", "follow"] {
        let text = |of: &str| {
            let file = format!("systemd/payments-{name}.{of}");
            let found = deploy().into_iter().find(|(it, _)| *it == file);
            found.unwrap_or_else(|| panic!("no {file}")).1
        };
        let service = text("service");
        let get = |key: &str| {
            let mut values =
                service.lines().filter_map(|it| it.strip_prefix(key)?.strip_prefix('='));
            let value = values.next();
            assert_eq!(values.next(), None, "{key} is there twice");
            value.unwrap_or_else(|| panic!("{name}: no {key}"))
        };
        assert!(get("User") != "root" && get("SuccessExitStatus") == "3");
        let (started, state) = started(get("ExecStart").strip_prefix(PAYMENTS).unwrap());
        assert_eq!(started, name);
        if let Some(state) = state {
            let folder = format!("/var/lib/{}/", get("StateDirectory"));
            assert!(state.starts_with(&folder), "{state}");
            assert!(get("StandardOutput").strip_prefix("append:").unwrap().starts_with(&folder));
        }
        let timer = text("timer");
        assert!(timer.contains("\nOnCalendar=minutely\n"));
        assert!(timer.ends_with("\n[Install]\nWantedBy=timers.target\n"));
    }
}

#[test]
fn the_crontab_follows_once_at_a_time_and_prints_nothing() {
    let crontab = deploy().into_iter().find(|(file, _)| file == "crontab").unwrap().1;
    for line in crontab.lines().filter(|line| !line.starts_with('#')) {
        let (before, words) = line.split_once(PAYMENTS).unwrap();
        // A line that prints sends a mail, and cron reads this sign as the end of a line.
        assert!(words.contains(" >>/") && !words.contains('%'), "{line}");
        // The next minute comes while it still runs.
        assert_eq!(before.contains("flock -n "), started(words).0 == "follow", "{line}");
    }
}
