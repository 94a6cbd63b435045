//! Responses of a token server.

use std::time::Duration;

use payments_core::token::fuzzing::token_of;
use payments_core::transport::Received;

const LONGEST: Duration = Duration::from_secs(3600);

pub(crate) fn token(data: &[u8]) {
    let response = Received::new(200, Vec::new(), data.to_vec());
    let Some(token) = token_of(&response, LONGEST) else { return };
    let value = token.value.expose();
    assert!(!value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic()), "{value:?}");
    assert!((1..=LONGEST.as_secs()).contains(&token.expires_at), "{}", token.expires_at);
    assert!(!format!("{token:?}").contains(value) || value.len() < 12);
}
