//! The store: a row for each key, and a row for each entry.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use agentwire_protocol::{RawJson, SessionId};
use agentwire_sessions::{
    RawEntry, SessionKey, SessionStore, SessionSummary, StoreError, StoreFuture, StoredSession, fold_summary,
};
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Config, NoTls, Row, Socket};

use crate::connect;
use crate::pool::{Pool, Suspicion, Taken};
use crate::tables::{self, Tables};

/// A store in PostgreSQL.
///
/// An append is a transaction that locks the row of its key, so appends to one key are ordered by commit, across all
/// writers.
/// A writer that disappears during an append holds the lock for at most the [`limit`](Self::limit).
/// An entry with an id is stored once, with its exact text.
///
/// Up to four connections are opened on demand and replaced when lost.
/// Reads and deletions are then repeated, and so are appends that have not begun to commit.
/// After a call without a reply, new connections are used.
/// An append whose outcome is unknown returns an error; repeating it does not duplicate entries with an id.
///
/// Requires tokio and PostgreSQL 11.
/// A project and a subpath together may have some 2,600 bytes.
pub struct PostgresStore {
    pool: Pool,
    tables: Tables,
    limit: Duration,
}

impl PostgresStore {
    /// Creates a store in the tables `agentwire_sessions` and `agentwire_sessions_entries` of the first schema in the
    /// search path.
    ///
    /// The first call connects, without TLS.
    pub fn new(config: Config) -> Self {
        Self::with_connector(config, NoTls)
    }

    /// Creates a store that connects with TLS, by one of the TLS crates for `tokio-postgres`.
    ///
    /// `sslmode=prefer`, also the default, becomes `require`: a server without TLS is refused.
    pub fn with_tls<T>(mut config: Config, tls: T) -> Self
    where
        T: MakeTlsConnect<Socket, Stream: Send + 'static> + Clone + Send + Sync + 'static,
        T::TlsConnect: Send + TlsConnect<Socket, Future: Send>,
    {
        if config.get_ssl_mode() == SslMode::Prefer {
            config.ssl_mode(SslMode::Require);
        }
        Self::with_connector(config, tls)
    }

    fn with_connector<T>(config: Config, tls: T) -> Self
    where
        T: MakeTlsConnect<Socket, Stream: Send + 'static> + Clone + Send + Sync + 'static,
        T::TlsConnect: Send + TlsConnect<Socket, Future: Send>,
    {
        Self { pool: Pool::new(config, connect::with(tls)), tables: Tables::default(), limit: LIMIT }
    }

    /// Sets the schema of the tables, which must exist.
    ///
    /// # Errors
    ///
    /// If it is not a valid name of 1 to 63 bytes.
    pub fn schema(mut self, schema: impl Into<String>) -> Result<Self, StoreError> {
        self.tables.set_schema(schema.into())?;
        Ok(self)
    }

    /// Sets the name of the first table; the name of the second has the suffix `_entries`.
    ///
    /// # Errors
    ///
    /// If it is not a valid name of 1 to 55 bytes.
    pub fn table(mut self, name: impl Into<String>) -> Result<Self, StoreError> {
        self.tables.set_name(name.into())?;
        Ok(self)
    }

    /// Sets the time limit of each call, including connecting; the default is 30 seconds.
    ///
    /// A mirror loses entries whose append takes longer than its `sessionStoreAppendTimeoutMs`, which must be higher.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Creates the tables if they do not exist; concurrent calls are safe.
    ///
    /// # Errors
    ///
    /// If the server can't be reached, or the user may not create tables.
    pub async fn create_tables(&self) -> Result<(), StoreError> {
        let create = async {
            let taken = self.pool.take().await?;
            taken.client().batch_execute(&self.tables.fill(tables::CREATE)).await?;
            self.pool.give_back(taken);
            Ok(())
        };
        self.within("creating", "the tables", create).await
    }

    async fn add(&self, key: &SessionKey, entries: &[RawEntry]) -> Result<(), Failed> {
        let (taken, row) = self.begin(key, entries).await?;
        let (id, next): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        let added: HashSet<i64> = row.try_get::<_, Vec<i64>>(3)?.into_iter().collect();
        if added.is_empty() {
            taken.client().batch_execute("rollback").await?;
        } else {
            let fresh =
                (next..).zip(entries).filter(|(at, _)| added.contains(at)).map(|(_, entry)| entry.clone());
            let summary = match key.subpath() {
                None => Some(folded(row.try_get(2)?, &fresh.collect::<Vec<_>>())?),
                Some(_) => None,
            };
            let end = next + entries.len() as i64;
            let statement = self.tables.fill(tables::CLOSE);
            let given: [(&(dyn ToSql + Sync), Type); 3] =
                [(&id, Type::INT8), (&end, Type::INT8), (&summary, Type::TEXT)];
            let client = taken.client();
            // If the update fails, the commit rolls back.
            tokio::try_join!(biased; client.execute_typed(&statement, &given), client.batch_execute("commit"))?;
        }
        self.pool.give_back(taken);
        Ok(())
    }

    /// Starts a transaction that locks the key's row and adds the entries.
    async fn begin(&self, key: &SessionKey, entries: &[RawEntry]) -> Result<(Taken<'_>, Row), Failed> {
        let statement = self.tables.fill(tables::ADD);
        let [project, session, subpath] = names(key);
        let uuids: Vec<Option<&[u8]>> =
            entries.iter().map(|entry| entry.uuid().map(|id| id.as_str().as_bytes())).collect();
        let texts: Vec<&str> = entries.iter().map(RawEntry::as_str).collect();
        let given: [(&(dyn ToSql + Sync), Type); 5] = [
            (&project, Type::TEXT),
            (&session, Type::TEXT),
            (&subpath, Type::TEXT),
            (&uuids, Type::BYTEA_ARRAY),
            (&texts, Type::TEXT_ARRAY),
        ];
        let begin = self.begin_statement();
        loop {
            let taken = self.pool.take().await?;
            let client = taken.client();
            let begun = tokio::try_join!(
                biased;
                client.batch_execute(&begin),
                client.query_typed_one(&statement, &given),
            );
            match begun {
                Ok(((), row)) => return Ok((taken, row)),
                // Nothing was committed; the next connection is new.
                Err(error) if taken.was_lost(&error) => self.pool.forget(),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns a statement that starts a transaction which outlives this process by at most the limit.
    fn begin_statement(&self) -> String {
        // 0 means no limit, and larger values are refused.
        let limit = self.limit.as_millis().clamp(1, i32::MAX as u128);
        // Under a stricter default isolation level, concurrent writers would fail instead of waiting.
        format!(
            "begin isolation level read committed; set local lock_timeout = {limit}; \
            set local idle_in_transaction_session_timeout = {limit}"
        )
    }

    /// Runs a statement that is safe to repeat.
    async fn ask(&self, statement: &str, given: &[&str]) -> Result<Vec<Row>, Failed> {
        let statement = self.tables.fill(statement);
        let given: Vec<(&(dyn ToSql + Sync), Type)> =
            given.iter().map(|text| (text as &(dyn ToSql + Sync), Type::TEXT)).collect();
        loop {
            let taken = self.pool.take().await?;
            match taken.client().query_typed(&statement, &given).await {
                Ok(rows) => {
                    self.pool.give_back(taken);
                    return Ok(rows);
                }
                Err(error) if taken.was_lost(&error) => self.pool.forget(),
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn all(&self, key: &SessionKey) -> Result<Option<Vec<RawEntry>>, Failed> {
        let rows = self.ask(tables::LOAD, &names(key)).await?;
        let entry = |row: &Row| Ok(RawEntry::parse(row.try_get::<_, &str>(0)?)?);
        let entries = rows.iter().map(entry).collect::<Result<Vec<_>, Failed>>()?;
        // A key's row exists only with entries.
        Ok((!entries.is_empty()).then_some(entries))
    }

    async fn sessions(&self, project: &str) -> Result<Vec<StoredSession>, Failed> {
        let rows = self.ask(tables::SESSIONS, &[project]).await?;
        let session = |row: &Row| Ok(StoredSession::new(session_id(row)?, modified(row)?));
        rows.iter().map(session).collect()
    }

    async fn summaries(&self, project: &str) -> Result<Vec<SessionSummary>, Failed> {
        let rows = self.ask(tables::SUMMARIES, &[project]).await?;
        let summary = |row: &Row| {
            let data = agentwire_protocol::decode::decode(row.try_get(2)?)?;
            Ok(SessionSummary::new(session_id(row)?, modified(row)?, data))
        };
        rows.iter().map(summary).collect()
    }

    async fn subkeys(&self, key: &SessionKey) -> Result<Vec<String>, Failed> {
        let [project, session, _] = names(key);
        let rows = self.ask(tables::SUBKEYS, &[project, session]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Applies the time limit, and adds the operation to errors.
    async fn within<T>(
        &self,
        doing: &str,
        what: impl fmt::Display,
        work: impl Future<Output = Result<T, Failed>>,
    ) -> Result<T, StoreError> {
        // The guard also acts if the caller drops the future.
        let suspicion = Suspicion(&self.pool);
        let done = match tokio::time::timeout(self.limit, work).await {
            Ok(done) => {
                // The server has replied.
                std::mem::forget(suspicion);
                done
            }
            Err(_) => Err(Failed(format!("no answer within {:?}", self.limit).into())),
        };
        done.map_err(|Failed(error)| StoreError::new(format_args!("{doing} {what} in PostgreSQL"), error))
    }
}

impl SessionStore for PostgresStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            if entries.is_empty() {
                return Ok(());
            }
            self.within("appending to", key, self.add(key, entries)).await
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        Box::pin(self.within("loading", key, self.all(key)))
    }

    fn list_sessions<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        Some(Box::pin(self.within("listing the sessions of", project, self.sessions(project))))
    }

    fn list_summaries<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        Some(Box::pin(self.within("listing the summaries of", project, self.summaries(project))))
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        let delete = async move { self.ask(tables::DELETE, &names(key)).await.map(drop) };
        Some(Box::pin(self.within("deleting", key, delete)))
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        Some(Box::pin(self.within("listing the subpaths of", key, self.subkeys(key))))
    }
}

/// Writes the tables, but not the connection's configuration.
impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("tables", &self.tables).finish_non_exhaustive()
    }
}

/// The cause of a failed call.
struct Failed(Box<dyn std::error::Error + Send + Sync>);

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Failed {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// Returns the columns that identify a key.
fn names(key: &SessionKey) -> [&str; 3] {
    [key.project(), key.session_id().as_str(), key.subpath().unwrap_or_default()]
}

fn folded(kept: Option<&str>, fresh: &[RawEntry]) -> Result<String, Failed> {
    let kept: Option<RawJson> = kept.map(agentwire_protocol::decode::decode).transpose()?;
    Ok(fold_summary(kept.as_ref(), fresh)?.as_str().to_owned())
}

fn session_id(row: &Row) -> Result<SessionId, Failed> {
    Ok(SessionId::from(row.try_get::<_, String>(0)?))
}

fn modified(row: &Row) -> Result<u64, Failed> {
    Ok(row.try_get::<_, i64>(1)?.try_into()?)
}

/// Longer than a working server takes.
const LIMIT: Duration = Duration::from_secs(30);
