//! Searches a redacted session for private text that remains.

use std::fmt;

use super::{
    find::With,
    ids::{self, STABLE_DAY, STABLE_UUID},
    secrets::{Secrets, line},
    stream,
    words::{SLASHES, begins_at, paths_in, places, stray_at},
};
use crate::Transcript;

/// Private text that remains after a redaction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leftovers {
    /// The texts, each with the number of its entry in the original session, from 0.
    pub found: Vec<(usize, String)>,
}

impl std::error::Error for Leftovers {}

impl fmt::Display for Leftovers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("left after the redaction:")?;
        for (entry, text) in &self.found {
            write!(f, " {text} (entry {entry})")?;
        }
        Ok(())
    }
}

/// Finds secrets (reports only their kind), paths that have a stand-in, paths of the machine, and UUIDs and times that are
/// not the stable ones.
pub(super) fn find(session: &Transcript, paths: &[(String, String)], secrets: &Secrets) -> Option<Leftovers> {
    let mut found = Vec::new();
    for (number, finds) in secrets.find_in_lines(&session.entries) {
        found.extend(finds.into_iter().map(|find| (number, find.kind.to_string())));
    }
    for (number, entry) in session.entries.iter().enumerate() {
        let Some(line) = line(entry) else { continue };
        let text = String::from_utf8_lossy(line);
        let named = paths
            .iter()
            .filter(|(path, stands_for)| path != stands_for && places(&text, path).next().is_some());
        found.extend(named.map(|(path, _)| (number, path.clone())));
        found.extend(shapes(&text).map(|shape| (number, shape)));
    }
    for (number, (_, finds)) in stream::finds(&session.entries, |text| paths_in(text, paths)) {
        let cut = finds.into_iter().filter_map(|find| match find.with {
            With::StandIn(path) => Some((number, path)),
            _ => None,
        });
        let cut: Vec<_> = cut.filter(|cut| !found.contains(cut)).collect();
        found.extend(cut);
    }
    (!found.is_empty()).then_some(Leftovers { found })
}

fn shapes(text: &str) -> impl Iterator<Item = String> {
    let starts = text.char_indices().filter(|(_, char)| SLASHES.contains(char) || char.is_ascii_hexdigit());
    starts.filter_map(move |(at, _)| {
        let rest = &text.as_bytes()[at..];
        let within = !begins_at(text.as_bytes(), at);
        let uuid = ids::uuid_at(rest).filter(|_| !within && !rest.starts_with(STABLE_UUID.as_bytes()));
        let time = ids::time_at(rest).filter(|_| !within && !rest.starts_with(STABLE_DAY.as_bytes()));
        let length = uuid.or(time).or_else(|| stray_at(text, at))?;
        Some(text[at..at + length].to_owned())
    })
}
