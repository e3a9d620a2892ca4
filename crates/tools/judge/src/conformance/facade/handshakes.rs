//! Recordings with several handshakes: a session sends one, and registers its hooks in it.

use std::collections::HashSet;

use super::super::facts::callbacks;
use agentwire_testkit::{
    recorded::{Recorded, Role},
    transcript::Entry,
};

/// Drops the attempts that the CLI refused before the first that it granted, with their replies.
pub(super) fn drop_refused(entries: &mut Vec<(usize, Entry)>) {
    let mut refused = HashSet::new();
    let attempts: Vec<_> = handshakes(entries).map(|(id, _)| id).collect();
    for id in attempts {
        match is_granted(entries, &id) {
            Some(true) => {
                return entries.retain(|(_, entry)| !read(entry).is_some_and(|read| names(&read, &refused)));
            }
            Some(false) => drop(refused.insert(id)),
            None => return,
        }
    }
}

/// Drops the calls of hooks that only a later handshake declared: the session has no such hooks.
pub(super) fn drop_callbacks_of_later_ones(entries: &mut Vec<(usize, Entry)>) {
    let mut declared = handshakes(entries).map(|(_, read)| callbacks(&read));
    let (Some(first), true) = (declared.next(), declared.next().is_some()) else { return };
    drop(declared);
    let mut dropped = HashSet::new();
    entries.retain(|(_, entry)| {
        let Some(read) = read(entry) else { return true };
        if let (Entry::Inbound(_), Role::Request { id, .. }) = (entry, &read.role)
            && let Some(callback) = read.json.text_at(&["request", "callback_id"])
            && !first.contains(callback)
        {
            dropped.insert(id.clone());
        }
        !names(&read, &dropped)
    });
}

fn handshakes(entries: &[(usize, Entry)]) -> impl Iterator<Item = (Box<str>, Recorded)> {
    entries.iter().filter(|(_, entry)| matches!(entry, Entry::Outbound(_))).filter_map(|(_, entry)| {
        let read = read(entry)?;
        match &read.role {
            Role::Request { id, subtype } if **subtype == *"initialize" => Some((id.clone(), read)),
            _ => None,
        }
    })
}

/// Returns whether the first reply to a handshake grants it, if there is a reply.
fn is_granted(entries: &[(usize, Entry)], id: &str) -> Option<bool> {
    let replies = entries.iter().filter(|(_, entry)| matches!(entry, Entry::Inbound(_)));
    let reply = replies
        .filter_map(|(_, entry)| read(entry))
        .find(|read| matches!(&read.role, Role::Response { id: own } if **own == *id))?;
    Some(reply.json.text_at(&["response", "subtype"]) == Some("success"))
}

/// Returns whether a line has one of these ids.
pub(super) fn names(read: &Recorded, ids: &HashSet<Box<str>>) -> bool {
    read.id().is_some_and(|id| ids.contains(id))
}

/// Decodes the line of an entry, if it has one.
pub(super) fn read(entry: &Entry) -> Option<Recorded> {
    match entry {
        Entry::Inbound(line) | Entry::Outbound(line) => Recorded::read(line),
        _ => None,
    }
}
