//! Redis servers for tests, each empty and on its own port, stopped when the
//! test ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::folder::Folder;

/// Starts a server, and kills it at the end of standard input, which closes
/// when the test ends for any reason.
const KEEPER: &str = r#"redis-server "$@" >/dev/null 2>&1 & echo $!; cat >/dev/null; kill -9 $!"#;

pub struct RedisServer {
    pub port: u16,
    folder: Folder,
    arguments: Vec<String>,
    running: Option<Running>,
}

struct Running {
    keeper: Child,
    pid: String,
}

impl RedisServer {
    /// Starts a server without a password.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server with arguments; `PORT` in them stands for its port.
    pub fn start_with(arguments: &[&str]) -> Self {
        Self::start_in(Folder::made(), arguments)
    }

    fn start_in(folder: Folder, arguments: &[&str]) -> Self {
        let port = free_port();
        let arguments = arguments.iter().map(|it| it.replace("PORT", &port.to_string()));
        let mut server = Self { port, folder, arguments: arguments.collect(), running: None };
        server.run();
        server
    }

    /// Starts a server that accepts only TLS. `pem` contains the certificate,
    /// the key, and the authority.
    pub fn start_tls(pem: [&str; 3], password: &str) -> Self {
        let folder = Folder::made();
        let paths = ["certificate", "key", "authority"].map(|name| folder.path().join(name));
        for (path, text) in paths.iter().zip(pem) {
            std::fs::write(path, text).unwrap();
        }
        let [certificate, key, authority] = paths.each_ref().map(|path| path.to_str().unwrap());
        let arguments = [
            ["--port", "0"],
            ["--tls-port", "PORT"],
            ["--tls-auth-clients", "no"],
            ["--tls-cert-file", certificate],
            ["--tls-key-file", key],
            ["--tls-ca-cert-file", authority],
            ["--requirepass", password],
        ];
        Self::start_in(folder, arguments.as_flattened())
    }

    /// Starts the server again, empty, after [`stop`](Self::stop).
    pub fn run(&mut self) {
        let mut command = Command::new("sh");
        command.args(["-c", KEEPER, "sh", "--bind", "127.0.0.1", "--save", "", "--dir"]);
        command
            .arg(self.folder.path())
            .arg("--port")
            .arg(self.port.to_string())
            .args(&self.arguments);
        let mut keeper = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut pid = String::new();
        BufReader::new(keeper.stdout.as_mut().unwrap()).read_line(&mut pid).unwrap();
        self.running = Some(Running { keeper, pid: pid.trim().to_owned() });
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "redis-server does not start; scripts/setup.sh installs it"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills the server, as a power failure would.
    pub fn stop(&mut self) {
        if let Some(Running { mut keeper, .. }) = self.running.take() {
            drop(keeper.stdin.take());
            keeper.wait().unwrap();
            while TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// Stops the server from responding; its connections stay open.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let pid = &self.running.as_ref().unwrap().pid;
        assert!(Command::new("kill").args([signal, pid]).status().unwrap().success());
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Runs `redis-cli` with these arguments. Returns its output.
    pub fn cli(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("redis-cli");
        command.args(["-h", "127.0.0.1", "-p", &self.port.to_string()]).args(arguments);
        let output = command.stderr(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// The number of connections, except that of the query itself.
    pub fn connections(&self) -> usize {
        self.cli(&["CLIENT", "LIST"]).lines().count() - 1
    }

    /// The names of all keys.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<_> = self.cli(&["KEYS", "*"]).lines().map(str::to_owned).collect();
        keys.sort();
        keys
    }

    /// Everything the server would write to disk.
    pub fn dump(&self) -> Vec<u8> {
        self.cli(&["CONFIG", "SET", "rdbcompression", "no"]);
        assert_eq!(self.cli(&["SAVE"]), "OK");
        let mut contents = Vec::new();
        let file = std::fs::File::open(self.folder.path().join("dump.rdb"));
        file.unwrap().read_to_end(&mut contents).unwrap();
        contents
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A port without a listener. It is below the ephemeral range, so that no
/// connection takes it while a server is down.
pub fn free_port() -> u16 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = 10 * std::process::id() + TAKEN.fetch_add(1, Ordering::Relaxed);
        let port = 10_000 + (number % 20_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A server that is not Redis and responds to everything with `response`.
pub fn impostor(response: &'static [u8]) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            while stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {
                if stream.write_all(response).is_err() {
                    break;
                }
            }
        }
    });
    port
}

/// A relay to the server on `port`. The first time it sees `command`, it
/// forwards it, but closes the connection instead of returning the response.
pub fn cut_after_first(port: u16, command: &'static [u8]) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let own_port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut cuts = true;
        for stream in listener.incoming() {
            let (mut near, mut far) =
                (stream.unwrap(), TcpStream::connect(("127.0.0.1", port)).unwrap());
            let mut buffer = [0; 65_536];
            while let Ok(read @ 1..) = near.read(&mut buffer) {
                far.write_all(&buffer[..read]).unwrap();
                let cuts_now =
                    cuts && buffer[..read].windows(command.len()).any(|it| it == command);
                let read = far.read(&mut buffer).unwrap();
                if cuts_now {
                    cuts = false;
                    break;
                }
                near.write_all(&buffer[..read]).unwrap();
            }
        }
    });
    own_port
}
