//! The store: a list and a set of ids for each key, and an index for each project.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::time::Duration;

use agentwire_protocol::{RawJson, SessionId};
use agentwire_sessions::{
    RawEntry, SessionKey, SessionStore, SessionSummary, StoreError, StoreFuture, StoredSession, fold_summary,
};
use redis::{Client, FromRedisValue, Pipeline, RedisError, cmd, pipe};

use crate::keys::{self, Keys};
use crate::link::Link;

/// A store in Redis.
///
/// An append runs one script, which atomically adds the entries and their ids and updates the index and the summary.
/// It first reads the current state, and starts again if another writer appended meanwhile, so an append takes two
/// round trips, and more only under contention.
///
/// All calls share one connection, which is replaced when lost, such as after a restart of the server.
/// Reads and deletions are then repeated. An append with an unknown outcome returns an error; repeating it does not
/// duplicate entries with an id.
///
/// The durability of acknowledged appends depends on the server's configuration (`appendfsync always`).
/// Nothing expires by default; if you set expiry, all keys of a project must expire together.
/// Requires tokio and Redis 6.2 or a compatible server.
pub struct RedisStore {
    link: Link,
    prefix: Box<str>,
}

impl RedisStore {
    /// Creates a store on this server, with the prefix `agentwire`.
    ///
    /// The first call connects, and so does the first after the connection was lost.
    pub fn new(client: Client) -> Self {
        Self { link: Link::new(client), prefix: "agentwire".into() }
    }

    /// Sets the prefix of all keys, so that one server can hold several stores.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<Box<str>>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the time limit for connecting and for each reply; the default is 10 seconds.
    ///
    /// A mirror loses entries whose append takes longer than its `sessionStoreAppendTimeoutMs`, which must be higher
    /// than three limits: an append may connect and then waits for two replies.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.link.set_limit(limit);
        self
    }

    async fn add(&self, key: &SessionKey, entries: &[RawEntry]) -> Result<(), StoreError> {
        let keys = Keys::of(&self.prefix, key);
        for _ in 0..MAX_TRIES {
            let kept = self.kept(key, &keys, entries).await?;
            if kept.fresh.is_empty() {
                return Ok(());
            }
            let summary = match key.subpath() {
                None => fold_summary(kept.summary.as_ref(), &kept.fresh)
                    .map_err(|error| StoreError::new(format_args!("updating the summary of {key}"), error))?,
                Some(_) => RawJson::empty_object(),
            };
            let script = self.script(key, &keys, kept.length, &summary, &kept.fresh);
            let (done,): (bool,) =
                self.link.query_once(&script).await.map_err(|error| failed("appending to", key, error))?;
            if done {
                return Ok(());
            }
        }
        Err(StoreError::new(format_args!("appending to {key} in Redis"), "others kept appending to it"))
    }

    /// Reads the state that an append depends on.
    async fn kept(&self, key: &SessionKey, keys: &Keys, entries: &[RawEntry]) -> Result<Kept, StoreError> {
        let ids: Vec<&str> = entries.iter().filter_map(|entry| entry.uuid()).map(|id| id.as_str()).collect();
        let mut pipe = pipe();
        // The length comes first: the script compares it, and so finds out about any append in between.
        pipe.cmd("LLEN").arg(&keys.entries);
        pipe.cmd("HGET").arg(keys::summaries(&self.prefix, key.project())).arg(key.session_id().as_str());
        // Redis refuses a command without members.
        pipe.cmd("SMISMEMBER").arg(&keys.ids).arg(if ids.is_empty() { &[""] } else { &ids[..] });
        let (length, summary, known): (u64, Option<String>, Vec<bool>) =
            self.query("reading the state of", key, &pipe).await?;
        let summary = summary.map(|text| agentwire_protocol::decode::decode(&text)).transpose();
        let summary =
            summary.map_err(|error| StoreError::new(format_args!("reading the summary of {key}"), error))?;
        let known = ids.into_iter().zip(known).filter(|(_, known)| *known);
        let mut ids: HashSet<&str> = known.map(|(id, _)| id).collect();
        let fresh = entries.iter().filter(|entry| entry.uuid().is_none_or(|id| ids.insert(id.as_str())));
        Ok(Kept { length, summary, fresh: fresh.cloned().collect() })
    }

    fn script(
        &self,
        key: &SessionKey,
        keys: &Keys,
        length: u64,
        summary: &RawJson,
        fresh: &[RawEntry],
    ) -> Pipeline {
        let mut eval = cmd("EVAL");
        match key.subpath() {
            None => {
                eval.arg(APPEND).arg(4).arg(&keys.entries).arg(&keys.ids);
                eval.arg(keys::sessions(&self.prefix, key.project()));
                eval.arg(keys::summaries(&self.prefix, key.project()));
                eval.arg(length).arg(key.session_id().as_str()).arg(summary.as_str());
            }
            Some(subpath) => {
                eval.arg(APPEND).arg(3).arg(&keys.entries).arg(&keys.ids).arg(&keys.subpaths);
                eval.arg(length).arg(subpath).arg("");
            }
        }
        let ids: Vec<&str> = fresh.iter().filter_map(|entry| entry.uuid()).map(|id| id.as_str()).collect();
        eval.arg(ids.len()).arg(ids);
        for entry in fresh {
            eval.arg(entry.as_str());
        }
        let mut pipe = pipe();
        pipe.add_command(eval);
        pipe
    }

    async fn all(&self, key: &SessionKey) -> Result<Option<Vec<RawEntry>>, StoreError> {
        let mut pipe = pipe();
        pipe.cmd("LRANGE").arg(Keys::of(&self.prefix, key).entries).arg(0).arg(-1);
        let (texts,): (Vec<String>,) = self.query("loading", key, &pipe).await?;
        if texts.is_empty() {
            return Ok(None);
        }
        let (mut entries, mut ids) = (Vec::with_capacity(texts.len()), HashSet::new());
        for text in texts {
            let entry = RawEntry::parse(text).map_err(|error| {
                StoreError::new(format_args!("reading an entry of {key} in Redis"), error)
            })?;
            // Duplicates exist only if the set of ids has expired.
            if entry.uuid().is_none_or(|id| ids.insert(id.clone())) {
                entries.push(entry);
            }
        }
        Ok(Some(entries))
    }

    async fn sessions(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        let mut pipe = pipe();
        pipe.cmd("ZRANGE").arg(keys::sessions(&self.prefix, project)).arg(0).arg(-1).arg("WITHSCORES");
        let (listed,): (Vec<(String, f64)>,) = self.query("listing", project, &pipe).await?;
        Ok(listed.into_iter().map(|(id, at)| StoredSession::new(SessionId::from(id), at as u64)).collect())
    }

    async fn summaries(&self, project: &str) -> Result<Vec<SessionSummary>, StoreError> {
        let mut pipe = pipe();
        // The times come first, since a summary may be newer than its time. No transaction: a full server refuses one.
        pipe.cmd("ZRANGE").arg(keys::sessions(&self.prefix, project)).arg(0).arg(-1).arg("WITHSCORES");
        pipe.cmd("HGETALL").arg(keys::summaries(&self.prefix, project));
        let (listed, mut kept): (Vec<(String, f64)>, HashMap<String, String>) =
            self.query("listing", project, &pipe).await?;
        let mut summaries = Vec::with_capacity(listed.len());
        for (id, at) in listed {
            let Some(text) = kept.remove(&id) else { continue };
            let data = agentwire_protocol::decode::decode(&text).map_err(|error| {
                StoreError::new(format_args!("reading the summary of {project}/{id}"), error)
            })?;
            summaries.push(SessionSummary::new(SessionId::from(id), at as u64, data));
        }
        Ok(summaries)
    }

    async fn remove(&self, key: &SessionKey) -> Result<(), StoreError> {
        let keys = Keys::of(&self.prefix, key);
        if let Some(subpath) = key.subpath() {
            let mut pipe = pipe();
            pipe.cmd("EVAL").arg(DELETE_SUBPATH).arg(3).arg(&keys.entries).arg(&keys.ids).arg(&keys.subpaths);
            pipe.arg(subpath).ignore();
            return self.query("deleting", key, &pipe).await;
        }
        for _ in 0..MAX_TRIES {
            let subpaths = self.subkeys(key).await?;
            let (done,): (bool,) = self.query("deleting", key, &self.deletion(key, &keys, &subpaths)).await?;
            if done {
                return Ok(());
            }
        }
        Err(StoreError::new(format_args!("deleting {key} in Redis"), "others kept adding subpaths to it"))
    }

    /// Returns a script that deletes the session if its subpaths are unchanged; it declares every key that it deletes.
    fn deletion(&self, key: &SessionKey, keys: &Keys, subpaths: &[String]) -> Pipeline {
        let mut named = vec![
            keys::sessions(&self.prefix, key.project()),
            keys::summaries(&self.prefix, key.project()),
            keys.subpaths.clone(),
            keys.entries.clone(),
            keys.ids.clone(),
        ];
        for key in subpaths.iter().filter_map(|subpath| key.with_subpath(subpath.as_str()).ok()) {
            let Keys { entries, ids, .. } = Keys::of(&self.prefix, &key);
            named.extend([entries, ids]);
        }
        let mut pipe = pipe();
        pipe.cmd("EVAL").arg(DELETE).arg(named.len()).arg(named).arg(key.session_id().as_str()).arg(subpaths);
        pipe
    }

    async fn subkeys(&self, key: &SessionKey) -> Result<Vec<String>, StoreError> {
        let mut pipe = pipe();
        pipe.cmd("SMEMBERS").arg(Keys::of(&self.prefix, key).subpaths);
        let (subpaths,): (Vec<String>,) = self.query("listing", key, &pipe).await?;
        Ok(subpaths)
    }

    async fn query<T: FromRedisValue>(
        &self,
        doing: &str,
        what: impl fmt::Display,
        commands: &Pipeline,
    ) -> Result<T, StoreError> {
        self.link.query_with_retry(commands).await.map_err(|error| failed(doing, what, error))
    }
}

impl SessionStore for RedisStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        Box::pin(async move { if entries.is_empty() { Ok(()) } else { self.add(key, entries).await } })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        Box::pin(self.all(key))
    }

    fn list_sessions<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        Some(Box::pin(self.sessions(project)))
    }

    fn list_summaries<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        Some(Box::pin(self.summaries(project)))
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        Some(Box::pin(self.remove(key)))
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        Some(Box::pin(self.subkeys(key)))
    }
}

/// Writes the prefix, but not the connection's configuration.
impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

/// The state of a key that an append depends on.
struct Kept {
    /// The number of entries, which changes with each append.
    length: u64,
    summary: Option<RawJson>,
    /// The given entries that are not stored yet, each once.
    fresh: Vec<RawEntry>,
}

fn failed(doing: &str, what: impl fmt::Display, error: RedisError) -> StoreError {
    StoreError::new(format_args!("{doing} {what} in Redis"), error)
}

/// Keys: entries, ids, and for a session its project's sessions and summaries, or else the session's subpaths.
/// Arguments: the expected length, the session's id or the subpath, the summary, the number of ids, ids, entries.
const APPEND: &str = r"
if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
local ids = tonumber(ARGV[4])
for at = 5, 4 + ids do redis.call('SADD', KEYS[2], ARGV[at]) end
for at = 5 + ids, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[at]) end
if not KEYS[4] then redis.call('SADD', KEYS[3], ARGV[2]) return 1 end
local now = redis.call('TIME')
redis.call('ZADD', KEYS[3], string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)), ARGV[2])
redis.call('HSET', KEYS[4], ARGV[2], ARGV[3])
return 1";

/// Keys: the project's sessions and summaries, the session's subpaths, and all keys to delete.
/// Arguments: the session's id, and its known subpaths.
const DELETE: &str = r"
if redis.call('SCARD', KEYS[3]) ~= #ARGV - 1 then return 0 end
for at = 2, #ARGV do if redis.call('SISMEMBER', KEYS[3], ARGV[at]) == 0 then return 0 end end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
for at = 3, #KEYS do redis.call('UNLINK', KEYS[at]) end
return 1";

/// Keys: entries, ids, and the session's subpaths. Argument: the subpath. A full server would refuse a transaction.
const DELETE_SUBPATH: &str = r"
redis.call('UNLINK', KEYS[1], KEYS[2])
redis.call('SREM', KEYS[3], ARGV[1])";

/// Each failed try is an append of another writer.
const MAX_TRIES: usize = 1000;
