//! Keys and signatures without a client.

use napi_derive::napi;
use payments_core::json::Json;
use payments_core::signer::generate_key;
use payments_host::by_name::{command_failure, command_plan, lint_report, verify_report};

use crate::message::{Bytes, JsMessage, Message};
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

    /// Finds what is probably wrong in a request.
    #[napi]
    pub fn lint(&self, call: u32, request: &[u8]) {
        let request = request.to_vec();
        self.shared.start(call, None, move || response::of_report(lint_report(&request)));
    }

    /// Draws a text as a QR code, an SVG document.
    #[napi]
    pub fn qr_svg(&self, text: String) -> Option<String> {
        payments_core::qr_svg(&text)
    }

    /// Draws a text as a QR code, a PNG file. JavaScript has checked the size.
    #[napi]
    pub fn qr_png(&self, text: String, module_size: u32) -> Option<Bytes> {
        payments_core::qr_png(&text, module_size).ok().flatten().map(Bytes::from)
    }

    /// The plan of a command.
    #[napi]
    pub fn command_plan(&self, call: u32, input: &[u8]) {
        let input = input.to_vec();
        self.shared.start(call, None, move || response::of_report(command_plan(&input)));
    }

    /// The output of a command that failed.
    #[napi]
    pub fn command_failure(&self, call: u32, input: &[u8]) {
        let input = input.to_vec();
        self.shared.start(call, None, move || response::of_report(command_failure(&input)));
    }

    /// Makes the file of a journal.
    #[napi]
    pub fn create_journal(&self, call: u32, path: String) {
        self.shared.start(call, None, move || {
            response::of_report(
                payments_host::journal::file::create(path.as_ref()).map(|()| Json::Null),
            )
        });
    }

    /// Generates a key pair.
    #[napi]
    pub fn generate_key(&self, call: u32) {
        self.shared.start(call, None, || match generate_key() {
            Ok(pair) => JsMessage::from(Message::KeyPair {
                private_key_pem: pair.private_key_pem.expose().to_owned(),
                public_key_pem: pair.public_key_pem,
            }),
            Err(error) => response::of_error(&error),
        });
    }
}
