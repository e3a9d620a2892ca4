//! What goes to the store together.

use agentwire_codec::Line;
use agentwire_protocol::{RawJson, decode};
use agentwire_sessions::{RawEntry, SessionKey};
use serde::Deserialize;

use super::{Places, told::Told};

/// What goes to the store together: each key's entries in their order, the keys in that of their first.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) parts: Vec<(SessionKey, Vec<RawEntry>)>,
    entries: usize,
    pub(super) frames: u64,
    pub(super) bytes: usize,
}

impl Batch {
    /// Takes in what a frame holds; gives what of it can't be stored.
    pub(super) fn add(&mut self, line: &Line, places: &Places) -> Option<Told> {
        self.frames += 1;
        self.bytes += line.len();
        let frame: Mirrored = match line.to_str().map_err(|error| error.to_string()).and_then(read) {
            Ok(frame) => frame,
            Err(why) => {
                let why = format!("a frame of the mirror can't be read: {why}");
                return Some(Told { key: None, entries: 0, why });
            }
        };
        let key = match places.key(&frame.file_path) {
            Ok(key) => key,
            Err(why) => return Some(Told { key: None, entries: frame.entries.len(), why }),
        };
        let all = frame.entries.len();
        let entries: Vec<_> =
            frame.entries.into_iter().filter_map(|text| RawEntry::from_json(text).ok()).collect();
        let unread = all - entries.len();
        self.entries += entries.len();
        // What is empty is not made known to the store.
        if !entries.is_empty() {
            match self.parts.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => known.extend(entries),
                None => self.parts.push((key.clone(), entries)),
            }
        }
        let why = || "what the CLI has mirrored is no object".to_owned();
        (unread > 0).then(|| Told { key: Some(key), entries: unread, why: why() })
    }

    /// Whether it is enough to be stored without being asked for, where no more than `most` bytes may wait.
    ///
    /// Half of those stay free for what comes meanwhile.
    pub(super) fn is_full(&self, most: usize) -> bool {
        self.entries > MOST_ENTRIES || self.bytes > MOST_BYTES.min(most / 2)
    }
}

fn read(text: &str) -> Result<Mirrored, String> {
    decode::decode(text).map_err(|error| error.to_string())
}

/// A frame of the mirror's.
#[derive(Deserialize)]
struct Mirrored {
    #[serde(rename = "filePath")]
    file_path: String,
    #[serde(default)]
    entries: Vec<RawJson>,
}

/// The published SDKs' own bounds.
const MOST_ENTRIES: usize = 500;
const MOST_BYTES: usize = 1 << 20;
