//! Stored sessions: lists, histories, deletion. These functions block on files.

use std::path::Path;

use agent_client_protocol::{
    Error,
    v1::schema::{ListSessionsRequest, ListSessionsResponse, SessionInfo},
};
use agentwire::protocol::{
    SessionId,
    session_info::{SessionInfo as Stored, SessionMessage},
};
use agentwire_sessions::{Page, SessionError, Sessions};

use crate::failure::{internal, invalid, no_session};

/// Returns a page of the stored sessions, newest first.
pub(crate) fn list(request: &ListSessionsRequest) -> Result<ListSessionsResponse, Error> {
    let offset = match &request.cursor {
        Some(cursor) => cursor.parse().map_err(|_| invalid("`cursor` is not from this agent"))?,
        None => 0,
    };
    let mut sessions = sessions()?;
    if let Some(cwd) = &request.cwd {
        sessions = sessions.in_project(cwd);
    }
    let stored = sessions.list(Page::first(PAGE).after(offset)).map_err(error)?;
    let next = (stored.len() == PAGE).then(|| (offset + PAGE).to_string());
    Ok(ListSessionsResponse::new(stored.into_iter().filter_map(info).collect()).next_cursor(next))
}

/// Returns the messages of a stored session.
pub(crate) fn history(id: &str) -> Result<Vec<SessionMessage>, Error> {
    let messages = sessions()?.messages(&SessionId::from(id), Page::ALL).map_err(error)?;
    messages.ok_or_else(|| no_session(id))
}

/// Deletes a stored session. A missing session is not an error.
pub(crate) fn delete(id: &str) -> Result<(), Error> {
    match sessions()?.delete(&SessionId::from(id)) {
        Ok(_) | Err(SessionError::NotFound { .. }) => Ok(()),
        Err(failure) => Err(error(failure)),
    }
}

fn sessions() -> Result<Sessions, Error> {
    let none = "there is no configuration folder: set HOME or CLAUDE_CONFIG_DIR";
    Sessions::from_env().ok_or_else(|| internal(none))
}

/// A session without a folder can't be resumed in one.
fn info(stored: Stored) -> Option<SessionInfo> {
    let cwd = stored.cwd.filter(|cwd| Path::new(cwd).is_absolute())?;
    let time =
        i64::try_from(stored.last_modified).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    Some(
        SessionInfo::new(stored.session_id.as_str().to_owned(), cwd)
            .title(Some(stored.summary).filter(|title| !title.is_empty()))
            .updated_at(time.map(|time| time.to_string())),
    )
}

fn error(error: SessionError) -> Error {
    match error {
        SessionError::Id(_) => invalid(error.to_string()),
        SessionError::NotFound { session, .. } => no_session(session),
        other => internal(other.to_string()),
    }
}

/// The number of sessions in a page.
const PAGE: usize = 100;
