//! The scripts that read entries and append one, and the reply to an append.

use std::time::Duration;

use redis::{Pipeline, cmd, pipe};

use crate::{
    entry::{LogEvent, OVERHEAD},
    position::Position,
};

/// Returns the command that appends an event to the stream `events`, with its counters in the hash `state`.
pub(super) fn append(
    events: &str,
    state: &str,
    at: Position,
    event: &LogEvent,
    bytes: u64,
    expiry: Duration,
) -> Pipeline {
    let mut eval = cmd("EVAL");
    eval.arg(APPEND).arg(2).arg(events).arg(state);
    eval.arg(at.to_string()).arg(event.kind.name()).arg(event.data.as_str());
    eval.arg(u8::from(event.kind.deletes_deltas())).arg(OVERHEAD).arg(bytes);
    eval.arg(expiry.min(MAX_EXPIRY).as_millis() as u64);
    let mut pipe = pipe();
    pipe.add_command(eval);
    pipe
}

/// Redis refuses times that overflow its clock.
const MAX_EXPIRY: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// The reply: nothing, or the server's error and the last id of the stream.
pub(super) type Reply = Vec<String>;

/// A refused append.
pub(super) struct Refusal {
    pub(super) error: String,
    /// The last position, unless the stream does not exist.
    pub(super) last: Option<Position>,
}

/// Returns the refusal, if the entry was not appended.
pub(super) fn refusal(reply: Reply) -> Option<Refusal> {
    let mut reply = reply.into_iter();
    Some(Refusal { error: reply.next()?, last: reply.next().and_then(|id| id.parse().ok()) })
}

/// Reads the entries after an id and the last lost id atomically. A full server would refuse a transaction.
///
/// Keys: the stream, and its hash. Arguments: the start of the range, and the highest number of entries.
pub(super) const READ: &str = r"
local entries = redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])
return {entries, redis.call('HGET', KEYS[2], 'lost')}";

/// Keys: the stream, and the hash with its bytes, the last lost id, and the id up to which it has no deltas.
/// Arguments: the id, the kind, the data, whether deltas are deleted, the overhead of an entry, the limit of bytes, and
/// the expiry in milliseconds.
///
/// `XADD` refuses an id that is not above the last one, also if the entry of that one is deleted.
const APPEND: &str = r"
local added = redis.pcall('XADD', KEYS[1], ARGV[1], 'kind', ARGV[2], 'data', ARGV[3])
if type(added) == 'table' and added.err then
  local reply = {added.err}
  local info = redis.pcall('XINFO', 'STREAM', KEYS[1])
  for at = 1, #info - 1, 2 do
    if info[at] == 'last-generated-id' then reply[2] = info[at + 1] end
  end
  return reply
end
local bytes = tonumber(redis.call('HGET', KEYS[2], 'bytes') or '0') + #ARGV[3] + ARGV[5]
local function drop(entry)
  redis.call('XDEL', KEYS[1], entry[1])
  bytes = bytes - #entry[2][4] - ARGV[5]
end
if ARGV[4] == '1' then
  local from = redis.call('HGET', KEYS[2], 'clean') or '-'
  for _, entry in ipairs(redis.call('XRANGE', KEYS[1], from, '+')) do
    if entry[2][2] == 'delta' then drop(entry) end
  end
  redis.call('HSET', KEYS[2], 'clean', ARGV[1])
end
while bytes > tonumber(ARGV[6]) do
  local entry = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  if not entry then bytes = 0 break end
  drop(entry)
  if entry[2][2] ~= 'delta' then redis.call('HSET', KEYS[2], 'lost', entry[1]) end
end
redis.call('HSET', KEYS[2], 'bytes', string.format('%.0f', bytes))
redis.call('PEXPIRE', KEYS[1], ARGV[7])
redis.call('PEXPIRE', KEYS[2], ARGV[7])
return {}";
