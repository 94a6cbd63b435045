//! The steps: a payment, and what keeps it from being paid twice.

use std::fmt::Debug;
use std::path::Path;

use payments_core::json::Members;
use payments_core::request::{
    CreatePayment, Payment, PaymentResponse, PaymentStatus, QueryPayment,
};
use payments_core::signer::generate_key;
use payments_core::{Client, Error, ErrorCode, Outcome};
use payments_host::ensure_payment;
use payments_sandbox::{Require, Sandbox, SandboxConfig};

use super::narrator::Narrator;
use crate::output::{self, qr};
use crate::process::failure::Failure;
use crate::process::{in_own_words, progress};
use crate::sandbox::client_files::{self, CONFIGURATION, ClientKey};
use crate::settings::Sources;

/// The payment whose response arrives.
pub(super) const PAID: &str = "order-1001";
/// The payment whose response is lost.
const LOST: &str = "order-1002";
const AMOUNT: &str = "100.10";

/// The sandbox and the client of the steps.
pub(super) struct Stage {
    pub(super) sandbox: Sandbox,
    pub(super) configuration: Members,
    client: Client,
}

impl Stage {
    /// Starts the sandbox, and makes a client with a new key. Its files are in `folder`.
    pub(super) fn set(narrator: &mut Narrator, folder: &Path) -> Result<Self, Failure> {
        narrator.begin("Start the sandbox, and register a key");
        let require = Require { integration_key: true, ..Require::default() };
        let sandbox = Sandbox::start(SandboxConfig { require, ..SandboxConfig::default() })
            .map_err(|error| Failure::demo(format!("the sandbox did not start: {error}")))?;
        narrator.say(
            "The private key stays here. The public key goes to the provider, here the sandbox, \
             which returns the key id (kid) that every signature names.",
        );
        let working = "creating an RSA key of 4096 bits, which may take a few seconds";
        let key = progress::while_working(working, generate_key)?;
        let kid = sandbox.register_pem(&key.public_key_pem).map_err(Failure::demo)?;
        let configuration = client_files::write(folder, &sandbox, &kid, &ClientKey::Made(key))?;
        let client =
            Sources::of(Some(folder.join(CONFIGURATION)), false).client(|config| config)?;
        narrator.tell("kid", &kid);
        narrator.done(format!("listens on {}", sandbox.base_url()));
        Ok(Self { sandbox, configuration, client })
    }

    /// Returns the hash of the payment.
    pub(super) fn sign_and_send(&self, narrator: &mut Narrator) -> Result<String, Failure> {
        narrator.begin("Sign a PIX payment in Brazil, and send it");
        let response = self.client.create_payment(&pix_payment(PAID, AMOUNT)?)?;
        let hash = present("the payment hash", response.hash())?.to_owned();
        let code = present("pix.qr_code_value", response.qr_code_value())?;
        narrator.tell("amount", &format!("BRL {AMOUNT}, sent with exactly these digits"));
        narrator.tell("hash", &hash);
        narrator.tell("qr_code_value", code);
        narrator.say("The payer scans this code:");
        for line in present("a QR code", qr::lines(code, narrator.style()))? {
            narrator.show(&line);
        }
        tell_status(narrator, &response)?;
        expect("is_paid", response.is_paid(), false)?;
        narrator.done("created, not paid");
        Ok(hash)
    }

    pub(super) fn query_once_paid(
        &self,
        narrator: &mut Narrator,
        hash: &str,
    ) -> Result<(), Failure> {
        narrator.begin("Let the payer pay, and query the payment");
        let moved = self.sandbox.confirm_payment(PAID);
        moved.map_err(|error| Failure::demo(error.to_string()))?;
        let asked = self.client.query_payment(&QueryPayment::by_hash(hash))?;
        tell_status(narrator, &asked)?;
        narrator.say("A successful response does not mean paid; only the status CO does.");
        expect("is_paid", asked.is_paid(), true)?;
        narrator.done("confirmed, paid");
        Ok(())
    }

    /// Returns the hash of the payment that was created.
    pub(super) fn lose_a_response(&self, narrator: &mut Narrator) -> Result<String, Failure> {
        narrator.begin("Lose a response, and find out what happened");
        narrator.say(
            "The sandbox executes the next payment and then cuts the connection. A careless \
             client pays twice here.",
        );
        let fault = r#"{"operation":"create_payment","then":[{"fault":"close","execute":true}]}"#;
        self.sandbox.script_json(fault).map_err(Failure::demo)?;
        let error = refused(self.client.create_payment(&pix_payment(LOST, AMOUNT)?))?;
        tell_error(narrator, &error);
        narrator.tell("advice", &in_own_words(present("the advice", error.advice())?));
        expect("the outcome", error.outcome(), Outcome::Unknown)?;
        narrator.say("So we query the payment by our own reference:");
        let asked = self.client.query_payment(&QueryPayment::by_merchant_payment_code(LOST))?;
        let hash = present("the payment hash", asked.hash())?.to_owned();
        narrator.tell("found", &hash);
        tell_status(narrator, &asked)?;
        expect("the status", asked.status(), Some(PaymentStatus::Pending))?;
        narrator.done("it was executed, once");
        Ok(hash)
    }

    pub(super) fn send_again(&self, narrator: &mut Narrator, hash: &str) -> Result<(), Failure> {
        narrator.begin("Ensure the payment with the same reference");
        narrator.say(
            "ensure_payment finds the payment with a reference, or creates it. A shop calls it \
             for each click on \"pay\", and again after each doubt.",
        );
        let request = pix_payment(LOST, AMOUNT)?;
        let ensured = ensure_payment(&self.client, &request, &self.client.context())?;
        narrator.tell("is_created", &ensured.is_created.to_string());
        narrator.tell("hash", present("the payment hash", ensured.payment.hash())?);
        expect("is_created", ensured.is_created, false)?;
        expect("the payment hash", ensured.payment.hash(), Some(hash))?;
        self.expect_two_payments()?;
        narrator.done("found, not paid again");
        Ok(())
    }

    pub(super) fn change_the_body(&self, narrator: &mut Narrator) -> Result<(), Failure> {
        narrator.begin("Ensure it with another amount");
        let request = pix_payment(LOST, "200.20")?;
        let error = refused(ensure_payment(&self.client, &request, &self.client.context()))?;
        tell_error(narrator, &error);
        expect("the code", error.code(), ErrorCode::REFERENCE_USED)?;
        self.expect_two_payments()?;
        narrator.done("refused, nothing was sent");
        Ok(())
    }

    #[cfg(unix)]
    pub(super) fn read_the_journal(&self, narrator: &mut Narrator) -> Result<(), Failure> {
        use payments_core::journal::EntryState;

        narrator.begin("Read the journal");
        narrator.say(
            "Before a payment was sent, its entry was written to a file, so that a process that \
             is killed in mid-call is not paid twice either: payments journal recover finds out \
             what happened.",
        );
        let found = payments_host::journal::list(&self.client, false, None, &self.client.context());
        let entries = found?.entries;
        for entry in &entries {
            let hash = present("the hash in the journal", entry.hash.as_deref())?;
            narrator.tell(&entry.reference, &format!("{}, {hash}", entry.state.as_str()));
            expect("the state", entry.state, EntryState::Done)?;
        }
        expect("entries", entries.len(), 2)?;
        narrator.done("one entry for each payment");
        Ok(())
    }

    fn expect_two_payments(&self) -> Result<(), Failure> {
        expect("payments in the service's ledger", self.sandbox.payments().len(), 2)
    }
}

fn pix_payment(reference: &str, amount: &str) -> Result<CreatePayment, Failure> {
    Ok(CreatePayment::new(Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: reference.into(),
        currency_code: "BRL".into(),
        amount_total: amount.parse().map_err(Error::from)?,
        document: Some("853.513.468-93".into()),
        ..Payment::default()
    }))
}

fn tell_status(narrator: &Narrator, response: &PaymentResponse) -> Result<(), Failure> {
    let status = present("the status", response.status())?;
    let meaning = status.meaning().unwrap_or("another state");
    narrator.tell("status", &format!("{} ({meaning})", output::without_controls(status.as_str())));
    Ok(())
}

fn tell_error(narrator: &Narrator, error: &Error) {
    narrator.tell("code", error.code().as_str());
    narrator.tell("outcome", error.outcome().as_str());
    narrator.tell("message", &in_own_words(error.message()));
}

fn refused<T>(result: Result<T, Error>) -> Result<Error, Failure> {
    result.err().ok_or_else(|| Failure::demo("expected an error, but the call succeeded"))
}

/// Fails unless `got` equals `wanted`.
fn expect<T: PartialEq + Debug>(what: &str, got: T, wanted: T) -> Result<(), Failure> {
    if got == wanted {
        return Ok(());
    }
    Err(Failure::demo(format!("{what}: expected {wanted:?}, got {got:?}")))
}

/// Returns the value, or a failure that names it.
fn present<T>(what: &str, value: Option<T>) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::demo(format!("{what}: expected, but missing")))
}
