//! The store: a row for each key, and one for each entry.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use agentwire_protocol::{RawJson, SessionId};
use agentwire_sessions::{
    RawEntry, SessionKey, SessionStore, SessionSummary, StoreError, StoreFuture, StoredSession, fold_summary,
};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Config, NoTls, Row, Socket};

use crate::connect;
use crate::pool::{Pool, Taken};
use crate::tables::{self, Tables};

/// Keeps sessions in PostgreSQL.
///
/// An append is one transaction, which holds the row of its key: appends to one key follow each other as they are
/// committed, whoever makes them.
/// A writer that is gone in the midst of one, with its machine, holds that row for the [`limit`](Self::limit) at most.
/// An entry with an id is there once; its text is kept as it is.
///
/// It makes up to four connections, when they are needed, and makes them anew after they were lost.
/// What only reads, and deleting, is then asked once more.
/// After a call that had no answer, all calls begin with new connections.
/// An append that fails before its entries are sent is begun again; one whose outcome is not known is an error, and
/// repeating it keeps nothing twice that has an id.
///
/// It runs on tokio, and needs PostgreSQL 11.
/// A project and a subpath together may have some 2,600 bytes.
pub struct PostgresStore {
    pool: Pool,
    tables: Tables,
    limit: Duration,
}

impl PostgresStore {
    /// A store in this database, in the tables `agentwire_sessions` and `agentwire_sessions_entries` of the schema
    /// that is first in its search path.
    ///
    /// It connects with the first call, without TLS.
    pub fn new(config: Config) -> Self {
        Self::with_tls(config, NoTls)
    }

    /// The same through TLS, of which `tokio-postgres` has several kinds to choose from.
    pub fn with_tls<T>(config: Config, tls: T) -> Self
    where
        T: MakeTlsConnect<Socket, Stream: Send + 'static> + Clone + Send + Sync + 'static,
        T::TlsConnect: Send + TlsConnect<Socket, Future: Send>,
    {
        Self { pool: Pool::new(config, connect::with(tls)), tables: Tables::default(), limit: LIMIT }
    }

    /// The schema in which the tables are; it is not created.
    ///
    /// # Errors
    ///
    /// When it can't be a name: 1 to 63 bytes.
    pub fn schema(mut self, schema: impl Into<String>) -> Result<Self, StoreError> {
        self.tables.set_schema(schema.into())?;
        Ok(self)
    }

    /// The name of the first table; the second one's ends in `_entries`.
    ///
    /// # Errors
    ///
    /// When it can't be a name: 1 to 55 bytes.
    pub fn table(mut self, name: impl Into<String>) -> Result<Self, StoreError> {
        self.tables.set_name(name.into())?;
        Ok(self)
    }

    /// How long each call may take, waiting for a connection and connecting included; 30 seconds by default.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Creates the tables where they are not there; several may do it at once.
    ///
    /// # Errors
    ///
    /// When the server can't be reached, or the user may not create tables there.
    pub async fn create_tables(&self) -> Result<(), StoreError> {
        let create = async {
            let taken = self.pool.take().await?;
            taken.client().batch_execute(&self.tables.fill(tables::CREATE)).await?;
            self.pool.give_back(taken);
            Ok(())
        };
        self.within("creating the tables", "", create).await
    }

    async fn add(&self, key: &SessionKey, entries: &[RawEntry]) -> Result<(), Failed> {
        let (taken, row) = self.begin(key).await?;
        let (id, next): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        let uuids: Vec<Option<&[u8]>> =
            entries.iter().map(|entry| entry.uuid().map(|id| id.as_str().as_bytes())).collect();
        let texts: Vec<&str> = entries.iter().map(RawEntry::as_str).collect();
        let statement = self.tables.fill(tables::ADD);
        let given: [(&(dyn ToSql + Sync), Type); 4] =
            [(&id, Type::INT8), (&next, Type::INT8), (&uuids, Type::BYTEA_ARRAY), (&texts, Type::TEXT_ARRAY)];
        let added = taken.client().query_typed(&statement, &given).await?;
        let added = added.iter().map(|row| row.try_get(0)).collect::<Result<HashSet<i64>, _>>()?;
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
            // Where the first fails, the second takes all of it back.
            tokio::try_join!(biased; client.execute_typed(&statement, &given), client.batch_execute("commit"))?;
        }
        self.pool.give_back(taken);
        Ok(())
    }

    /// A transaction that holds the key's row.
    async fn begin(&self, key: &SessionKey) -> Result<(Taken<'_>, Row), Failed> {
        let statement = self.tables.fill(tables::TAKE);
        let (session, subpath) = (key.session_id().as_str(), key.subpath().unwrap_or_default());
        let given: [(&(dyn ToSql + Sync), Type); 3] =
            [(&key.project(), Type::TEXT), (&session, Type::TEXT), (&subpath, Type::TEXT)];
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
                // Nothing of it can have been kept; the next one is new.
                Err(error) if taken.was_lost(&error) => self.pool.forget(),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Begins a transaction that outlives this process by no more than the limit.
    fn begin_statement(&self) -> String {
        // Nothing would be no limit, and more than this is refused.
        let limit = self.limit.as_millis().clamp(1, i32::MAX as u128);
        // What others have chosen for all transactions could make two writers fail in place of wait.
        format!(
            "begin isolation level read committed; set local lock_timeout = {limit}; \
            set local idle_in_transaction_session_timeout = {limit}"
        )
    }

    /// Asks what may be asked twice.
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
        // A row of a key is not there without an entry.
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

    /// Does it within the limit, and says what was being done where it fails.
    async fn within<T>(
        &self,
        doing: &str,
        what: impl fmt::Display,
        work: impl Future<Output = Result<T, Failed>>,
    ) -> Result<T, StoreError> {
        // Also where the caller waits no longer.
        let suspicion = self.pool.suspect();
        let done = match tokio::time::timeout(self.limit, work).await {
            Ok(done) => {
                suspicion.dispel();
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

/// Tells its tables, and nothing of how it gets to its server.
impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("tables", &self.tables).finish_non_exhaustive()
    }
}

/// Why something was not done, whatever it was.
struct Failed(Box<dyn std::error::Error + Send + Sync>);

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Failed {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// The columns by which a key is found.
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

/// Longer than a server takes that is alive.
const LIMIT: Duration = Duration::from_secs(30);
