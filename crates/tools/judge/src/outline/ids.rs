//! Ids by position: the second request of the CLI is `cli-2` in every run.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use agentwire_testkit::transcript::{Entry, Transcript};

/// The names of the ids of a session.
#[derive(Debug, Default)]
pub(super) struct Ids {
    names: HashMap<String, String>,
    /// Our requests that are repeated until the expected reply comes, a different number of times in each run.
    repeated: HashSet<String>,
}

impl Ids {
    /// Numbers the ids of each side in the order in which that side made them up.
    pub(super) fn of(session: &Transcript) -> Self {
        let mut ids = Self::default();
        let (mut ours, mut theirs, mut tools) = (0, 0, 0);
        let mut before = Value::Null;
        for entry in &session.entries {
            let (Entry::Outbound(line) | Entry::Inbound(line)) = entry else { continue };
            let Ok(frame) = serde_json::from_slice::<Value>(line) else { continue };
            if frame["type"] == "control_request" {
                let (id, request) = (&frame["request_id"], &frame["request"]);
                match entry {
                    Entry::Outbound(_) if *request == before => ids.repeat(id),
                    Entry::Outbound(_) => {
                        before = request.clone();
                        ids.name(id, "ours", &mut ours);
                    }
                    // The handshakes of MCP servers may come anywhere between the others.
                    _ if request["subtype"] == "mcp_message" => {
                        ids.insert(id, format!("{} {}", request["server_name"], request["message"]["id"]));
                    }
                    _ => ids.name(id, "cli", &mut theirs),
                }
            }
            for block in frame["message"]["content"].as_array().into_iter().flatten() {
                if block["type"] == "tool_use" {
                    ids.name(&block["id"], "tool", &mut tools);
                }
            }
        }
        ids
    }

    /// Returns the name of this id; `?` if it is unknown.
    pub(super) fn name_of(&self, id: &Value) -> &str {
        id.as_str().and_then(|id| self.names.get(id)).map_or("?", String::as_str)
    }

    /// Returns whether this frame belongs to a request of ours that repeats the one before it.
    pub(super) fn is_repeated(&self, frame: &Value) -> bool {
        let places = [&frame["request_id"], &frame["response"]["request_id"]];
        places.iter().filter_map(|id| id.as_str()).any(|id| self.repeated.contains(id))
    }

    fn repeat(&mut self, id: &Value) {
        self.repeated.extend(id.as_str().map(str::to_owned));
    }

    fn name(&mut self, id: &Value, side: &str, count: &mut usize) {
        let known = id.as_str().is_some_and(|id| self.names.contains_key(id));
        if !known {
            *count += 1;
            self.insert(id, format!("{side}-{count}"));
        }
    }

    fn insert(&mut self, id: &Value, name: String) {
        if let Some(id) = id.as_str() {
            self.names.entry(id.to_owned()).or_insert(name);
        }
    }
}
