//! A service that restarts knows none of its earlier tokens.

use payments_core::request::QueryPayment;
use payments_core::{Client, Config, ErrorKind};
use payments_sandbox::{Require, Sandbox, SandboxConfig};

#[test]
fn the_first_call_after_a_restart_of_the_sandbox_succeeds() {
    let require = Require { bearer: true, ..Require::NOTHING };
    let config = SandboxConfig { require, ..SandboxConfig::default() };
    let mut sandbox = Sandbox::start(config.clone()).unwrap();
    let port = sandbox.base_url().rsplit(':').next().unwrap().parse().unwrap();
    let client = Config::new(sandbox.base_url())
        .client_credentials(sandbox.auth_url(), &config.client_id, config.client_secret.as_str())
        .query_retries(0);
    let client = Client::new(client).unwrap();
    for _ in 0..4 {
        let error = client.query_payment(&QueryPayment::by_hash("none")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Rejected, "{error}");
        assert_eq!(sandbox.token_requests(), 1);
        sandbox.stop();
        sandbox = Sandbox::start(SandboxConfig { port, ..config.clone() }).unwrap();
    }
}
