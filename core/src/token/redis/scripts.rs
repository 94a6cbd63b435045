//! Lua scripts that the server runs atomically. Each is safe to repeat.
//!
//! The scripts are sent in full each time: they are short, each token needs
//! only a few calls, and the server need not have them cached.

use super::resp::RedisCommand;

/// The command that runs a script with these keys. Append its arguments.
pub(super) fn run(script: &str, keys: &[String]) -> RedisCommand {
    let command = RedisCommand::new("EVAL").word(script).number(keys.len() as u64);
    keys.iter().fold(command, RedisCommand::word)
}

/// Like [`run`], for a script whose first key is the entry. Returns a negative
/// number instead if the entry is unreadable.
pub(super) fn run_on_entry(script: &str, keys: &[String]) -> RedisCommand {
    run(&[SAVED, "if saved > most then return -1 end", script].concat(), keys)
}

/// Keys: entry and number. Removes both, and returns 1, if the entry is unreadable.
pub(super) fn remove_unreadable(keys: &[String]) -> RedisCommand {
    run(&[SAVED, REMOVE_UNREADABLE].concat(), keys)
}

/// Sets `saved` to the fence that the entry was last saved with. An entry is
/// unreadable if it is larger than `most`: no holder of the lock can have a later
/// one, since Lua's numbers are exact only up to there.
const SAVED: &str = r"
local most = 2 ^ 53 - 2
local saved = 0
if redis.call('TYPE', KEYS[1]).ok == 'hash' then
  saved = tonumber(redis.call('HGET', KEYS[1], 'fence') or 0) or 0
end
";

const REMOVE_UNREADABLE: &str = r"
if saved <= most then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
return 1
";

/// On an entry. Keys: entry, lock, number. Arguments: owner, number of the attempt,
/// lifetimes of the lock and of the number in milliseconds. Returns the fence,
/// or nothing if another holder has the lock.
///
/// The value of the lock consists of owner, fence and attempt: so only its
/// holder can release it, and an attempt whose reply was lost finds that it has
/// the lock. A lock without a valid expiry is not one of this store's. Since
/// the number may be lost or damaged, the fence is always larger than the one
/// last saved with.
pub(super) const LOCK: &str = r"
local held = redis.pcall('GET', KEYS[2])
if type(held) == 'string' then
  local fence = string.match(held, '^' .. ARGV[1] .. ':(%d+)/' .. ARGV[2] .. '$')
  if fence then return tonumber(fence) end
end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[3]) == false then
  local left = redis.call('PTTL', KEYS[2])
  if left ~= -1 and left <= tonumber(ARGV[3]) then return false end
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
end
local fence = redis.pcall('INCR', KEYS[3])
if type(fence) ~= 'number' or fence <= saved or fence > most then
  fence = saved + 1
  redis.call('SET', KEYS[3], string.format('%.0f', fence))
end
redis.call('PEXPIRE', KEYS[3], ARGV[4])
local owned = ARGV[1] .. ':' .. string.format('%.0f', fence) .. '/' .. ARGV[2]
redis.call('SET', KEYS[2], owned, 'PX', ARGV[3])
return fence
";

/// On an entry. Keys: entry. Returns the token, the rest, the writer's clock at the save,
/// and the milliseconds since the save.
pub(super) const LOAD: &str = r"
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return false end
local entry = redis.call('HMGET', KEYS[1], 'token', 'rest', 'clock', 'life')
local left = redis.call('PTTL', KEYS[1])
local kept = tonumber(entry[4] or '') or 0
if left < 0 or kept < left then return {entry[1], entry[2]} end
return {entry[1], entry[2], entry[3], kept - left}
";

/// On an entry. Keys: entry. Arguments: fence, token, tag of the token, the rest, lifetime
/// in milliseconds, the writer's clock in milliseconds. Returns 0 if a holder
/// with a later fence has saved.
pub(super) const SAVE: &str = r"
if saved > tonumber(ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'fence', ARGV[1], 'rest', ARGV[4], 'life', ARGV[5], 'clock', ARGV[6])
if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'token', ARGV[2], 'tag', ARGV[3]) end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1
";

/// Keys: entry. Argument: tag. Returns 1 if the token was removed.
pub(super) const DELETE: &str = r"
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return 0 end
if redis.call('HGET', KEYS[1], 'tag') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'token', 'tag')
return 1
";

/// Keys: lock. Argument: the start of its value, which is owner and fence.
pub(super) const UNLOCK: &str = r"
local held = redis.call('GET', KEYS[1])
if not held or string.sub(held, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
";
