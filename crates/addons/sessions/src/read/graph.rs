//! The tree of entries, and the path through it that is the conversation.

use std::collections::{HashMap, HashSet};

use agentwire_protocol::Uuid;

use super::kept;
use super::link::{Kind, Link};
use crate::RawEntry;

/// The entries by id; a later entry with the same id replaces the earlier one at its place.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) links: Vec<Link>,
    places: HashMap<Uuid, usize>,
}

impl Graph {
    pub(super) fn of(entries: &[RawEntry]) -> Self {
        let mut graph = Self::as_written(entries);
        kept::link(&mut graph);
        graph
    }

    /// Builds the tree from the parent links alone, without the changes by compactions.
    pub(super) fn as_written(entries: &[RawEntry]) -> Self {
        let mut graph = Self { links: Vec::new(), places: HashMap::new() };
        for link in entries.iter().enumerate().filter_map(|(at, entry)| Link::of(at, entry)) {
            match graph.place(&link.uuid) {
                Some(place) => graph.links[place] = link,
                None => {
                    graph.places.insert(link.uuid.clone(), graph.links.len());
                    graph.links.push(link);
                }
            }
        }
        graph
    }

    pub(super) fn place(&self, uuid: &Uuid) -> Option<usize> {
        self.places.get(uuid).copied()
    }

    fn parent(&self, link: usize) -> Option<usize> {
        self.place(self.links[link].parent.as_ref()?)
    }

    /// Returns the path from a link to its root, starting with the link; a cycle ends it.
    fn back(&self, from: usize) -> impl Iterator<Item = usize> {
        let (mut next, mut seen) = (Some(from), HashSet::new());
        std::iter::from_fn(move || {
            let link = next.filter(|link| seen.insert(*link))?;
            next = self.parent(link);
            Some(link)
        })
    }

    /// Returns the path from the root to a link.
    pub(super) fn way_to(&self, leaf: usize) -> Vec<usize> {
        let mut way: Vec<_> = self.back(leaf).collect();
        way.reverse();
        way
    }

    /// Returns the last message of the conversation.
    pub(super) fn leaf(&self) -> Option<usize> {
        let mut ends = self.ends(|link| !link.is_aside());
        ends.retain(|end| !self.links[*end].is_aside());
        ends.sort_unstable_by_key(|end| std::cmp::Reverse(self.links[*end].entry));
        // Skips paths that were already found to contain no message.
        let mut dead = HashSet::new();
        for end in ends {
            let mut walked = Vec::new();
            for link in self.back(end).take_while(|link| !dead.contains(link)) {
                if self.links[link].kind.is_message() {
                    return Some(link);
                }
                walked.push(link);
            }
            dead.extend(walked);
        }
        self.leaf_aside()
    }

    /// Returns the last message if every link is aside ([`Link::is_aside`]), preferring the main conversation.
    fn leaf_aside(&self) -> Option<usize> {
        // Skips links that an earlier path already covered.
        let (mut leaves, mut seen) = (Vec::new(), HashSet::new());
        for end in self.ends(|_| true) {
            for link in self.back(end) {
                if !seen.insert(link) {
                    break;
                }
                if self.links[link].kind.is_message() {
                    leaves.push(link);
                    break;
                }
            }
        }
        let main = |link: &usize| {
            let link = &self.links[*link];
            !link.sidechain && !link.team && !link.meta
        };
        let last =
            |leaves: &mut dyn Iterator<Item = usize>| leaves.max_by_key(|link| self.links[*link].entry);
        last(&mut leaves.iter().copied().filter(main)).or_else(|| last(&mut leaves.iter().copied()))
    }

    /// Returns the links that are not the parent of any link for which `counts` is true.
    fn ends(&self, counts: impl Fn(&Link) -> bool) -> Vec<usize> {
        let parents: HashSet<_> = (0..self.links.len())
            .filter(|link| counts(&self.links[*link]))
            .filter_map(|link| self.parent(link))
            .collect();
        (0..self.links.len()).filter(|link| !parents.contains(link)).collect()
    }

    /// Returns queued prompts after the end of the conversation.
    pub(super) fn trailing(&self, leaf: usize) -> Vec<usize> {
        let mut after: HashMap<usize, Vec<usize>> = HashMap::new();
        for link in (0..self.links.len()).filter(|link| !self.links[*link].kind.is_message()) {
            if let Some(parent) = self.parent(link) {
                after.entry(parent).or_default().push(link);
            }
        }
        let elsewhere = self.before_other_messages(leaf);
        let (mut trailing, mut seen, mut next) = (Vec::new(), HashSet::from([leaf]), vec![leaf]);
        while let Some(link) = next.pop() {
            if self.links[link].attaches("queued_command") && !elsewhere.contains(&link) {
                trailing.push(link);
            }
            let mut children = after.remove(&link).unwrap_or_default();
            children.retain(|child| seen.insert(*child));
            children.sort_by(|a, b| self.links[*b].timestamp.cmp(&self.links[*a].timestamp).then(b.cmp(a)));
            next.extend(children);
        }
        trailing
    }

    /// Returns the links between the conversation and messages outside of it.
    fn before_other_messages(&self, leaf: usize) -> HashSet<usize> {
        let way: HashSet<_> = self.back(leaf).collect();
        let mut between = HashSet::new();
        for (place, link) in self.links.iter().enumerate() {
            if link.kind.is_message() && !link.sidechain && !link.team && !way.contains(&place) {
                // The ancestors of a known link are already known.
                for link in self.back(place).skip(1).take_while(|link| !way.contains(link)) {
                    if !between.insert(link) {
                        break;
                    }
                }
            }
        }
        between
    }
}

impl Link {
    /// Returns whether the conversation can't end with this link.
    fn is_aside(&self) -> bool {
        self.sidechain || self.team || self.kind == Kind::Progress || self.attaches("fork_briefing")
    }
}
