//! Folds a session's file into its summary.

use std::fs::File;
use std::io;

use agentwire_protocol::RawJson;

use super::lines;
use crate::{RawEntry, fold_summary};

/// Returns the data of a session's summary; `None` if the file has no entry.
///
/// Folds in batches of [`BATCH`] bytes, so a long session is not held in memory.
/// An entry that was appended twice may be folded twice, which changes the summary only if another value came in
/// between.
pub(super) fn summary(file: File) -> io::Result<Option<RawJson>> {
    let mut batch = Batch::default();
    lines::for_each(file, lines::LONGEST, |entry| batch.push(entry))?;
    batch.fold();
    Ok(batch.data)
}

#[derive(Default)]
struct Batch {
    data: Option<RawJson>,
    entries: Vec<RawEntry>,
    size: usize,
}

impl Batch {
    fn push(&mut self, entry: RawEntry) {
        self.size += entry.as_str().len();
        self.entries.push(entry);
        if self.size > BATCH {
            self.fold();
        }
    }

    fn fold(&mut self) {
        if !self.entries.is_empty() {
            // Folding fails only for data that is not an object, which `fold_summary` never returns.
            self.data = fold_summary(self.data.as_ref(), &self.entries).ok();
            self.entries.clear();
            self.size = 0;
        }
    }
}

/// How many bytes of entries are folded at once.
const BATCH: usize = 1 << 20;
