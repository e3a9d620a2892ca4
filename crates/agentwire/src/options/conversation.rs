//! Options of the conversation and its storage.

use serde::{Deserialize, Serialize};

use super::{LaunchPlan, Options, Warning};

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
    ///
    /// Entries that arrive during an append share the next one.
    Eager,
}

impl Options {
    /// Warns about options of the conversation without effect, and disables persistence.
    pub(super) fn conversation_to_cli(&self, plan: &mut LaunchPlan) {
        if self.continue_last && self.resume.is_some() {
            plan.warn(Warning::Overridden { option: "continue", by: "resume" });
        }
        if self.fork_session && self.resume.is_none() && !self.continue_last {
            plan.warn(Warning::NoEffect { option: "forkSession", why: "there is no session to copy" });
        }
        for (option, set) in [
            ("sessionStoreFlush", self.session_store_flush.is_some()),
            ("loadTimeoutMs", self.load_timeout_ms.is_some()),
            ("sessionStoreFlushTimeoutMs", self.session_store_flush_timeout_ms.is_some()),
            ("sessionStoreAppendTimeoutMs", self.session_store_append_timeout_ms.is_some()),
            ("sessionStoreMaxPendingBytes", self.session_store_max_pending_bytes.is_some()),
            ("sessionStoreProject", self.session_store_project.is_some()),
        ] {
            if set {
                plan.warn(Warning::NoEffect { option, why: NO_STORE });
            }
        }
        plan.switch("no-session-persistence", self.persist_session == Some(false));
    }
}

/// The reason why options of a session store have no effect; the warning is removed if there is a store.
pub(crate) const NO_STORE: &str = "there is no session store";
