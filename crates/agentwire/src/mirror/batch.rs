//! A batch of entries for the store.

use agentwire_codec::Line;
use agentwire_protocol::{RawJson, decode::decode_bytes};
use agentwire_sessions::{RawEntry, SessionKey};
use serde::Deserialize;

use super::{TranscriptPaths, mirror_error::MirrorError};

/// A batch of entries for the store: keys in the order of their first entry, and each key's entries in order.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) parts: Vec<Part>,
    /// The frames since the last flush, and their bytes.
    frames: u64,
    bytes: usize,
    /// The bytes of entries that the store did not accept.
    refused_bytes: usize,
}

/// The entries of one key.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) key: SessionKey,
    pub(super) entries: Vec<RawEntry>,
    /// The number of entries, from the first, that are already reported as not stored.
    pub(super) reported: usize,
}

impl Batch {
    /// Adds the entries of a frame; returns an error for entries that can't be stored.
    pub(super) fn add(&mut self, line: &Line, paths: &TranscriptPaths) -> Option<MirrorError> {
        self.frames += 1;
        self.bytes += line.len();
        let frame: Mirrored<RawJson> = match decode_bytes(line.as_bytes()) {
            Ok(frame) => frame,
            Err(why) => {
                let why = format!("a frame of the mirror can't be read: {why}");
                return Some(MirrorError { key: None, entries: 0, why });
            }
        };
        let key = match paths.key(&frame.file_path) {
            Ok(key) => key,
            Err(why) => return Some(MirrorError { key: None, entries: frame.entries.len(), why }),
        };
        let all = frame.entries.len();
        let entries: Vec<_> =
            frame.entries.into_iter().filter_map(|text| RawEntry::from_json(text).ok()).collect();
        let unread = all - entries.len();
        // A file without entries is not created in the store.
        if !entries.is_empty() {
            match self.parts.iter_mut().find(|part| part.key == key) {
                Some(part) => part.entries.extend(entries),
                None => self.parts.push(Part { key: key.clone(), entries, reported: 0 }),
            }
        }
        let why = || "an entry is not a JSON object".to_owned();
        (unread > 0).then(|| MirrorError { key: Some(key), entries: unread, why: why() })
    }

    /// Returns whether to store the batch before a flush is requested, if at most `most` bytes may be pending.
    ///
    /// Half of the limit stays free for frames that arrive meanwhile, unless refused entries take it.
    pub(super) fn is_full(&self, most: usize) -> bool {
        let entries: usize = self.parts.iter().map(|part| part.entries.len() - part.reported).sum();
        entries > MAX_ENTRIES || self.bytes > MAX_BYTES.min(most / 2)
    }

    /// Completes a flush that left the refused entries; returns the number of frames and bytes that are done.
    pub(super) fn flushed(&mut self) -> (u64, usize) {
        let refused =
            self.parts.iter().flat_map(|part| &part.entries).map(|entry| entry.as_str().len()).sum();
        let before = self.bytes + std::mem::replace(&mut self.refused_bytes, refused);
        self.bytes = 0;
        (std::mem::take(&mut self.frames), before.saturating_sub(refused))
    }
}

/// A mirror frame; `T` is the type of its entries.
#[derive(Deserialize)]
pub(super) struct Mirrored<T> {
    #[serde(rename = "filePath")]
    pub(super) file_path: String,
    #[serde(default = "Vec::new")]
    pub(super) entries: Vec<T>,
}

/// The limits of the reference SDKs.
const MAX_ENTRIES: usize = 500;
const MAX_BYTES: usize = 1 << 20;
