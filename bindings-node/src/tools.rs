//! Keys and signatures without a client.

use napi_derive::napi;
use payments_core::bridge::{self, doctor_report, verify_report};
use payments_core::json::Json;
use payments_core::signer::generate_key;

use crate::message::{Message, MessageKind};
use crate::port::Port;
use crate::response;

#[napi]
impl Port {
    /// Checks a token over a body.
    #[napi]
    pub fn verify(&self, call: u32, public_key: String, token: Option<String>, body: &[u8]) {
        let body = body.to_vec();
        self.shared.start(call, None, move || {
            response::of_report(verify_report(&public_key, token.as_deref(), &body))
        });
    }

    /// Finds out why a token does not verify; `keys` is JSON.
    #[napi]
    pub fn doctor(&self, call: u32, keys: String, token: Option<String>, body: &[u8]) {
        let body = body.to_vec();
        self.shared.start(call, None, move || {
            response::of_report(doctor_report(keys.as_bytes(), token.as_deref(), &body))
        });
    }

    /// Makes the file of a journal.
    #[napi]
    pub fn create_journal(&self, call: u32, path: String) {
        self.shared.start(call, None, move || {
            response::of_report(bridge::create_journal(path.as_ref()).map(|()| Json::Null))
        });
    }

    /// Generates a key pair.
    #[napi]
    pub fn generate_key(&self, call: u32) {
        self.shared.start(call, None, || match generate_key() {
            Ok(pair) => Message {
                more_text: Some(pair.public_key_pem),
                ..Message::new(MessageKind::KeyPair).text(pair.private_key_pem.expose())
            },
            Err(error) => response::of_error(error),
        });
    }
}
