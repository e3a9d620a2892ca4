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
        match reply(entries, &id).map(|(_, reply)| is_granted(&reply)) {
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
    entries.iter().filter_map(|(_, entry)| handshake(entry))
}

/// Returns the id of a handshake with the handshake, if the entry is one.
pub(super) fn handshake(entry: &Entry) -> Option<(Box<str>, Recorded)> {
    let read = read(entry).filter(|_| matches!(entry, Entry::Outbound(_)))?;
    match &read.role {
        Role::Request { id, subtype } if **subtype == *"initialize" => Some((id.clone(), read)),
        _ => None,
    }
}

/// Returns the place of the first reply to a handshake with the reply, if there is one.
pub(super) fn reply(entries: &[(usize, Entry)], id: &str) -> Option<(usize, Recorded)> {
    let replies = entries.iter().enumerate().filter(|(_, (_, entry))| matches!(entry, Entry::Inbound(_)));
    let mut replies = replies.filter_map(|(at, (_, entry))| Some((at, read(entry)?)));
    replies.find(|(_, read)| matches!(&read.role, Role::Response { id: own } if **own == *id))
}

/// Returns whether a reply grants its handshake.
pub(super) fn is_granted(reply: &Recorded) -> bool {
    reply.json.text_at(&["response", "subtype"]) == Some("success")
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
