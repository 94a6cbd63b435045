//! Generates key pairs.

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::KeyPair as _;
use payments_base::pem;
use payments_base::secret::Secret;

use crate::model::error::{Error, ErrorKind, Message, Outcome};
use crate::signing::jws::PublicKey;

/// A 4096-bit RSA key pair as PEM text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GeneratedKey {
    /// PKCS#8 PEM. Keep it in a secrets manager or an HSM, never in version
    /// control, logs or client-side code.
    pub private_key_pem: Secret,
    /// SPKI PEM. Send it to the provider's integration contact, who registers
    /// it and returns the kid.
    pub public_key_pem: String,
}

/// Generates a 4096-bit RSA key pair. This takes up to a few seconds.
///
/// Interface, "Detached JWS request signing", one-time setup.
///
/// # Errors
/// `internal` if the system has no random numbers.
pub fn generate_key() -> Result<GeneratedKey, Error> {
    let failed = || {
        let Message { code, text } = Message::KEY_GENERATION_FAILED;
        Error::new(ErrorKind::Internal, Outcome::NotExecuted, code, text)
    };
    let pair = KeyPair::generate(KeySize::Rsa4096).map_err(|_| failed())?;
    let private: Pkcs8V1Der<'_> = pair.as_der().map_err(|_| failed())?;
    let public = PublicKey::from_der(pair.public_key().as_ref())?;
    Ok(GeneratedKey {
        private_key_pem: Secret::new(pem::encode("PRIVATE KEY", private.as_ref()).as_str()),
        public_key_pem: public.to_pem(),
    })
}
