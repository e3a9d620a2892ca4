//! The stored state of a session, but for its last outcome.

use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};

use crate::wire::{Parked, Place};

/// One value, since each change of a key is a record in the log of Restate.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    /// The epoch of the last fence.
    pub(super) epoch: u64,
    /// The address of the last worker.
    pub(super) worker: Option<Box<str>>,
    /// The invocation of the prompt that runs, or waits for an answer or for room.
    pub(super) invocation: Option<String>,
    /// The place of the running turn.
    pub(super) running: Option<Place>,
    /// The ticket of the turn's reservation with its tenant.
    pub(super) reserved: Option<String>,
    /// The questions that wait for an answer without a process.
    pub(super) parked: Vec<Parked>,
}

impl Record {
    /// Stores the record.
    pub(super) fn save(&self, ctx: &ObjectContext<'_>) {
        ctx.set(KEY, Json(self.clone()));
    }

    /// Forgets the prompt and keeps `running`: the turn of a killed prompt may still run.
    pub(super) fn clear(&mut self) {
        self.invocation = None;
        self.parked.clear();
    }
}

/// Returns what is stored at [`KEY`].
pub(super) fn load(stored: Option<Json<Record>>) -> Record {
    stored.map(Json::into_inner).unwrap_or_default()
}

pub(crate) const KEY: &str = "session";
