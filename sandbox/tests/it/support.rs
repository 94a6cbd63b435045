//! A client that sends exactly the given bytes, and a signing key.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::OnceLock;
use std::time::Duration;

use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaEncoding};
use payments_core::jws::{PublicKey, sign};
use payments_sandbox::{Require, Sandbox, SandboxConfig, TokenLimit};
use rsa::pkcs8::DecodePrivateKey as _;
use serde_json::Value;

/// Starts a sandbox that requires no credentials but checks any it receives.
pub fn start() -> Sandbox {
    start_with(|_| {})
}

pub fn start_with(change: impl FnOnce(&mut SandboxConfig)) -> Sandbox {
    let mut config = SandboxConfig {
        require: Require::NOTHING,
        token_limit: TokenLimit { requests: 0, ..TokenLimit::default() },
        client_id: "sandbox-client".to_owned(),
        ..SandboxConfig::default()
    };
    change(&mut config);
    Sandbox::start(config).unwrap()
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

pub struct Connection(pub TcpStream);

impl Connection {
    pub fn open(sandbox: &Sandbox) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", sandbox.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        Self(stream)
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    /// Reads until the connection ends. Also returns the error, if any.
    pub fn read_to_end(&mut self) -> (Vec<u8>, Option<std::io::ErrorKind>) {
        let mut bytes = Vec::new();
        let error = self.0.read_to_end(&mut bytes).err().map(|error| error.kind());
        (bytes, error)
    }

    /// Reads at most `count` bytes.
    pub fn read_some(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        let count = self.0.read(&mut bytes).unwrap();
        bytes.truncate(count);
        bytes
    }

    pub fn request(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        self.write(&request_body(method, target, headers, body));
        self.read_response(method == "HEAD").unwrap()
    }

    /// Reads a response framed by `Content-Length`. Returns `None` if the
    /// connection ends first.
    pub fn read_response(&mut self, head_only: bool) -> Option<Response> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            let mut byte = [0];
            match self.0.read(&mut byte) {
                Ok(1) => bytes.push(byte[0]),
                _ => return None,
            }
        };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let mut response = Response { status, head, body: Vec::new() };
        let length = response.header("content-length").map_or(0, |value| value.parse().unwrap());
        if !head_only {
            response.body.resize(length, 0);
            self.0.read_exact(&mut response.body).ok()?;
        }
        Some(response)
    }
}

/// The bytes of a request. The body is JSON unless the headers say otherwise.
pub fn request_body(method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !headers.iter().any(|(name, _)| *name == "Content-Type") {
        head.push_str("Content-Type: application/json\r\n");
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    [head.into_bytes(), body.to_vec()].concat()
}

pub fn get(sandbox: &Sandbox, target: &str) -> Response {
    Connection::open(sandbox).request("GET", target, &[], b"")
}

pub fn post(sandbox: &Sandbox, path: &str, body: &[u8]) -> Response {
    Connection::open(sandbox).request("POST", path, &[], body)
}

pub fn payment_body(code: &str) -> Vec<u8> {
    format!(
        "{{\"integration_key\":\"sandbox-integration-key\",\"payment\":{{\
         \"name\":\"José Silva\",\"email\":\"jose@example.com\",\"country\":\"br\",\
         \"payment_type_code\":\"pix\",\"merchant_payment_code\":\"{code}\",\
         \"currency_code\":\"BRL\",\"amount_total\":100.10,\"document\":\"853.513.468-93\"}}}}"
    )
    .into_bytes()
}

pub fn create_payment(sandbox: &Sandbox, code: &str) -> Value {
    post(sandbox, "/ws/direct", &payment_body(code)).json()
}

pub fn token(sandbox: &Sandbox) -> Response {
    // sandbox-client:sandbox-client-secret
    let basic = "Basic c2FuZGJveC1jbGllbnQ6c2FuZGJveC1jbGllbnQtc2VjcmV0";
    let headers = [("Authorization", basic), ("Content-Type", "application/x-www-form-urlencoded")];
    Connection::open(sandbox).request(
        "POST",
        "/authorization-server/oauth/token",
        &headers,
        b"grant_type=client_credentials",
    )
}

/// A key that is made once.
pub struct SigningKey(OnceLock<KeyPair>);

/// The key that tests sign with.
pub static KEY: SigningKey = SigningKey(OnceLock::new());
pub static OTHER_KEY: SigningKey = SigningKey(OnceLock::new());

impl SigningKey {
    fn pair(&self) -> &KeyPair {
        self.0.get_or_init(|| KeyPair::generate(KeySize::Rsa2048).unwrap())
    }

    pub fn public(&self) -> PublicKey {
        PublicKey::from_der(self.pair().public_key().as_ref()).unwrap()
    }

    /// A signature as RS256.
    pub fn signature(&self, input: &[u8]) -> Vec<u8> {
        self.padded(&RSA_PKCS1_SHA256, input)
    }

    /// A signature as PS256.
    pub fn pss(&self, input: &[u8]) -> Vec<u8> {
        self.padded(&RSA_PSS_SHA256, input)
    }

    /// A signature over any contents of a PKCS#1 v1.5 block.
    pub fn over_contents(&self, contents: &[u8]) -> Vec<u8> {
        let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = self.pair().as_der().unwrap();
        let key = rsa::RsaPrivateKey::from_pkcs8_der(der.as_ref()).unwrap();
        key.sign(rsa::Pkcs1v15Sign::new_unprefixed(), contents).unwrap()
    }

    /// A signature with another padding or digest than RS256.
    pub fn padded(&self, padding: &'static dyn RsaEncoding, input: &[u8]) -> Vec<u8> {
        let mut signature = vec![0; self.pair().public_modulus_len()];
        self.pair().sign(padding, &SystemRandom::new(), input, &mut signature).unwrap();
        signature
    }

    /// A detached token for `body`.
    pub fn token(&self, kid: &str, body: &[u8]) -> String {
        let header = sign::encoded_header(kid);
        sign::token(&header, &self.signature(&sign::signing_input(&header, body)))
    }
}

/// Scripts a fault for the next request.
pub fn script(sandbox: &Sandbox, fault: &str) {
    sandbox.script_json(&format!("{{\"then\":[{fault}]}}")).unwrap();
}

/// Scripts a fault, creates a payment, and reads until the connection ends.
pub fn strike(sandbox: &Sandbox, fault: &str) -> (String, Option<std::io::ErrorKind>) {
    script(sandbox, fault);
    let mut connection = Connection::open(sandbox);
    connection.write(&request_body("POST", "/ws/direct", &[], &payment_body("a")));
    let (bytes, error) = connection.read_to_end();
    (String::from_utf8_lossy(&bytes).into_owned(), error)
}
