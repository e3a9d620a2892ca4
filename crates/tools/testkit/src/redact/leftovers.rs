//! Searches a redacted session for private text that remains.

use std::fmt;

use super::{
    find::With,
    secrets::{Secrets, line},
    stream,
    words::{places, words_in},
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
        found.extend(words_in(&text, &[]).into_iter().map(|find| (number, text[find.range].to_owned())));
    }
    for (number, (_, finds)) in stream::finds(&session.entries, |text, _| words_in(text, paths)) {
        let cut = finds.into_iter().filter_map(|find| match find.with {
            With::Text(word) => Some((number, word)),
            _ => None,
        });
        let cut: Vec<_> = cut.filter(|cut| !found.contains(cut)).collect();
        found.extend(cut);
    }
    (!found.is_empty()).then_some(Leftovers { found })
}
