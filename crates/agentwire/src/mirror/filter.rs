//! Takes mirror frames off the stream.

use std::{borrow::Cow, sync::Arc};

use agentwire_codec::{Frame, FrameError, FrameKind, Line};
use agentwire_control::FrameFilter;
use serde::{Deserialize, de::IgnoredAny};

use super::{TranscriptPaths, batch::Mirrored, queue::Queue, reading::too_long};

/// Takes mirror frames off the stream, and requests a flush at each result.
pub(super) struct MirrorFilter {
    pub(super) queue: Arc<Queue>,
    pub(super) paths: Arc<TranscriptPaths>,
}

impl MirrorFilter {
    /// Counts the entries of a frame that exceeds the limit.
    fn count(&self, line: &Line) {
        let text = line.to_str().unwrap_or_default();
        let (key, entries) = match serde_json::from_str::<Mirrored<IgnoredAny>>(text) {
            Ok(counted) => (self.paths.key(&counted.file_path).ok(), counted.entries.len()),
            // The number of entries is unknown.
            Err(_) => (None, 0),
        };
        self.queue.overflow(key, entries);
    }
}

impl FrameFilter for MirrorFilter {
    fn filter(&self, frame: Frame) -> Option<Frame> {
        match frame.kind {
            FrameKind::Other if is_mirrored(frame.line.as_bytes()) => {
                if let Err(line) = self.queue.push(frame.line) {
                    self.count(&line);
                }
                None
            }
            FrameKind::Result => {
                self.queue.want();
                Some(frame)
            }
            _ => Some(frame),
        }
    }

    fn missed(&self, fault: &FrameError) {
        // The reader reports it in order between the messages.
        if let Some(why) = too_long(fault) {
            self.queue.state().lost.get_or_insert(why);
            self.queue.changed.notify_waiters();
        }
    }
}

impl Drop for MirrorFilter {
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// Returns whether a line is a mirror frame.
fn is_mirrored(line: &[u8]) -> bool {
    if let Some(kind) = line.strip_prefix(b"{\"type\":\"") {
        return kind.strip_prefix(KIND.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'"'));
    }
    serde_json::from_slice::<Kind<'_>>(line).is_ok_and(|line| line.kind == KIND)
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
}

const KIND: &str = "transcript_mirror";

#[cfg(test)]
mod tests {
    use super::is_mirrored;

    #[test]
    fn the_mirrors_frames_are_known_however_they_are_written() {
        for line in [
            r#"{"type":"transcript_mirror","filePath":"","entries":[]}"#,
            r#"{ "filePath":"", "type" : "transcript\u005fmirror"}"#,
        ] {
            assert!(is_mirrored(line.as_bytes()), "{line}");
        }
        for line in [r#"{"type":"transcript_mirrors"}"#, r#"{"type":"system"}"#, "{}", "{", ""] {
            assert!(!is_mirrored(line.as_bytes()), "{line}");
        }
    }
}
