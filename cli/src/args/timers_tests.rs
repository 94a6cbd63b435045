//! The units for systemd and cron in docs/going-live.md.

use clap::Parser as _;

use crate::args::journal::JournalCommand;
use crate::args::{Cli, Command, Tool};

const PAGE: &str = include_str!("../../../docs/going-live.md");
const NAMES: [&str; 2] = ["recover", "follow"];

/// The blocks of the page in that language.
fn blocks(language: &str) -> Vec<&'static str> {
    let begin = format!("\n```{language}\n");
    let blocks = PAGE.split(&begin).skip(1);
    blocks.map(|rest| rest.split_once("\n```").unwrap().0).collect()
}

/// A unit of systemd: its file, and each key with its section and its value.
struct Unit {
    file: &'static str,
    keys: Vec<(&'static str, &'static str, &'static str)>,
}

impl Unit {
    fn read(text: &'static str) -> Self {
        let mut lines = text.lines();
        let file = lines.next().unwrap().strip_prefix("# /etc/systemd/system/").unwrap();
        let (mut section, mut keys) = ("", Vec::new());
        for line in lines.filter(|line| !line.is_empty()) {
            if let Some(name) = line.strip_prefix('[') {
                section = name.strip_suffix(']').unwrap();
                continue;
            }
            let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("{file}: {line}"));
            assert!(known(section).contains(&key), "{file}: {key} in {section}");
            keys.push((section, key, value));
        }
        Self { file, keys }
    }

    fn all() -> Vec<Self> {
        blocks("ini").into_iter().map(Self::read).collect()
    }

    fn get(&self, section: &str, key: &str) -> Option<&'static str> {
        let mut found = self.keys.iter().filter(|it| it.0 == section && it.1 == key);
        let value = found.next().map(|it| it.2);
        assert!(found.next().is_none(), "{}: {key} is there twice", self.file);
        value
    }
}

/// The keys that systemd knows in a section, of those that the page has.
fn known(section: &str) -> &'static [&'static str] {
    match section {
        "Unit" => &["Description", "Wants", "After"],
        "Service" => &[
            "Type",
            "User",
            "StateDirectory",
            "StateDirectoryMode",
            "ExecStart",
            "StandardOutput",
            "SuccessExitStatus",
        ],
        "Timer" => &["OnCalendar", "AccuracySec"],
        "Install" => &["WantedBy"],
        _ => panic!("[{section}] is no section"),
    }
}

/// The command that `payments` runs when it is started this way.
fn started(command: &str) -> Command {
    // Nobody quotes anything there.
    assert!(!command.contains(['\'', '"', '\\', '$']), "{command}");
    let words: Vec<_> = command.split_whitespace().take_while(|it| !it.starts_with('>')).collect();
    assert_eq!(words[0], "/usr/local/bin/payments", "{command}");
    assert!(words.contains(&"--config"), "nothing says which folder it runs in");
    Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{command}: {error}")).command
}

/// `recover` or `follow`, and the state file of the latter.
fn name_of(command: &Command) -> (&'static str, Option<String>) {
    match command {
        Command::Tool(Tool::Follow(args)) => {
            ("follow", Some(args.state.as_ref().unwrap().display().to_string()))
        }
        Command::Tool(Tool::Journal(JournalCommand::Recover { .. })) => ("recover", None),
        _ => panic!("another command"),
    }
}

#[test]
fn each_service_runs_its_command_and_each_timer_its_service() {
    let units = Unit::all();
    let files: Vec<_> = units.iter().map(|unit| unit.file).collect();
    let expected = NAMES.map(|name| ["service", "timer"].map(|of| format!("payments-{name}.{of}")));
    assert_eq!(files, expected.concat());
    for unit in &units {
        assert!(unit.get("Unit", "Description").is_some());
        if unit.file.ends_with(".timer") {
            assert_eq!(unit.get("Timer", "OnCalendar"), Some("minutely"));
            assert_eq!(unit.get("Install", "WantedBy"), Some("timers.target"));
            continue;
        }
        let (name, state) = name_of(&started(unit.get("Service", "ExecStart").unwrap()));
        assert_eq!(unit.file, format!("payments-{name}.service"));
        assert!(unit.get("Service", "User").is_some_and(|user| user != "root"));
        assert_eq!(unit.get("Service", "SuccessExitStatus"), Some("3"));
        // systemd makes the folder of the state file and of the output.
        if let Some(state) = state {
            let folder = format!("/var/lib/{}/", unit.get("Service", "StateDirectory").unwrap());
            assert!(state.starts_with(&folder), "{state}");
            let output = unit.get("Service", "StandardOutput").unwrap();
            assert!(output.strip_prefix("append:").unwrap().starts_with(&folder), "{output}");
        }
    }
}

#[test]
fn each_line_of_the_crontab_is_a_time_and_a_command() {
    let [crontab] = blocks("crontab")[..] else { panic!("one block") };
    let mut names = Vec::new();
    for line in crontab.lines() {
        let parts: Vec<_> = line.splitn(6, ' ').collect();
        let [minute, hour, day, month, weekday, command] = parts[..] else { panic!("{line}") };
        let fields = [(minute, 59), (hour, 23), (day, 31), (month, 12), (weekday, 7)];
        for (field, most) in fields {
            let is_number = field.parse().is_ok_and(|number: u8| number <= most);
            assert!(field == "*" || is_number, "{line}");
        }
        // A line that prints sends a mail, and cron reads this sign as the end of a line.
        assert!(command.contains(" >>/") && !command.contains('%'), "{line}");
        let alone = command.strip_prefix("flock -n ");
        let command = alone.map_or(command, |rest| rest.split_once(' ').unwrap().1);
        let (name, _) = name_of(&started(command));
        // The next minute comes while it still runs.
        assert_eq!(alone.is_some(), name == "follow", "{line}");
        names.push(name);
    }
    assert_eq!(names, NAMES);
}
