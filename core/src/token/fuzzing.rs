//! Readers of the bytes of a token server and of Redis, for fuzzing.

use std::time::Duration;

use payments_transport::Received;

use super::Token;
use super::redis::resp::{ParsedReply, parse_reply};
use super::request::read;

/// The token in a response, sent at the beginning of 1970, if there is one.
pub fn token_of(response: &Received, longest: Duration) -> Option<Token> {
    read(response, longest, "").ok().map(|issued| issued.at(Duration::ZERO))
}

/// Whether these bytes are one reply of Redis; `None` if they are the beginning
/// of one.
pub fn is_redis_reply(bytes: &[u8]) -> Option<bool> {
    match parse_reply(bytes) {
        ParsedReply::RedisReply(_) => Some(true),
        ParsedReply::Incomplete => None,
        ParsedReply::Foreign => Some(false),
    }
}
