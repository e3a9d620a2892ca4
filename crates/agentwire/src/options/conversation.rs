//! Options of the conversation and its storage.

use serde::{Deserialize, Serialize};

use super::{
    Options, Warning,
    argv::Argv,
    launch_plan::{LaunchPlan, ToCli, refuse},
    setters::setters,
};
use crate::Error;

/// When new entries are appended to a session store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SessionStoreFlush {
    /// Appends entries in batches: at each result, and at 500 entries or 1 MiB.
    ///
    /// If this program is killed, the store has nothing of the running turn; during the first turn, not even the
    /// session.
    Batched,
    /// Appends entries as the CLI mirrors them: the choice for programs that may be killed.
    Eager,
}

pub(super) struct Group<'a>(pub(super) &'a Options);

setters! {
    some resume: String;
    on continue_last;
    on fork_session;
    some session_id: String;
    some resume_session_at: String;
    some resume_drops_turn: String;
    plain persist_session: bool;
    some title: String;
    some session_store_flush: SessionStoreFlush;
    plain load_timeout_ms: u64;
    plain session_store_flush_timeout_ms: u64;
    plain session_store_append_timeout_ms: u64;
    plain session_store_max_pending_bytes: usize;
    some session_store_project: String;
}

impl ToCli for Group<'_> {
    fn to_cli(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        let options = self.0;
        self.check()?;
        if options.continue_last && options.resume.is_some() {
            to.warn(Warning::Overridden { option: "continue", by: "resume" });
        }
        if options.fork_session && options.resume.is_none() && !options.continue_last {
            to.warn(Warning::NoEffect { option: "forkSession", why: "there is no session to copy" });
        }
        for (option, set) in [
            ("sessionStoreFlush", options.session_store_flush.is_some()),
            ("loadTimeoutMs", options.load_timeout_ms.is_some()),
            ("sessionStoreFlushTimeoutMs", options.session_store_flush_timeout_ms.is_some()),
            ("sessionStoreAppendTimeoutMs", options.session_store_append_timeout_ms.is_some()),
            ("sessionStoreMaxPendingBytes", options.session_store_max_pending_bytes.is_some()),
            ("sessionStoreProject", options.session_store_project.is_some()),
        ] {
            if set {
                to.warn(Warning::NoEffect { option, why: NO_STORE });
            }
        }
        to.switch("continue", options.continue_last);
        to.flag("resume", options.resume.as_deref());
        to.switch("fork-session", options.fork_session);
        to.flag("session-id", options.session_id.as_deref());
        to.flag("resume-session-at", options.resume_session_at.as_deref());
        to.flag("resume-drops-turn", options.resume_drops_turn.as_deref());
        to.switch("no-session-persistence", options.persist_session == Some(false));
        to.initialize.title.clone_from(&options.title);
        Ok(())
    }
}

impl Group<'_> {
    /// Rejects values that the CLI refuses, as tested with 2.1.330 and 2.1.197.
    fn check(&self) -> Result<(), Error> {
        let options = self.0;
        if options.resume.as_deref() == Some("") {
            return refuse("resume", "a session's id or title is not empty");
        }
        if let Some(id) = &options.session_id {
            if !is_uuid(id) {
                return refuse("sessionId", "the CLI takes a UUID");
            }
            let again = options.resume.is_some() || options.continue_last;
            if again && !options.fork_session {
                return refuse("sessionId", "with `resume` or `continue` it needs `forkSession` too");
            }
        }
        if options.resume_session_at.is_some() && options.resume.is_none() {
            return refuse("resumeSessionAt", "it needs `resume`");
        }
        if options.resume_drops_turn.is_some() && options.resume_session_at.is_none() {
            return refuse("resumeDropsTurn", "it needs `resumeSessionAt`");
        }
        Ok(())
    }
}

/// The CLI accepts any version and both cases.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The reason why options of a session store have no effect; the warning is removed if there is a store.
pub(crate) const NO_STORE: &str = "there is no session store";
