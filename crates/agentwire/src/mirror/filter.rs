//! Takes mirror frames off the stream.

use std::sync::Arc;

use agentwire_codec::{Frame, FrameError, FrameKind, Line};
use agentwire_control::FrameFilter;
use serde::de::IgnoredAny;

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
            FrameKind::TranscriptMirror => {
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
            self.queue.state.lock().lost.get_or_insert(why);
            self.queue.changed.notify_waiters();
        }
    }
}

impl Drop for MirrorFilter {
    fn drop(&mut self) {
        self.queue.close();
    }
}
