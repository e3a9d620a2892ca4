//! A transcript as a session of the facade would have it: the handshake first.

use std::collections::HashSet;

use bytes::Bytes;

use super::handshakes::{self, handshake, names, read};

use agentwire_testkit::{
    Transcript,
    recorded::{Recorded, Role},
    transcript::Entry,
};

/// Returns the entries with their lines in the file, with `initialize` and its reply before all other lines of ours.
pub(super) fn entries(transcript: &Transcript) -> Vec<(usize, Entry)> {
    let entries = transcript.entries.iter().enumerate();
    let mut entries: Vec<_> =
        entries.map(|(index, entry)| (transcript.line_number(index), entry.clone())).collect();
    if transcript.header.faults == Some(true) {
        drop_unsendable(&mut entries);
    }
    handshakes::drop_refused(&mut entries);
    drop_unanswerable(&mut entries);
    let Some(first) = entries.iter().position(|(_, entry)| matches!(entry, Entry::Outbound(_))) else {
        return entries;
    };
    match entries.get(first).and_then(|(_, entry)| handshake(entry)) {
        Some((id, _)) => hoist_reply(&mut entries, first, &id),
        None => {
            // The handshake is optional, and the recorded host did without it.
            let line = entries.get(first).map_or(0, |(line, _)| *line);
            entries.insert(first, (line, Entry::Inbound(Bytes::from_static(REPLY))));
            entries.insert(first, (line, Entry::Outbound(Bytes::from_static(REQUEST))));
        }
    }
    handshakes::drop_callbacks_of_later_ones(&mut entries);
    entries
}

/// Drops questions that a session answers differently: those open at the end of our input, which it
/// denies, and those with an answer that is neither a success nor an error.
fn drop_unanswerable(entries: &mut Vec<(usize, Entry)>) {
    let (mut open, mut dropped) = (HashSet::new(), HashSet::new());
    for (_, entry) in entries.iter() {
        if *entry == Entry::EndOfInput {
            dropped.extend(open.drain());
        }
        let Some(read) = read(entry) else { continue };
        match read.role {
            Role::Request { id, subtype } if *subtype == *"can_use_tool" => drop(open.insert(id)),
            Role::Response { id } if open.remove(&id) => {
                let kind = read.json.text_at(&["response", "subtype"]);
                if !matches!(kind, Some("success" | "error")) {
                    dropped.insert(id);
                }
            }
            Role::Cancel { id } => drop(open.remove(&id)),
            _ => {}
        }
    }
    entries.retain(|(_, entry)| !read(entry).is_some_and(|read| names(&read, &dropped)));
}

/// Drops the faulty lines that a session never sends: blank ones, and answers and cancellations that nothing waits for.
fn drop_unsendable(entries: &mut Vec<(usize, Entry)>) {
    let (mut asked, mut called) = (HashSet::new(), HashSet::new());
    entries.retain(|(_, entry)| match entry {
        Entry::Inbound(line) => {
            match Recorded::read(line).map(|read| read.role) {
                Some(Role::Request { id, .. }) => drop(asked.insert(id)),
                Some(Role::Cancel { id }) => drop(asked.remove(&id)),
                _ => {}
            }
            true
        }
        Entry::Outbound(line) => match Recorded::read(line).map(|read| read.role) {
            Some(Role::Request { id, .. }) => {
                called.insert(id);
                true
            }
            Some(Role::Response { id }) => asked.remove(&id),
            Some(Role::Cancel { id }) => called.contains(&id),
            Some(Role::Message) => true,
            None => !line.trim_ascii().is_empty(),
        },
        _ => true,
    });
}

/// Moves the reply before the lines that a host sent without waiting for it, since our session waits.
fn hoist_reply(entries: &mut Vec<(usize, Entry)>, first: usize, id: &str) {
    let Some((reply, _)) = handshakes::reply(entries, id) else {
        // The start was refused and the CLI exits; our side has no session and cannot end the input.
        return entries.retain(|(_, entry)| *entry != Entry::EndOfInput);
    };
    let is_early = |entry: &Entry| match entry {
        Entry::Outbound(line) => {
            !matches!(Recorded::read(line), Some(Recorded { role: Role::Response { .. }, .. }))
        }
        Entry::EndOfInput => true,
        _ => false,
    };
    let early =
        entries.iter().skip(first + 1).position(|(_, entry)| is_early(entry)).map(|at| at + first + 1);
    if let Some(early) = early.filter(|early| *early < reply) {
        let reply = entries.remove(reply);
        entries.insert(early, reply);
    }
}

const REQUEST: &[u8] =
    br#"{"type":"control_request","request_id":"not-recorded","request":{"subtype":"initialize"}}"#;
const REPLY: &[u8] =
    br#"{"type":"control_response","response":{"subtype":"success","request_id":"not-recorded","response":{}}}"#;
