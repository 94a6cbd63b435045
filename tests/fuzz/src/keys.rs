//! Keys, in any form that people have them.

use payments_core::jws::PublicKey;
use payments_core::secret::Secret;
use payments_core::signer::PrivateKey;

/// The passphrase of the encrypted keys of the corpus.
const PASSPHRASE: &str = "test passphrase, no secret";

/// A key is read or refused. A key that is read can sign, and a refused one is
/// not shown.
pub(crate) fn key(data: &[u8]) {
    let private = PrivateKey::from_contents(data, Some(&Secret::new(PASSPHRASE)), true);
    let public = PublicKey::from_contents(data);
    for error in [private.as_ref().err(), public.as_ref().err()].into_iter().flatten() {
        let shown = format!("{error} {error:?}");
        for line in data.split(|byte| byte.is_ascii_whitespace()).filter(|line| line.len() >= 40) {
            let line = String::from_utf8_lossy(line);
            assert!(!shown.contains(&*line), "{shown}");
        }
    }
    if let Ok(key) = private {
        let signer = key.signer("kid").expect("a key that was checked");
        let public = signer.public_key();
        assert!(PublicKey::from_pem(&public.to_pem()).is_ok_and(|it| it == *public));
    }
    if let Ok(key) = public {
        assert!(PublicKey::from_pem(&key.to_pem()).is_ok_and(|it| it == key));
    }
}
