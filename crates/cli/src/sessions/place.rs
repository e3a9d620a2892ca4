//! Where sessions are: the CLI's folder, or a project of a store.

use agentwire_net::error_chain;
use agentwire_protocol::session_info::{SessionInfo, SessionMessage};
use agentwire_protocol::{SessionId, Uuid};
use agentwire_sessions::{
    CostMeter, CostSummary, Export, Hit, Page, Prices, Search, SessionStore, Sessions, StoreSessions,
};

use super::unknown;
use crate::failure::Failure;
use crate::output;

/// The sessions of an action.
pub(super) enum Place {
    Folder(Sessions),
    /// A store, and the key of the project.
    Store(Box<dyn SessionStore>, String),
}

impl Place {
    pub(super) async fn list(&self, page: Page) -> Result<Vec<SessionInfo>, Failure> {
        match self {
            Self::Folder(sessions) => Ok(sessions.list(page)?),
            Self::Store(store, project) => Ok(stored(&**store, project).list(page).await?),
        }
    }

    pub(super) async fn messages(&self, id: &SessionId) -> Result<Vec<SessionMessage>, Failure> {
        let messages = match self {
            Self::Folder(sessions) => sessions.messages(id, Page::ALL)?,
            Self::Store(store, project) => stored(&**store, project).messages(id, Page::ALL).await?,
        };
        messages.ok_or_else(|| unknown(id))
    }

    pub(super) async fn search(
        &self,
        search: &Search,
        limit: usize,
        mut found: impl FnMut(&Hit) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self {
            Self::Folder(sessions) => {
                let (mut left, mut done, mut printed) = (limit, Ok(()), Ok(()));
                let mut hits = sessions.search(search)?;
                while left > 0
                    && printed.is_ok()
                    && let Some(hit) = hits.next()
                {
                    match hit {
                        Ok(hit) => {
                            printed = found(&hit);
                            left -= 1;
                        }
                        // The other sessions can be searched.
                        Err(error) => {
                            output::note(format_args!("agentwire: {}", error_chain(&error)));
                            done = Err(Failure::exit(2));
                        }
                    }
                }
                output::end_with(printed, done)
            }
            Self::Store(store, project) => {
                let (sessions, mut left) = (stored(&**store, project), limit);
                for info in sessions.list(Page::ALL).await? {
                    if left == 0 {
                        break;
                    }
                    let entries = store.load(&sessions.key(&info.session_id)?).await?.unwrap_or_default();
                    for hit in search.in_entries(&info.session_id, &entries).take(left) {
                        found(&hit)?;
                        left -= 1;
                    }
                }
                Ok(())
            }
        }
    }

    /// Counts the tokens of one session, or of all.
    pub(super) async fn cost(&self, id: Option<&SessionId>, prices: Prices) -> Result<CostSummary, Failure> {
        let mut meter = CostMeter::new(prices);
        match (self, id) {
            (Self::Folder(sessions), Some(id)) => sessions.cost(id, meter)?.ok_or_else(|| unknown(id)),
            (Self::Folder(sessions), None) => Ok(sessions.total_cost(meter)?),
            (Self::Store(store, project), id) => {
                let sessions = stored(&**store, project);
                let ids = match id {
                    Some(id) => vec![id.clone()],
                    None => sessions.list(Page::ALL).await?.into_iter().map(|info| info.session_id).collect(),
                };
                for id in &ids {
                    let key = sessions.key(id)?;
                    let entries = store.load(&key).await?.ok_or_else(|| unknown(id))?;
                    entries.iter().for_each(|entry| meter.add(entry));
                    let Some(subpaths) = store.list_subkeys(&key) else { continue };
                    for subpath in subpaths.await? {
                        let entries = store.load(&key.with_subpath(subpath)?).await?.unwrap_or_default();
                        entries.iter().for_each(|entry| meter.add(entry));
                    }
                }
                Ok(meter.summary())
            }
        }
    }

    /// Writes a session to the standard output.
    pub(super) async fn export(&self, id: &SessionId, export: &Export) -> Result<(), Failure> {
        let mut text = Vec::new();
        match self {
            Self::Folder(sessions) => {
                if !sessions.export(id, export, &mut text)? {
                    return Err(unknown(id));
                }
            }
            Self::Store(store, project) => {
                let messages = self.messages(id).await?;
                let info = stored(&**store, project).info(id).await?;
                let title = info.map_or_else(|| format!("Session {id}"), |info| info.summary);
                export.clone().titled(title).write(&messages, &mut text)?;
            }
        }
        output::write(&text)
    }

    pub(super) async fn fork(
        &self,
        id: &SessionId,
        up_to: Option<&Uuid>,
        title: Option<&str>,
    ) -> Result<SessionId, Failure> {
        match self {
            Self::Folder(sessions) => Ok(sessions.fork(id, up_to, title)?),
            Self::Store(store, project) => {
                stored(&**store, project).fork(id, up_to, title).await?.ok_or_else(|| unknown(id))
            }
        }
    }

    pub(super) async fn rename(&self, id: &SessionId, title: &str) -> Result<(), Failure> {
        match self {
            Self::Folder(sessions) => Ok(sessions.rename(id, title)?),
            Self::Store(store, project) => {
                // A store takes entries of sessions that it does not know.
                self.messages(id).await?;
                Ok(stored(&**store, project).rename(id, title).await?)
            }
        }
    }

    pub(super) async fn delete(&self, id: &SessionId) -> Result<(), Failure> {
        match self {
            Self::Folder(sessions) => Ok(sessions.delete(id)?),
            Self::Store(store, project) => {
                self.messages(id).await?;
                Ok(stored(&**store, project).delete(id).await?)
            }
        }
    }
}

fn stored<'a>(store: &'a dyn SessionStore, project: &str) -> StoreSessions<'a> {
    StoreSessions::new(store, project)
}
