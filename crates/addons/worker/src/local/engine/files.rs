//! The files of the engine.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use agentwire::sessions::SessionKey;
use agentwire_net::error_chain;
use serde::Serialize;
use tokio::{task::spawn_blocking, time::Instant};

use super::Engine;
use crate::{
    local::{LocalError, record},
    secrets::{NAME, is_name},
    turn::SessionName,
};

impl Engine {
    /// Replaces the reservation of a turn by its cost.
    pub(super) async fn settle(&mut self, session: &SessionName, cost_usd: f64) -> Result<(), LocalError> {
        let budget = self.budgets.remove(session);
        let (Some(budget), Some(ledger)) = (budget, self.ledgers.get_mut(&session.tenant)) else {
            return Ok(());
        };
        ledger.settle(budget, cost_usd);
        if cost_usd > 0.0 { self.save_spent(session).await } else { Ok(()) }
    }

    pub(super) async fn save(&mut self, session: &SessionName) -> Result<(), LocalError> {
        let Some(record) = self.sessions.get(session).cloned() else { return Ok(()) };
        self.write(session, record::path(&self.folder, session), record).await
    }

    /// Stores what the tenant of a session has spent.
    async fn save_spent(&mut self, session: &SessionName) -> Result<(), LocalError> {
        let Some(ledger) = self.ledgers.get(&session.tenant) else { return Ok(()) };
        let (path, spent) = (self.folder.join(&*session.tenant).join(SPENT), ledger.spent_usd);
        self.write(session, path, spent).await
    }

    /// Stores again what could not be stored.
    pub(super) async fn save_again(&mut self) {
        self.again = None;
        let mut result = Ok(());
        for session in std::mem::take(&mut self.unsaved) {
            result = result.and(self.save_spent(&session).await);
            result = result.and(self.save(&session).await);
        }
        log(result);
    }

    /// Writes a file of a session.
    async fn write(
        &mut self,
        session: &SessionName,
        path: PathBuf,
        value: impl Serialize + Send + 'static,
    ) -> Result<(), LocalError> {
        let lock = Arc::clone(&self.lock);
        let write = move || {
            let written = record::write(&path, &value);
            // If the engine was dropped, the next one must not open the folder before this.
            drop(lock);
            written
        };
        blocking(write).await.map_err(|source| {
            self.unsaved.insert(session.clone());
            self.again.get_or_insert_with(|| Instant::now() + AGAIN);
            LocalError::Folder { folder: self.folder.clone(), source }
        })
    }
}

/// Checks that the session can have a folder, and a key in the store.
pub(super) fn valid(session: &SessionName) -> Result<(), String> {
    let tenant = &session.tenant;
    if !is_name(tenant) {
        return Err(format!("the tenant `{tenant}` {NAME}"));
    }
    // A limit of file systems.
    if tenant.len() > 255 {
        return Err(format!("the tenant `{tenant}` has {} bytes, and may have 255", tenant.len()));
    }
    SessionKey::new(&**tenant, session.session.clone()).map(drop).map_err(|error| error_chain(&error))
}

/// Logs the failure of a step that the caller of the engine need not repeat.
pub(super) fn log(result: Result<(), LocalError>) {
    if let Err(error) = result {
        tracing::error!("{}", error_chain(&error));
    }
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other)?
}

/// How long after a failure files are stored again.
const AGAIN: Duration = Duration::from_secs(1);

/// The file with what a tenant has spent.
pub(super) const SPENT: &str = "spent-usd";
