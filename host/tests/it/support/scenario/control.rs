//! The sandbox's control API, and requests by an HTTP client other than the one
//! under test.

use serde_json::Value;
use ureq::http::Request;

use super::format::shared_folder;

/// An HTTP client for one sandbox.
pub struct Control {
    agent: ureq::Agent,
    pub base_url: String,
}

impl Control {
    pub fn new(base_url: &str) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .allow_non_standard_methods(true)
            .build();
        Self { agent: ureq::Agent::new_with_config(config), base_url: base_url.to_owned() }
    }

    /// Calls the control API, which must respond with 200. Returns the JSON.
    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let body = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let (status, response) = self.exchange(method, path, &body);
        assert_eq!(status, 200, "{method} {path}: {}", String::from_utf8_lossy(&response));
        serde_json::from_slice(&response).unwrap()
    }

    /// Registers a public key from `tests/vectors/keys`. Returns its kid.
    pub fn register(&self, public_key_file: &str) -> String {
        let path = shared_folder().join("vectors/keys").join(public_key_file);
        let pem = std::fs::read_to_string(path).unwrap();
        let response = self.call("POST", "/sandbox/keys", Some(&serde_json::json!({"pem": pem})));
        response["kid"].as_str().unwrap().to_owned()
    }

    fn exchange(&self, method: &str, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
        self.deliver(method, &format!("{}{path}", self.base_url), &[], body)
    }

    /// Sends any request. Returns the status and body of the response.
    pub fn deliver(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, String)],
        body: &[u8],
    ) -> (u16, Vec<u8>) {
        let mut request = Request::builder().method(method).uri(url);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = if body.is_empty() && method != "POST" {
            self.agent.run(request.body(()).unwrap())
        } else {
            self.agent.run(request.body(body.to_vec()).unwrap())
        };
        let mut response = response.unwrap_or_else(|error| panic!("{method} {url}: {error}"));
        (response.status().as_u16(), response.body_mut().read_to_vec().unwrap())
    }
}
