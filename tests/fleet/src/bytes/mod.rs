//! A journal in PostgreSQL whose connections stop after each byte of a request
//! and of a reply, in five ways, below the driver of each language.
//!
//! A process reads the configuration of its clients, and the port of the database.
//! Each further line is a payment, `{"request"}`, which it answers with `{"outcome",
//! "kind"}`: `success`, or the outcome of the error, and the kind of the error.
//! With `"port"` and `"timeout_ms"`, it is made by a new client with a new journal
//! in the database at that port. The Python process also makes the table,
//! `{"create"}`, and recovers all entries, which get `{"recover"}` milliseconds
//! older before; it answers with `[[reference, state], ...]`.

mod proxy;

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::call::{Call, Kind, next_id};
use crate::process::Process;
use crate::service::Service;
use crate::soak::ledger::executed;
use proxy::{Cut, Direction, Proxy, Traffic, WAYS};

const PROGRAM: &str = "bytes";
const LANGUAGES: [&str; 3] = ["python", "php", "node"];
/// Processes of each language, which make one payment at a time and mostly wait: of
/// the sample, and of all.
const AT_ONCE: [usize; 2] = [4, 12];
const DEADLINE_MS: u64 = 1_000;
/// How often a payment that did not reach its cut in time is made again, with
/// twice the time.
const MOST_TRIES: u32 = 10;
/// `make test` cuts this many bytes of each direction.
const SAMPLE: usize = 12;
const DAY_MS: u64 = 86_400_000;
const PROGRESS_EVERY: usize = 1_000;
/// Recovery of all entries takes longer than a payment.
const PATIENCE: Duration = Duration::from_secs(1_200);

/// Cuts at each byte, or at some.
pub(crate) fn run(all: bool) {
    let began = Instant::now();
    let service = Service::start(Duration::from_secs(3600));
    let configuration = service.configuration_for_a_journal();
    let database = Database::start();
    let mut ledger = start("python", &configuration, database.port);
    ask(&mut ledger, &json!({"create": true}));
    let mut teams = LANGUAGES.map(|it| Team::start(it, &configuration, database.port, all));
    let paid = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for Team { cuts, payers } in &mut teams {
            for payer in payers {
                let (cuts, paid) = (&*cuts, &paid);
                scope.spawn(move || {
                    loop {
                        let Some(cut) = cuts.lock().unwrap().next() else { return };
                        let made = payer.pay_cut(cut);
                        let mut paid = paid.lock().unwrap();
                        paid.extend(made);
                        if paid.len().is_multiple_of(PROGRESS_EVERY) {
                            println!(
                                "{} runs in {:.0} s",
                                paid.len(),
                                began.elapsed().as_secs_f64()
                            );
                        }
                    }
                });
            }
        }
    });
    let paid = paid.into_inner().unwrap();
    let entries = ask(&mut ledger, &json!({"recover": DAY_MS}));
    let (findings, reported) = compare(&paid, &executed(service.sandbox()), &entries);
    for ((language, reported), runs) in reported {
        println!("{language}: {runs} {reported}");
    }
    println!("{} runs in {:.0} s", paid.len(), began.elapsed().as_secs_f64());
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    // A run in which every payment fails proves nothing.
    assert!(paid.iter().any(|paid| paid.reported == "success"));
    println!("passed");
}

/// Replies are cut in each way. Requests are cut in one way after the other: a
/// server treats a part of a statement the same, however its connection ends.
fn cuts(seen: Traffic, all: bool) -> Vec<Cut> {
    let of = |direction, size: usize, ways: usize| {
        let step = if all { 1 } else { size.div_ceil(SAMPLE) };
        (0..size).step_by(step).enumerate().flat_map(move |(number, at)| {
            let way = move |turn| WAYS[(number + turn) % WAYS.len()];
            (0..ways).map(move |turn| Cut { direction, at, way: way(turn) })
        })
    };
    let requests = of(Direction::Request, seen.requests, if all { 1 } else { WAYS.len() });
    requests.chain(of(Direction::Reply, seen.replies, WAYS.len())).collect()
}

/// The processes of a language, and the cuts that are left.
struct Team {
    cuts: Mutex<std::vec::IntoIter<Cut>>,
    payers: Vec<Payer>,
}

impl Team {
    fn start(language: &'static str, configuration: &str, database: u16, all: bool) -> Self {
        let start = |_| Payer::start(language, configuration, database);
        let mut payers: Vec<_> = (0..AT_ONCE[usize::from(all)]).map(start).collect();
        let seen = payers[0].pay_uncut();
        println!("{language}: {} bytes of requests, {} of replies", seen.requests, seen.replies);
        Self { cuts: Mutex::new(cuts(seen, all).into_iter()), payers }
    }
}

/// A process that pays through its own proxy.
struct Payer {
    language: &'static str,
    process: Process,
    proxy: Proxy,
}

impl Payer {
    fn start(language: &'static str, configuration: &str, database: u16) -> Self {
        let process = start(language, configuration, database);
        Self { language, process, proxy: Proxy::start(database) }
    }

    /// A payment that succeeds, and the bytes that it takes.
    fn pay_uncut(&mut self) -> Traffic {
        self.proxy.begin(None);
        let call = Call::new(next_id(), Kind::Payment, None);
        let reported = self.pay(&call, Some(60_000));
        assert_eq!(reported.outcome, "success", "{}: {:?}", self.language, reported.kind);
        self.proxy.seen()
    }

    /// Payments until one reaches the cut.
    fn pay_cut(&mut self, cut: Cut) -> Vec<CutPayment> {
        let mut made = Vec::new();
        for number in 0..MOST_TRIES {
            self.proxy.begin(Some(cut));
            let call = Call::new(next_id(), Kind::Payment, None);
            let reported = self.pay(&call, Some(DEADLINE_MS << number));
            let has_stopped = self.proxy.seen().has_stopped;
            let again = self.pay(&call, None);
            let (language, reference) = (self.language, Call::reference(call.id));
            made.push(CutPayment { language, cut, reference, reported: reported.outcome, again });
            if has_stopped {
                return made;
            }
        }
        panic!("{}: no payment came to {cut:?}", self.language);
    }

    /// Pays through the proxy within that time, or else without it.
    fn pay(&mut self, call: &Call, timeout_ms: Option<u64>) -> CallerReport {
        let mut line = json!({"request": call.request()});
        if let Some(timeout_ms) = timeout_ms {
            line["port"] = self.proxy.port.into();
            line["timeout_ms"] = timeout_ms.into();
        }
        let reply = ask(&mut self.process, &line);
        let kind = reply["kind"].as_str().map(str::to_owned);
        CallerReport { outcome: reply["outcome"].as_str().unwrap().to_owned(), kind }
    }
}

/// The result that a caller got: `success`, or the outcome of an error and its
/// kind.
struct CallerReport {
    outcome: String,
    kind: Option<String>,
}

/// A payment whose journal was cut, and the result when the caller repeated it
/// as a worker would.
struct CutPayment {
    language: &'static str,
    cut: Cut,
    reference: String,
    reported: String,
    again: CallerReport,
}

impl CutPayment {
    /// Whether the caller's result is true for a payment that was executed this often.
    fn is_true(&self, times: usize) -> bool {
        // The journal let it pass; something else refused it.
        let is_refused = self.again.kind.as_deref() == Some("journal");
        let again = self.again.outcome.as_str();
        // `unknown` is true of an entry that stayed open, and blocks another
        // payment.
        let is_done = is_refused && matches!(again, "executed" | "unknown");
        match self.reported.as_str() {
            "success" => times == 1 && is_done,
            "not_executed" => match times {
                0 => is_refused && again == "unknown",
                _ => times == 1 && again == "success",
            },
            "unknown" => times <= 1 && is_done,
            _ => false,
        }
    }
}

/// Compares the results of callers with the ledger of the service and the journal.
/// Returns the mistakes, and the number of each result by language.
fn compare(
    paid: &[CutPayment],
    executed: &HashMap<String, usize>,
    entries: &Value,
) -> (Vec<String>, BTreeMap<(&'static str, String), usize>) {
    let entries: Vec<(String, String)> = serde_json::from_value(entries.clone()).unwrap();
    let mut states = HashMap::<_, Vec<_>>::new();
    for (reference, state) in entries.into_iter().filter(|(_, state)| state != "failed") {
        states.entry(reference).or_default().push(state);
    }
    let (mut findings, mut reported) = (Vec::new(), BTreeMap::new());
    for one in paid {
        *reported.entry((one.language, one.reported.clone())).or_default() += 1;
        let times = executed.get(&one.reference).copied().unwrap_or(0);
        let states = states.remove(&one.reference).unwrap_or_default();
        let recorded = if times == 0 { "in_progress" } else { "done" };
        if !one.is_true(times) || states != [recorded] {
            let CutPayment {
                language, cut, reported, again: CallerReport { outcome, kind }, ..
            } = one;
            findings.push(format!(
                "{language}, {cut:?}: reported {reported}, then {outcome} ({kind:?}), executed {times} \
                 times, {states:?}"
            ));
        }
    }
    (findings, reported)
}

fn start(language: &'static str, configuration: &str, database: u16) -> Process {
    let mut process = Process::start(language, PROGRAM);
    process.write_line(configuration);
    process.write_line(&database.to_string());
    process
}

fn ask(process: &mut Process, question: &Value) -> Value {
    process.write_line(&question.to_string());
    let reply = process.read_line_within(PATIENCE);
    serde_json::from_str(&reply).unwrap_or_else(|error| panic!("{reply}: {error}"))
}

/// A server that ends with this process.
struct Database {
    keeper: Child,
    port: u16,
}

impl Database {
    fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../postgresql/serve.sh");
        let mut command = Command::new(program);
        // Each connection starts a process of the server, which these make cheaper.
        command.args(["shared_buffers=8MB", "autovacuum=off", "jit=off"]);
        let mut keeper = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let port = url.rsplit([':', '/']).find_map(|part| part.trim().parse().ok());
        Self { keeper, port: port.expect("PostgreSQL should start") }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}
