//! The cost of C compared with Rust, measured in one run: `make bench`.
//!
//! The library is loaded as a host loads it, stripped. PAYMENTS_LIBRARY names
//! it, and PAYMENTS_LIBRARY_BEFORE may name that of another commit to compare it
//! with. Both sides of a ratio take turns against one server.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../../core/benches/load/mod.rs"]
mod load;
#[path = "../../core/benches/rows/mod.rs"]
mod rows;
#[path = "../../core/benches/server/mod.rs"]
mod server;
mod start;

use std::ffi::{CStr, CString, c_char, c_void};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use payments_core::json::Json;
use payments_core::request::CreatePayment;
use payments_core::{Client, Config};
use rows::Row;
use server::Server;

const START: &str = "--payments-bench-start";
const BODY: &str = r#"{"payment":{"name":"Maria Souza","email":"maria@example.com","country":"br","payment_type_code":"pix","merchant_payment_code":"order-1001","currency_code":"BRL","amount_total":100.10,"document":"853.513.468-93"}}"#;

fn main() {
    if server::is_asked_for() {
        return server::serve();
    }
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(place) = arguments.iter().position(|argument| argument == START) {
        return start_as_c(&arguments[place + 1], &arguments[place + 2]);
    }
    // `cargo test --benches` only wants to see that this builds and starts.
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    let library = stripped("PAYMENTS_LIBRARY")
        .unwrap_or_else(|| panic!("PAYMENTS_LIBRARY is not set: run make bench"));
    let server = Server::start();
    let key = payments_core::signer::generate_key().unwrap();
    let pem = key.private_key_pem.expose();
    let mut rows = vec![call_row(&library, pem, &server), size_row(&library)];
    if let Some(before) = stripped("PAYMENTS_LIBRARY_BEFORE") {
        rows.extend(before_rows(&library, &before, pem, &server));
        std::fs::remove_file(&before).unwrap();
    }
    rows.extend(start_rows(&library, pem, &server));
    rows.extend(saturation_rows(&library, pem, &server));
    std::fs::remove_file(&library).unwrap();
    rows::print(&rows);
}

/// Calls of many threads through one client.
fn saturation_rows(library: &Path, pem: &str, server: &Server) -> Vec<Row> {
    let url = format!("http://127.0.0.1:{}", server.port);
    let c = Library::load(library);
    let config = config_text(&url, pem);
    let unlimited = config.replacen('{', r#"{"signing_threads":1000000,"#, 1);
    // Handles are addresses, and clients may be used by all threads.
    let [in_turn, at_once] = [config, unlimited].map(|config| c.client(&config) as usize);
    let rows = load::saturate("C", &|| c.create_payment(in_turn as Handle), &|| {
        c.create_payment(at_once as Handle)
    });
    for client in [in_turn, at_once] {
        // SAFETY: the client is freed once, and not used any more.
        unsafe { (c.client_free)(client as Handle) };
    }
    rows
}

/// The same call through one open connection each.
fn call_row(library: &Path, pem: &str, server: &Server) -> Row {
    let url = format!("http://127.0.0.1:{}", server.port);
    let config = Config::new(url.as_str()).integration_key("key").signing_key(pem, "bench-key");
    let rust = Client::new(config).unwrap();
    let request = CreatePayment::from_json(BODY.as_bytes()).unwrap();
    let c = Library::load(library);
    let client = c.client(&config_text(&url, pem));

    let (mut by_rust, mut by_c) = (Vec::new(), Vec::new());
    for round in 0..1_100 {
        let rust_took = timed(|| rust.create_payment(&request).unwrap());
        let c_took = timed(|| c.create_payment(client));
        // Warming up is not measured.
        if round >= 100 {
            by_rust.push(rust_took);
            by_c.push(c_took);
        }
    }
    // SAFETY: the client is freed once, and not used any more.
    unsafe { (c.client_free)(client) };
    let (by_rust, by_c) = (median(by_rust), median(by_c));
    println!("keep-alive call by Rust {by_rust:?}, by C {by_c:?}");
    let ratio = by_c.as_secs_f64() / by_rust.as_secs_f64();
    Row::new("keep-alive call through C / through Rust", format!("{ratio:.3}"), "≤ 1.03")
        .reached(ratio <= 1.03)
}

/// The cost of the library compared with that of another commit.
fn before_rows(library: &Path, before: &Path, pem: &str, server: &Server) -> [Row; 3] {
    let config = config_text(&format!("http://127.0.0.1:{}", server.port), pem);
    let [now, then] = [library, before].map(|path| (size(path), Library::load(path)));
    println!("libpayments.so {} bytes, before {} bytes", now.0, then.0);
    let (size, libraries) = (now.0 as f64 / then.0 as f64, [now.1, then.1]);
    let clients = libraries.each_ref().map(|library| library.client(&config));
    let call = ratio("a keep-alive call", 2_000, |side| {
        libraries[side].create_payment(clients[side]);
    });
    for (library, client) in libraries.iter().zip(clients) {
        // SAFETY: the client is freed once, and not used any more.
        unsafe { (library.client_free)(client) };
    }
    let first = ratio("a client and its first payment", 500, |side| {
        let client = libraries[side].client(&config);
        libraries[side].create_payment(client);
        // SAFETY: the client is freed once, and not used any more.
        unsafe { (libraries[side].client_free)(client) };
    });
    let row = |what: &str, ratio: f64, goal, most| {
        Row::new(what, format!("{ratio:.3}"), goal).reached(ratio <= most)
    };
    [
        row("libpayments.so, stripped / before", size, "≤ 1.00", 1.0),
        row("processor time of a keep-alive call / before", call, "≤ 1.01", 1.01),
        row("processor time of a first payment / before", first, "≤ 1.01", 1.01),
    ]
}

/// The processor time of the first side's `work` divided by that of the second.
/// It tells less of a busy machine than the time that passes.
fn ratio(what: &str, rounds: usize, work: impl Fn(usize)) -> f64 {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..rounds + rounds / 20 {
        for (side, times) in times.iter_mut().enumerate() {
            let began = processor_time();
            work(side);
            // Warming up is not measured.
            if round >= rounds / 20 {
                times.push(processor_time() - began);
            }
        }
    }
    let [now, before] = times.map(median);
    println!("processor time of {what} {now:?}, before {before:?}");
    now.as_secs_f64() / before.as_secs_f64()
}

/// The processor time that this thread has used.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place takes a time.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Processes that load the library and make one call.
fn start_rows(library: &Path, pem: &str, server: &Server) -> [Row; 3] {
    let config = library.with_extension("json");
    let url = format!("http://127.0.0.1:{}", server.port);
    std::fs::write(&config, config_text(&url, pem)).unwrap();
    let started = start::measure(|| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg(START).args([library, &config]);
        command
    });
    std::fs::remove_file(&config).unwrap();
    let [whole, loading, client] = [started.whole, started.loading, started.client]
        .map(|took| format!("{:.2} ms", took.as_secs_f64() * 1e3));
    let is_reached = started.client <= Duration::from_millis(3);
    [
        Row::new("from the start of a program to the first response, through C", whole, "—"),
        Row::new("loading libpayments.so", loading, "—"),
        Row::new("a client from PEM through C", client, "≤ 3 ms on an idle machine")
            .reached(is_reached),
    ]
}

/// The calls of a program in C.
fn start_as_c(library: &str, config: &str) {
    let config = std::fs::read_to_string(config).unwrap();
    let started = Instant::now();
    let library = Library::load(Path::new(library));
    let loading = started.elapsed();
    let client = library.client(&config);
    let making = started.elapsed() - loading;
    library.create_payment(client);
    println!("{} {}", loading.as_nanos(), making.as_nanos());
}

fn size_row(library: &Path) -> Row {
    let megabytes = size(library) as f64 / 1e6;
    Row::new("libpayments.so, stripped", format!("{megabytes:.2} MB"), "≤ 7.5 MB")
        .reached(megabytes <= 7.5)
}

fn size(library: &Path) -> u64 {
    std::fs::metadata(library).unwrap().len()
}

/// The library that a variable names, as `make install` ships it.
fn stripped(variable: &str) -> Option<PathBuf> {
    let library = std::env::var_os(variable)?;
    let name = format!("{}-{}.so", variable.to_lowercase(), std::process::id());
    let stripped = std::env::temp_dir().join(name);
    let strip = Command::new("strip").arg("-o").arg(&stripped).arg(&library).status().unwrap();
    assert!(strip.success(), "strip");
    Some(stripped)
}

fn config_text(url: &str, pem: &str) -> String {
    let text = |text: &str| String::from_utf8(Json::from(text).to_bytes()).unwrap();
    let (url, pem) = (text(url), text(pem));
    format!(r#"{{"base_url":{url},"integration_key":"key","kid":"bench-key","key":{pem}}}"#)
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    black_box(work());
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

type Handle = *mut c_void;

type ClientNew =
    unsafe extern "C" fn(*const c_char, usize, *const c_void, *mut Handle, *mut Handle) -> i32;
type Operate = unsafe extern "C" fn(
    *const c_void,
    *const c_char,
    usize,
    *const c_void,
    *mut Handle,
    *mut Handle,
) -> i32;
type Free = unsafe extern "C" fn(Handle);

/// Those functions of the library that are measured.
struct Library {
    client_new: ClientNew,
    create_payment: Operate,
    response_free: Free,
    client_free: Free,
}

impl Library {
    fn load(path: &Path) -> Self {
        let path = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the path ends in NUL; the library does nothing when loaded.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!library.is_null(), "{path:?} cannot be loaded");
        let symbol = |name: &CStr| {
            // SAFETY: the library was loaded, the name ends in NUL.
            let symbol = unsafe { libc::dlsym(library, name.as_ptr()) };
            assert!(!symbol.is_null(), "{name:?} is not exported");
            symbol
        };
        // SAFETY: the types are those that the header declares.
        unsafe {
            Self {
                client_new: std::mem::transmute::<*mut c_void, ClientNew>(symbol(
                    c"payments_client_new",
                )),
                create_payment: std::mem::transmute::<*mut c_void, Operate>(symbol(
                    c"payments_client_create_payment",
                )),
                response_free: std::mem::transmute::<*mut c_void, Free>(symbol(
                    c"payments_response_free",
                )),
                client_free: std::mem::transmute::<*mut c_void, Free>(symbol(
                    c"payments_client_free",
                )),
            }
        }
    }

    fn client(&self, config: &str) -> Handle {
        let (mut client, text) = (null_mut(), config.as_ptr().cast());
        // SAFETY: the text is readable, and the place takes a handle.
        let status =
            unsafe { (self.client_new)(text, config.len(), null(), &mut client, null_mut()) };
        assert_eq!(status, 0);
        client
    }

    fn create_payment(&self, client: Handle) {
        let (mut response, body) = (null_mut(), BODY.as_ptr().cast());
        // SAFETY: the client lives, the text is readable, the response is freed.
        unsafe {
            let status =
                (self.create_payment)(client, body, BODY.len(), null(), &mut response, null_mut());
            assert_eq!(status, 0);
            (self.response_free)(response);
        }
    }
}
