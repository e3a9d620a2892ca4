//! The files of the engine.

use std::{io, path::PathBuf, sync::Arc};

use agentwire::sessions::SessionKey;
use agentwire_net::error_chain;
use serde::Serialize;
use tokio::task::spawn_blocking;

use super::Engine;
use crate::{
    local::{LocalError, record},
    secrets::is_name,
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
        if cost_usd > 0.0 {
            let (path, spent) = (self.folder.join(&*session.tenant).join(SPENT), ledger.spent_usd);
            self.write(path, spent).await?;
        }
        Ok(())
    }

    pub(super) async fn save(&self, session: &SessionName) -> Result<(), LocalError> {
        let Some(record) = self.sessions.get(session).cloned() else { return Ok(()) };
        self.write(record::path(&self.folder, session), record).await
    }

    async fn write(&self, path: PathBuf, value: impl Serialize + Send + 'static) -> Result<(), LocalError> {
        let lock = Arc::clone(&self.lock);
        let write = move || {
            let written = record::write(&path, &value);
            // If the engine was dropped, the next one must not open the folder before this.
            drop(lock);
            written
        };
        blocking(write).await.map_err(|source| LocalError::Folder { folder: self.folder.clone(), source })
    }
}

/// Returns whether the session can have a folder, and a key in the store.
pub(super) fn is_valid(session: &SessionName) -> bool {
    is_name(&session.tenant) && SessionKey::new(&*session.tenant, session.session.clone()).is_ok()
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

/// The file with what a tenant has spent.
pub(super) const SPENT: &str = "spent-usd";
