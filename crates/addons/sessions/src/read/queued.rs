//! Queued prompts that were added to a running turn.

use std::collections::{HashMap, HashSet};

use agentwire_protocol::session_info::{SessionMessage, SessionMessageKind};
use agentwire_protocol::{RawJson, SessionId, Uuid};
use serde::Serialize;
use serde_json::Value;

use super::graph::Graph;
use super::link::{Kind, Link, is_sent};
use crate::RawEntry;
use crate::entry::last;

/// The queued prompts that are shown, by their index on the path.
///
/// The CLI stores such a prompt as an attachment (`queued_command`) where the turn took it. A prompt that the turn did
/// not take is repeated as a prompt of its own.
#[derive(Debug)]
pub(super) struct Queued {
    shown: HashMap<usize, Uuid>,
}

impl Queued {
    /// `main` is the length of the conversation on the path; the entries after it were still queued at the end.
    /// With `generated`, prompts that the CLI generated are shown too.
    pub(super) fn of(
        graph: &Graph,
        way: &[usize],
        main: usize,
        entries: &[RawEntry],
        generated: bool,
    ) -> Self {
        let taken = Taken::of(graph, entries);
        let links: Vec<_> = way.iter().map(|link| &graph.links[*link]).collect();
        let (known_by_records, mut replied) = (taken.known_by_records(&links), false);
        let mut in_turn = vec![false; links.len()];
        for (at, link) in links.iter().enumerate().rev() {
            in_turn[at] = replied || at >= main;
            if link.kind == Kind::Assistant || link.is_result() || link.kind == Kind::User && link.interrupts
            {
                replied = true;
            } else if link.kind == Kind::User && !link.meta && !link.summary {
                replied = false;
            }
        }
        let mut ids: HashSet<Uuid> = links.iter().map(|link| link.uuid.clone()).collect();
        let mut shown = HashMap::new();
        for (at, link) in links.iter().enumerate() {
            if !is_prompt(link, generated) || !known_by_records.get(&at).copied().unwrap_or(in_turn[at]) {
                continue;
            }
            let own = text(link, "source_uuid").map_or_else(|| link.uuid.clone(), Uuid::from);
            if own == link.uuid || ids.insert(own.clone()) {
                shown.insert(at, own);
            }
        }
        Self { shown }
    }

    /// Returns the prompt as a user message, if it is shown.
    pub(super) fn message(&self, at: usize, link: &Link, entry: &RawEntry) -> Option<SessionMessage> {
        let uuid = self.shown.get(&at)?.clone();
        let [attachment] = last(entry.as_json(), ["attachment"])?;
        let [prompt] = last(&attachment?, ["prompt"])?;
        let message = RawJson::encode(&Prompt { role: "user", content: prompt? }).ok()?;
        Some(SessionMessage::new(
            SessionMessageKind::User,
            uuid,
            SessionId::from(link.session.as_str()),
            message,
        ))
    }
}

#[derive(Serialize)]
struct Prompt {
    role: &'static str,
    content: RawJson,
}

fn is_prompt(link: &Link, generated: bool) -> bool {
    let attachment = &link.attachment;
    let words = attachment["prompt"].is_string() || attachment["prompt"].is_array();
    // The CLI stores this only to record who asked for a forwarded prompt.
    let record = attachment["forwardedIntent"]["lineage"].as_str().is_some_and(|text| !text.is_empty());
    link.attaches("queued_command")
        && words
        && !record
        && (generated || attachment["isMeta"] != true || is_sent(&attachment["origin"]))
}

fn text<'a>(link: &'a Link, name: &str) -> Option<&'a str> {
    link.attachment[name].as_str().filter(|text| !text.is_empty())
}

/// Records of prompts that a turn took (`queue-operation`, removed as `absorbed_mid_turn`).
struct Taken<'a> {
    /// How often turns took a prompt, by the id of its delivery or, without one, its own id.
    counts: HashMap<(Id, String), usize>,
    /// The attachments that match the last records of their delivery.
    attachments: HashSet<&'a Uuid>,
}

/// The kind of id that identifies a queued prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Id {
    Delivery,
    Prompt,
}

impl<'a> Taken<'a> {
    fn of(graph: &'a Graph, entries: &[RawEntry]) -> Self {
        let mut counts: HashMap<_, usize> = HashMap::new();
        for entry in entries.iter().filter(|entry| entry.kind() == "queue-operation") {
            if let Some(id) = entry.decode().ok().and_then(|operation| noted(&operation)) {
                *counts.entry(id).or_default() += 1;
            }
        }
        let mut copies: HashMap<_, Vec<&Link>> = HashMap::new();
        for link in graph.links.iter().filter(|link| !counts.is_empty() && link.attaches("queued_command")) {
            if let Some(id) = named(link) {
                copies.entry(id).or_default().push(link);
            }
        }
        let mut attachments = HashSet::new();
        for (id, copies) in copies {
            if id.0 == Id::Delivery {
                let count = counts.get(&id).copied().unwrap_or_default();
                attachments.extend(copies.iter().rev().take(count).map(|link| &link.uuid));
            } else if copies.iter().any(|copy| copy.attachment != copies[0].attachment) {
                // The records are ambiguous.
                counts.remove(&id);
            }
        }
        Self { counts, attachments }
    }

    /// Returns whether the prompt at each index was taken, if the records determine it.
    fn known_by_records(&self, links: &[&Link]) -> HashMap<usize, bool> {
        let mut places: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, link) in links.iter().enumerate() {
            if let Some(id) = named(link).filter(|id| self.counts.contains_key(id)) {
                places.entry(id).or_default().push(at);
            }
        }
        let mut known_by_records = HashMap::new();
        for (id, places) in places {
            let first = places.len().saturating_sub(self.counts[&id]);
            for (nth, at) in places.into_iter().enumerate() {
                let taken = if id.0 == Id::Delivery {
                    self.attachments.contains(&links[at].uuid)
                } else {
                    nth >= first
                };
                known_by_records.insert(at, taken);
            }
        }
        known_by_records
    }
}

/// Returns the id of a queued prompt.
fn named(link: &Link) -> Option<(Id, String)> {
    if !link.attaches("queued_command") {
        return None;
    }
    let delivery = text(link, "delivery_id").map(|id| (Id::Delivery, id.to_owned()));
    delivery.or_else(|| text(link, "source_uuid").map(|id| (Id::Prompt, id.to_owned())))
}

/// Returns the id of the prompt that was taken into a turn, according to this record.
fn noted(operation: &Value) -> Option<(Id, String)> {
    if operation["operation"] != "remove" || operation["reason"] != "absorbed_mid_turn" {
        return None;
    }
    let text = |name: &str| operation[name].as_str().map(str::to_owned);
    let delivery = text("deliveryId").filter(|id| !id.is_empty()).map(|id| (Id::Delivery, id));
    delivery.or_else(|| text("commandUuid").map(|id| (Id::Prompt, id)))
}
