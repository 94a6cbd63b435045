//! How soon a call that waits ends when it is cancelled, and how many payments
//! become `unknown` behind a server that closes idle connections: `make bench`.

#![allow(clippy::unwrap_used, missing_docs)]

mod rows;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use payments_core::request::{CreatePayment, Payment, RawRequest};
use payments_core::{CallContext, CancelHandle, Client, Config, Outcome};
use rows::Row;

/// Calls of each kind that are cancelled.
const CANCELLED: usize = 20;
const PAYMENTS: u32 = 150;
/// The proxy closes connections at this age, and payments are as far apart.
const KEEP_ALIVE: Duration = Duration::from_millis(200);
/// How much sooner or later a payment may come.
const JITTER_MS: u64 = 4;

fn main() {
    // `cargo test --benches` only wants to see that this builds and starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let silent = SilentServer::start();
    let deaf = deaf_listener();
    let nowhere = full_listener();
    let rows = [
        ("connecting", cancel(&client(nowhere.port), || Box::new(pay))),
        ("reading a response", cancel(&client(silent.port), || Box::new(pay))),
        (
            "writing a large body",
            cancel(&client(deaf.local_addr().unwrap().port()), || Box::new(send_large)),
        ),
        ("another call's token", cancel_waiter(silent.port)),
    ];
    let mut rows = rows.map(|(what, took)| wait_row(what, took)).into_iter().collect::<Vec<_>>();
    let (first, later) = behind_haproxy();
    let what = format!(
        "payments of {PAYMENTS} that become unknown behind HAProxy over TLS, whose keep-alive \
         ends as they come (first ten, later)"
    );
    rows.push(Row::new(what, format!("{first}, {later}"), "≤ 1 later").reached(later <= 1));
    rows::print(&rows);
}

fn wait_row(what: &str, mut took: Vec<Duration>) -> Row {
    took.sort();
    let [median, longest] =
        [took[took.len() / 2], took[took.len() - 1]].map(|it| it.as_secs_f64() * 1e3);
    let what = format!("a call that waits for {what} ends after it is cancelled (median, longest)");
    Row::new(what, format!("{median:.1} ms, {longest:.1} ms"), "≤ 10 ms on an idle machine")
        .reached(median <= 10.0)
}

type Call = Box<dyn Fn(&Client, &CallContext) + Send>;

fn pay(client: &Client, context: &CallContext) {
    client.execute(&CreatePayment::new(payment()), context).unwrap_err();
}

fn send_large(client: &Client, context: &CallContext) {
    let request =
        RawRequest::new("POST", "/ws/any").body(vec![b'x'; 8 << 20]).content_type("text/plain");
    client.execute(&request, context).unwrap_err();
}

fn client(port: u16) -> Client {
    let config = Config::new(format!("http://127.0.0.1:{port}")).integration_key("key");
    Client::new(config.connect_timeout(Duration::from_secs(30))).unwrap()
}

/// How long each of some calls takes to end once it is cancelled.
fn cancel(client: &Client, call: impl Fn() -> Call) -> Vec<Duration> {
    (0..CANCELLED)
        .map(|number| {
            let handle = CancelHandle::new();
            let context = CallContext::new(Duration::from_secs(60), handle.clone(), None);
            let (client, call) = (client.clone(), call());
            let thread = std::thread::spawn(move || call(&client, &context));
            // Not in step with anything that looks every 100 ms.
            std::thread::sleep(Duration::from_millis(150 + 7 * number as u64));
            let cancelled = Instant::now();
            handle.cancel();
            thread.join().unwrap();
            cancelled.elapsed()
        })
        .collect()
}

/// Like [`cancel`], for calls that wait for the token that another one fetches.
fn cancel_waiter(silent: u16) -> Vec<Duration> {
    let url = format!("http://127.0.0.1:{silent}");
    let config = Config::new(&url).client_credentials(&url, "id", "secret");
    let client = Client::new(config).unwrap();
    let fetcher = CancelHandle::new();
    let context = CallContext::new(Duration::from_secs(60), fetcher.clone(), None);
    let fetching = {
        let client = client.clone();
        std::thread::spawn(move || client.access_token(&context).map(drop))
    };
    std::thread::sleep(Duration::from_millis(100));
    let took = cancel(&client, || Box::new(pay));
    fetcher.cancel();
    fetching.join().unwrap().unwrap_err();
    took
}

/// Takes every connection and says nothing.
struct SilentServer {
    port: u16,
}

impl SilentServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            let mut connections = Vec::new();
            connections.extend(listener.incoming().flatten());
        });
        Self { port }
    }
}

/// A listener whose connections are never read from.
fn deaf_listener() -> TcpListener {
    let listener =
        socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    listener.set_recv_buffer_size(4096).unwrap();
    listener.bind(&"127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap().into()).unwrap();
    listener.listen(64).unwrap();
    listener.into()
}

/// A listener that takes no further connection.
struct FullListener {
    port: u16,
    _listener: socket2::Socket,
    _connections: Vec<TcpStream>,
}

fn full_listener() -> FullListener {
    let listener =
        socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    listener.bind(&"127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap().into()).unwrap();
    listener.listen(0).unwrap();
    let address = listener.local_addr().unwrap().as_socket().unwrap();
    let mut connections = Vec::new();
    while let Ok(connection) = TcpStream::connect_timeout(&address, Duration::from_millis(200)) {
        connections.push(connection);
    }
    FullListener { port: address.port(), _listener: listener, _connections: connections }
}

/// How many payments become unknown, among the first ten and later.
fn behind_haproxy() -> (u32, u32) {
    let proxy = HaProxy::start(responding_server());
    let url = format!("https://localhost:{}", proxy.port);
    let config = Config::new(url).integration_key("key").ca_file(proxy.folder.join("ca.pem"));
    let client = Client::new(config).unwrap();
    let (mut first, mut later) = (0, 0);
    for number in 0..PAYMENTS {
        let result = client.create_payment(&CreatePayment::new(payment()));
        if result.is_err_and(|error| error.outcome() == Outcome::Unknown) {
            *(if number < 10 { &mut first } else { &mut later }) += 1;
        }
        let jitter = Duration::from_millis(u64::from(number) * 5 % (2 * JITTER_MS + 1));
        std::thread::sleep(KEEP_ALIVE - Duration::from_millis(JITTER_MS) + jitter);
    }
    (first, later)
}

fn responding_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let body = r#"{"status":"SUCCESS","payment":{"hash":"5f2c","status":"PE"}}"#;
                let response =
                    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                // A request of this benchmark arrives in one piece.
                while connection.read(&mut [0; 8192]).is_ok_and(|read| read > 0) {
                    connection.write_all(response.as_bytes()).unwrap();
                }
            });
        }
    });
    port
}

struct HaProxy {
    child: Child,
    port: u16,
    folder: PathBuf,
}

impl HaProxy {
    fn start(backend: u16) -> Self {
        let folder = std::env::temp_dir().join(format!("payments-haproxy-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let signed = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let (certificate, key) = (signed.cert.pem(), signed.signing_key.serialize_pem());
        std::fs::write(folder.join("ca.pem"), &certificate).unwrap();
        std::fs::write(folder.join("server.pem"), certificate + &key).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = format!(
            "defaults\n mode http\n timeout connect 5s\n timeout client 30s\n timeout server 30s\n \
             timeout http-keep-alive {}ms\n\
             frontend in\n bind 127.0.0.1:{port} ssl crt {}\n default_backend out\n\
             backend out\n server one 127.0.0.1:{backend}\n",
            KEEP_ALIVE.as_millis(),
            folder.join("server.pem").display()
        );
        std::fs::write(folder.join("haproxy.cfg"), config).unwrap();
        // Debian installs it where not everybody's PATH leads.
        let system = PathBuf::from("/usr/sbin/haproxy");
        let program = if system.exists() { system } else { PathBuf::from("haproxy") };
        let mut haproxy = Command::new(program);
        haproxy.arg("-db").arg("-f").arg(folder.join("haproxy.cfg"));
        let child = haproxy.stderr(Stdio::null()).spawn().unwrap();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { child, port, folder }
    }
}

impl Drop for HaProxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn payment() -> Payment {
    Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: "order-1001".into(),
        currency_code: "BRL".into(),
        amount_total: "100.10".parse().unwrap(),
        document: Some("853.513.468-93".into()),
        ..Payment::default()
    }
}
