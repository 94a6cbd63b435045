//! Replies of Redis: a reply is complete exactly at its end, not before and not with
//! more behind it.

use payments_core::token::fuzzing::is_redis_reply;

pub(crate) fn redis(data: &[u8]) {
    if is_redis_reply(data) != Some(true) {
        return;
    }
    for end in 0..data.len() {
        assert_eq!(is_redis_reply(&data[..end]), None, "after {end} bytes");
    }
    let longer = [data, b"+"].concat();
    assert_ne!(is_redis_reply(&longer), Some(true), "with another byte");
}
