//! Networks that fail and come back: network namespaces, which end with the
//! processes in them. All addresses are inside of them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Stdio};

use super::child;
use super::raw_server::{RawServer, created};
use super::wait::wait_until;

/// Set in a process that runs one test in its own network.
const INSIDE: &str = "PAYMENTS_TEST_NETWORK";
/// Set in a payer of an [`Outage`]: where to pay, and how its second call ends.
const URL: &str = "PAYMENTS_TEST_NETWORK_URL";
const END: &str = "PAYMENTS_TEST_NETWORK_END";
/// The end of a payer that only pays once.
const NONE: &str = "none";
/// The Ethernet address of this process's end of each link.
const ETHERNET: &str = "02:00:00:00:00:01";
/// Whether this process runs only `test`, in its own network. If not, first
/// runs it there, where it must pass. If the system allows no network
/// namespace, says so on standard error.
pub fn is_inside(test: impl Fn() + Copy) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        run("ip", "link set lo up");
        return true;
    }
    let spaces: [&[&str]; 2] = [&["--net"], &["--user", "--map-root-user", "--net"]];
    let is_allowed = |space: &&&[&str]| {
        let mut command = Command::new("unshare");
        command.args(**space).arg("true").stderr(Stdio::null()).status().unwrap().success()
    };
    match spaces.iter().find(is_allowed) {
        Some(space) => {
            let mut command = Command::new("unshare");
            command.args(*space).arg(std::env::current_exe().unwrap()).args(child::only(test));
            child::must_pass(command.env(INSIDE, "1"));
        }
        None => {
            let name = child::only(test)[1];
            let notice = format!("{name}: not run: the system allows no network namespace\n");
            // Not by `eprintln`, whose output the test runner keeps to itself.
            std::io::stderr().write_all(notice.as_bytes()).unwrap();
        }
    }
    false
}

/// A namespace for clients, and the link that joins it to this one.
struct Link {
    /// Keeps the namespace until its standard input closes.
    holder: Child,
    number: u8,
}

impl Link {
    /// A link that works. Each has its own `number`.
    fn new(number: u8) -> Self {
        let mut holder = Command::new("unshare");
        let holder = holder.args(["--net", "cat"]).stdin(Stdio::piped()).spawn().unwrap();
        let link = Self { holder, number };
        let namespace = |process: &str| std::fs::read_link(format!("/proc/{process}/ns/net")).ok();
        let holder = link.holder.id().to_string();
        wait_until("the namespace exists", || namespace(&holder) != namespace("self"));
        let pair = format!("s{number} address {ETHERNET} type veth peer name c{number}");
        run("ip", &format!("link add {pair} netns {holder}"));
        run("ip", &format!("addr add {}/24 dev s{number}", link.address()));
        run("ip", &format!("link set s{number} up"));
        let enter = link.entrance();
        run("nsenter", &format!("{enter} ip addr add 10.77.{number}.2/24 dev c{number}"));
        run("nsenter", &format!("{enter} ip link set c{number} up"));
        // Otherwise the last packets wait below TCP for the answer to an ARP
        // request, for up to 3 s, and nothing can take them back.
        let neighbor = format!("{} lladdr {ETHERNET} nud permanent", link.address());
        run("nsenter", &format!("{enter} ip neigh replace {neighbor} dev c{number}"));
        link
    }

    /// This process's address.
    fn address(&self) -> String {
        format!("10.77.{}.1", self.number)
    }

    /// The option of `nsenter` for the namespace of the clients.
    fn entrance(&self) -> String {
        format!("--net=/proc/{}/ns/net", self.holder.id())
    }

    /// Breaks the link until [`restore`](Self::restore).
    fn cut(&self) {
        run("ip", &format!("link set s{} down", self.number));
    }

    fn restore(&self) {
        run("ip", &format!("link set s{} up", self.number));
    }

    /// How many bytes the clients' kernel has yet to deliver, also for
    /// processes that are gone.
    fn undelivered(&self) -> u64 {
        let table = std::fs::read_to_string(format!("/proc/{}/net/tcp", self.holder.id())).unwrap();
        let queue = |line: &str| {
            let queues = line.split_whitespace().nth(4).unwrap();
            u64::from_str_radix(queues.split(':').next().unwrap(), 16).unwrap()
        };
        table.lines().skip(1).map(queue).sum()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        self.holder.wait().unwrap();
    }
}

/// A process that has paid once, and whose second request is written while its
/// network is down.
pub struct Outage {
    link: Link,
    server: RawServer,
    payer: Child,
    said: BufReader<ChildStdout>,
    /// The arguments that run only the payer.
    only: [&'static str; 3],
    end: &'static str,
}

/// The part of a payer: where to pay, and how its second call ends; `None` if
/// it pays only once. A payer pays, calls [`wait_for_outage`], and pays again
/// on the same connection. It prints the kind and the outcome of the error.
pub fn payer() -> Option<(String, Option<String>)> {
    let end = std::env::var(END).ok()?;
    Some((std::env::var(URL).unwrap(), Some(end).filter(|end| end != NONE)))
}

/// Waits until the network is down.
pub fn wait_for_outage() {
    println!("ready");
    hear();
}

/// Waits for the next line from [`Outage::tell`], or for the end of the test.
pub fn hear() {
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

impl Outage {
    /// Runs `test` as the payer. Each outage has its own `number`.
    pub fn start(number: u8, test: impl Fn(), end: &'static str) -> Self {
        let link = Link::new(number);
        let listener = TcpListener::bind((link.address(), 0)).unwrap();
        let server = RawServer::start_on(listener, |mut connection| {
            while connection.read_request().is_some() && connection.write(&created()) {}
        });
        let only = child::only(test);
        let mut payer = pay(&link, &server, only, end);
        let mut payer = payer.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(payer.stdout.take().unwrap());
        let mut outage = Self { link, server, payer, said, only, end };
        outage.wait_for("ready");
        outage.link.cut();
        outage.tell("go");
        wait_until("the request is written", || outage.link.undelivered() > 0);
        outage
    }

    pub fn tell(&mut self, word: &str) {
        writeln!(self.payer.stdin.as_mut().unwrap(), "{word}").unwrap();
    }

    /// Waits until the payer prints `text`.
    pub fn wait_for(&mut self, text: &str) {
        let mut lines = self.said.by_ref().lines().map(Result::unwrap);
        assert!(lines.any(|line| line.ends_with(text)), "{}: never said {text}", self.end);
    }

    pub fn kill(&mut self) {
        self.payer.kill().unwrap();
        self.payer.wait().unwrap();
    }

    pub fn freeze(&self) {
        run("kill", &format!("-STOP {}", self.payer.id()));
    }

    /// Waits until the kernel has given up, whatever the payer does.
    pub fn wait_for_kernel(&self) {
        wait_until("the deadline has passed", || self.link.undelivered() == 0);
    }

    /// Repairs the network. Fails if the second request arrives, or if a byte
    /// of it could.
    pub fn must_have_dropped_the_request(self) {
        let late = self.link.undelivered();
        self.link.restore();
        wait_until("nothing is left to deliver", || self.link.undelivered() == 0);
        // Shows that the network is back.
        child::must_pass(&mut pay(&self.link, &self.server, self.only, NONE));
        // The first one, and that of the other payer.
        assert_eq!((self.server.requests().len(), late), (2, 0), "{}", self.end);
    }
}

impl Drop for Outage {
    fn drop(&mut self) {
        let _ = self.payer.kill();
        let _ = self.payer.wait();
    }
}

/// The command that runs a payer.
fn pay(link: &Link, server: &RawServer, only: [&str; 3], end: &str) -> Command {
    let mut command = Command::new("nsenter");
    command.arg(link.entrance()).arg(std::env::current_exe().unwrap()).args(only);
    command.env(URL, server.base_url()).env(END, end);
    command
}

fn run(program: &str, arguments: &str) {
    let mut command = Command::new(program);
    let status = command.args(arguments.split(' ')).status();
    assert!(status.is_ok_and(|status| status.success()), "{program} {arguments}");
}
