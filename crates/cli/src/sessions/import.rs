//! `agentwire sessions import`: copies sessions of this machine into a store.

use std::time::Duration;

use agentwire_net::error_chain;
use agentwire_protocol::SessionId;
use agentwire_sessions::{ImportError, Page, Sessions, import_session};
use serde_json::json;
use tokio::time::sleep;

use super::{id, unknown, url};
use crate::failure::{Failure, While as _};
use crate::output;

/// Copies these sessions, or all listed ones, and prints the key of each in the store.
/// Fails at once if the store fails; after the other sessions, if one can't be imported or a folder can't be read.
/// Importing again completes a session, unless its store has a gap or its files have invalid names.
pub(super) async fn run(sessions: &Sessions, to: &str, ids: &[String], as_json: bool) -> Result<(), Failure> {
    let store = url::open(to, true).await?;
    let (mut done, mut printed) = (Ok(()), Ok(()));
    let ids: Vec<SessionId> = if ids.is_empty() {
        for error in sessions.unreadable()? {
            output::note(format_args!("agentwire: {}", error_chain(&error)));
            done = Err(Failure::exit(2));
        }
        // Oldest first: a store dates a session by its last append.
        sessions.list(Page::ALL)?.into_iter().rev().map(|info| info.session_id).collect()
    } else {
        ids.iter().map(|text| id(text)).collect::<Result<_, _>>()?
    };
    for id in &ids {
        // Stores date sessions in milliseconds, and short ones are imported faster.
        sleep(Duration::from_millis(2)).await;
        let imported = import_session(sessions, id, &*store).await;
        let has_store_failed = matches!(imported, Err(ImportError::Store(_)));
        let imported = imported.while_doing(|| format!("importing {id}"));
        match imported.and_then(|key| key.ok_or_else(|| unknown(id))) {
            Err(failure) if has_store_failed => return Err(failure),
            // The other sessions can be imported.
            Err(failure) => {
                output::note(format_args!("agentwire: {failure}"));
                done = Err(Failure::exit(2));
            }
            Ok(key) if printed.is_ok() => {
                printed = if as_json {
                    output::json(&json!({"session_id": id, "project": key.project()}))
                } else {
                    output::line(format_args!("{id}  {}", key.project()))
                };
            }
            // A closed pipe must not end the import.
            Ok(_) => {}
        }
    }
    output::end_with(printed, done)
}
