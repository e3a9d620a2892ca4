//! The outline of a session: which kinds of frames went each way, in which order, with ids bound by position.
//!
//! Two runs of one scenario have the same outline; their ids, times and texts may differ.
//!
//! ```
//! use agentwire_judge::Outline;
//! use agentwire_testkit::Transcript;
//!
//! let outline = |text: &str| Outline::of(&Transcript::from_json_lines(text));
//! let recorded = outline(r#"{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool","tool_name":"Bash"}}"#);
//! let again = outline(r#"{"type":"control_request","request_id":"b","request":{"subtype":"can_use_tool","tool_name":"Bash"}}"#);
//! let other = outline(r#"{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool","tool_name":"Read"}}"#);
//! assert_eq!(recorded.differences(&again), [""; 0]);
//! assert_eq!(recorded.differences(&other).len(), 1);
//! ```

mod frame;
mod ids;

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;

use agentwire_testkit::transcript::{Entry, Transcript};
use ids::Ids;

/// The outline of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The frames of each lane, in order.
    lanes: BTreeMap<Lane, Vec<String>>,
}

/// A group of frames with the same order in every run; the order between two lanes may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    /// Lines of the CLI.
    Inbound,
    /// The handshake of an in-process MCP server, which may overlap the first prompt in any way.
    McpHandshake,
    /// Hook calls about a changed folder or file, which overlap the conversation.
    Changes,
    /// What our side starts: prompts, requests, the end of input.
    Outbound,
    /// What our side answers. Callbacks run concurrently, so their answers are put in the order of the requests.
    Answers,
    /// How the CLI ended.
    End,
}

impl Outline {
    /// Returns the outline of a session.
    pub fn of(session: &Transcript) -> Self {
        let ids = Ids::of(session);
        let mut outline = Self::default();
        for entry in &session.entries {
            match entry {
                Entry::Inbound(line) => outline.inbound(line, &ids),
                Entry::Outbound(line) => outline.outbound(line, &ids),
                Entry::EndOfInput => outline.push(Lane::Outbound, "end of input".to_owned()),
                Entry::Signal(name) => outline.push(Lane::Outbound, format!("signal {name}")),
                Entry::End(end) => outline.push(Lane::End, format!("{end:?}")),
                // Remarks, pauses and the CLI's stderr are not part of the protocol.
                _ => {}
            }
        }
        if let Some(answers) = outline.lanes.get_mut(&Lane::Answers) {
            answers.sort();
        }
        outline
    }

    /// Describes the differences to another run: one text for each lane that differs.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let lanes =
            [Lane::Inbound, Lane::McpHandshake, Lane::Changes, Lane::Outbound, Lane::Answers, Lane::End];
        lanes.iter().filter_map(|lane| difference(*lane, self.lane(*lane), other.lane(*lane))).collect()
    }

    fn lane(&self, lane: Lane) -> &[String] {
        self.lanes.get(&lane).map_or(&[], Vec::as_slice)
    }

    fn inbound(&mut self, line: &Bytes, ids: &Ids) {
        let Ok(frame) = serde_json::from_slice::<Value>(line) else {
            return self.push(Lane::Inbound, "no JSON".to_owned());
        };
        if ids.is_repeated(&frame) {
            return;
        }
        let words = frame::describe(&frame, ids);
        if SOMETIMES.iter().any(|(kind, _)| words.starts_with(kind)) {
            return;
        }
        let request = &frame["request"];
        let lane = if HANDSHAKE.iter().any(|method| request["message"]["method"] == *method) {
            Lane::McpHandshake
        } else if CHANGES.iter().any(|event| request["input"]["hook_event_name"] == *event) {
            Lane::Changes
        } else {
            Lane::Inbound
        };
        self.push(lane, words);
    }

    fn outbound(&mut self, line: &Bytes, ids: &Ids) {
        let Ok(frame) = serde_json::from_slice::<Value>(line) else {
            return self.push(Lane::Outbound, "no JSON".to_owned());
        };
        if ids.is_repeated(&frame) {
            return;
        }
        let lane = if frame["type"] == "control_response" { Lane::Answers } else { Lane::Outbound };
        self.push(lane, frame::describe(&frame, ids));
    }

    fn push(&mut self, lane: Lane, words: String) {
        self.lanes.entry(lane).or_default().push(words);
    }
}

/// Returns the first difference of two lanes.
fn difference(lane: Lane, expected: &[String], seen: &[String]) -> Option<String> {
    let at = (0..expected.len().max(seen.len())).find(|at| expected.get(*at) != seen.get(*at))?;
    let quoted =
        |lane: &[String]| lane.get(at).map_or("nothing more".to_owned(), |frame| format!("`{frame}`"));
    let before = at.checked_sub(1).and_then(|before| expected.get(before));
    let after = before.map_or(String::new(), |frame| format!(", after `{frame}`"));
    let (expected, seen) = (quoted(expected), quoted(seen));
    Some(format!("{lane:?}, frame {}: {seen} instead of {expected}{after}", at + 1))
}

/// Frames that come in some runs and not in others, and why.
#[rustfmt::skip] // One kind a line.
const SOMETIMES: &[(&str, &str)] = &[
    ("keep_alive", "sent by a clock"),
    ("tool_progress", "sent by a clock, for tools that run long"),
    ("rate_limit_event", "reported when the API reports it, which depends on the clock"),
    ("system/task_", "a command in the shell becomes a task when it takes long, which depends on the machine"),
    ("system/background_tasks_changed", "as with tasks"),
    ("transcript_mirror", "what is stored is reported in batches, beside the frames that it is about"),
];

const HANDSHAKE: &[&str] = &["initialize", "notifications/initialized", "tools/list"];
const CHANGES: &[&str] = &["CwdChanged", "FileChanged"];
