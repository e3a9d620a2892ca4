//! Ids bound by position: which id of ours stands for which id of the recording.

use std::collections::HashMap;

use bytes::Bytes;

use crate::{
    json::{Json, Value},
    recorded::{Recorded, Role, unmarked},
};

/// Which id of ours stands for which id of the recording.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    requests: HashMap<Box<str>, Box<str>>,
    uuids: HashMap<Box<str>, Box<str>>,
    callbacks: HashMap<Box<str>, Box<str>>,
}

impl Ids {
    /// Binds a recorded request to ours.
    pub fn bind_request(&mut self, recorded: &str, ours: &str) {
        self.requests.insert(recorded.into(), ours.into());
    }

    /// Binds a recorded `uuid` to the one of our prompt.
    pub fn bind_uuid(&mut self, recorded: &str, ours: &str) {
        self.uuids.insert(recorded.into(), ours.into());
    }

    /// Binds a recorded hook callback to ours, unless an earlier handshake has bound it.
    pub fn bind_callback(&mut self, recorded: &str, ours: &str) {
        self.callbacks.entry(recorded.into()).or_insert_with(|| ours.into());
    }

    pub fn request(&self, recorded: &str) -> Option<&str> {
        self.requests.get(recorded).map(|id| &**id)
    }

    /// Returns whether the recorded id of a prompt is bound to ours; `None` if no prompt has that id.
    pub fn is_uuid(&self, recorded: &str, ours: &str) -> Option<bool> {
        self.uuids.get(recorded).map(|id| **id == *ours)
    }

    /// Replaces the recorded ids in a line of the CLI by ours. All other bytes stay.
    pub fn translate(&self, line: &Bytes, recorded: &Recorded) -> Bytes {
        let mut edits = Vec::new();
        self.control_edits(recorded, &mut edits);
        if !self.uuids.is_empty() {
            self.uuid_edits(&recorded.json, &mut edits);
        }
        if edits.is_empty() {
            return line.clone();
        }
        edits.sort_by_key(|(json, _)| json.span.start);
        let text = unmarked(line);
        let mut translated = line.slice(..line.len() - text.len()).to_vec();
        let mut from = 0;
        for (json, id) in edits {
            translated.extend_from_slice(text.get(from..json.span.start).unwrap_or_default());
            translated.extend_from_slice(Value::quoted(id).as_bytes());
            from = json.span.end;
        }
        translated.extend_from_slice(text.get(from..).unwrap_or_default());
        translated.into()
    }

    /// Collects the ids of the control protocol, except those of the CLI's own requests and their cancellations.
    fn control_edits<'a>(&'a self, recorded: &'a Recorded, edits: &mut Vec<(&'a Json, &'a str)>) {
        let json = &recorded.json;
        let (paths, ids): (&[&[&str]], _) = match &recorded.role {
            Role::Request { .. } => (&[&["request", "callback_id"]], &self.callbacks),
            Role::Cancel { .. } => return,
            Role::Response { .. } => (&[&["request_id"], &["response", "request_id"]], &self.requests),
            // Progress of a request of ours, and the like.
            Role::Message if recorded.kind().starts_with("control_") => (&[&["request_id"]], &self.requests),
            Role::Message => return,
        };
        for value in paths.iter().filter_map(|path| json.at(path)) {
            if let Some(id) = value.text().and_then(|text| ids.get(text)) {
                edits.push((value, id));
            }
        }
    }

    fn uuid_edits<'a>(&'a self, json: &'a Json, edits: &mut Vec<(&'a Json, &'a str)>) {
        match &json.value {
            Value::Text(text) => edits.extend(self.uuids.get(text).map(|id| (json, &**id))),
            Value::List(list) => list.iter().for_each(|json| self.uuid_edits(json, edits)),
            Value::Object(fields) => fields.iter().for_each(|(_, json)| self.uuid_edits(json, edits)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
