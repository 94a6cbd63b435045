//! The worker processes and their protocol.
//!
//! A worker reads two lines: the configuration of its client, and the hash of
//! a payment. It creates the client and prints `ready`. After the next line it
//! queries the payment in a loop, with sixteen concurrent calls where the
//! language supports that. It answers each further line with a line of JSON:
//! its counts since the previous one.

use serde_json::Value;

use crate::process::Process;
use crate::worker;

/// How many processes to run per language.
pub(crate) const LANGUAGES: [(&str, usize); 5] =
    [("rust", 4), ("c", 3), ("php", 3), ("python", 3), ("node", 3)];

/// A process's counts since its previous report.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) language: &'static str,
    /// Calls that returned the payment.
    pub(crate) responded: u64,
    /// Calls that failed as `token` with a retry delay.
    pub(crate) lacked: u64,
    /// Calls that failed as `unauthorized`.
    pub(crate) refused: u64,
}

impl Report {
    pub(crate) fn has_only_responses(&self) -> bool {
        self.responded > 0 && self.lacked == 0 && self.refused == 0
    }

    pub(crate) fn has_only_lacks(&self) -> bool {
        self.lacked > 0 && self.responded == 0 && self.refused == 0
    }

    fn of(process: &Process) -> Self {
        let language = process.name;
        let line = process.read_line();
        let report: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("a worker in {language}: {line}: {error}"));
        let other = &report["other"];
        assert!(other.is_null(), "a call in {language} ended otherwise: {other}");
        let count = |name: &str| report[name].as_u64().unwrap_or_else(|| panic!("{line}"));
        Self {
            language,
            responded: count("responded"),
            lacked: count("lacked"),
            refused: count("refused"),
        }
    }
}

pub(crate) struct Crew(Vec<Process>);

impl Crew {
    /// Starts every process and waits until each has created its client.
    pub(crate) fn start(configuration: &str, payment: &str) -> Self {
        let languages =
            LANGUAGES.iter().flat_map(|(language, count)| std::iter::repeat_n(*language, *count));
        let start = |language| Process::start(language, worker::PROGRAM);
        let mut crew = Self(languages.map(start).collect());
        for worker in &mut crew.0 {
            worker.write_line(configuration);
            worker.write_line(payment);
        }
        for worker in &crew.0 {
            assert_eq!(worker.read_line(), "ready", "{}", worker.name);
        }
        crew
    }

    /// Starts the calls.
    pub(crate) fn begin(&mut self) {
        self.0.iter_mut().for_each(|worker| worker.write_line("begin"));
    }

    /// Each process's counts since the previous report.
    pub(crate) fn reports(&mut self) -> Vec<Report> {
        self.0.iter_mut().for_each(|worker| worker.write_line("report"));
        self.0.iter().map(Report::of).collect()
    }

    /// Stops every process; each must exit successfully.
    pub(crate) fn stop(mut self) {
        self.0.iter_mut().for_each(Process::end_input);
        self.0.iter_mut().for_each(Process::wait);
    }
}
