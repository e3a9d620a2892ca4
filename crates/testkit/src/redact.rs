//! Takes out of a recorded session what is private, what changes from run to run, and what is not ours to publish.
//!
//! Values are replaced in the raw text of a line; every other byte stays as it was, key order, spacing and the spelling
//! of numbers included.
//!
//! | what | becomes |
//! |---|---|
//! | the paths that [`Redactor::path`] names, also in the form in which the CLI makes folder names of them | what they stand for |
//! | other paths below a home or a temporary folder, sockets among them | `/home/user/tmp/1`, `/home/user/tmp/2.sock`, … |
//! | UUIDs | `00000000-0000-4000-8000-000000000001`, …; the same one for the same one |
//! | short ids that the CLI makes up: of agents, tasks and runs | `id0000001`, …, likewise, wherever they stand |
//! | the names of plans | `plan.md` |
//! | times of day | `2026-01-01T00:00:00.000Z`, a second more for each |
//! | durations, process ids, also in the names of sockets, and ports on loopback | fixed numbers |
//! | long text that neither the script nor our side wrote, and every such description | `<prose>` |
//! | stderr | `<prose>`, once for each run of lines |
//!
//! Lines to the CLI have their paths, ids and times replaced, and nothing else: they are ours.
//!
//! ```
//! use agentwire_testkit::{Redactor, Transcript};
//!
//! let session = Transcript::from_json_lines(r#"{"type":"x", "cwd":"/srv/build/a", "n":1.0}"#);
//! let session = Redactor::new().path("/srv/build", "/project").redact(&session)?;
//! assert_eq!(session.inbound().next().unwrap(), r#"{"type":"x", "cwd":"/project/a", "n":1.0}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ids;
mod json;
mod leftovers;
mod prose;
mod rules;
mod words;

use std::path::Path;

use bytes::Bytes;

pub use leftovers::Leftovers;
use prose::Prose;
use words::Words;

use crate::{Argv, Entry, Transcript};

/// What to take out, and what to keep.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    paths: Vec<(String, String)>,
    own: Vec<String>,
}

impl Redactor {
    /// Knows no path, and no text as ours but what the session itself shows to be.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says what a path, and everything below it, is to be called.
    ///
    /// Of paths within each other, the longest counts.
    #[must_use]
    pub fn path(mut self, path: impl AsRef<Path>, stands_for: &str) -> Self {
        let path = path.as_ref().to_string_lossy().into_owned();
        self.paths.push((folder_name(&path), folder_name(stands_for)));
        self.paths.push((path, stands_for.to_owned()));
        self
    }

    /// Says that a text is ours: where it stands in a line of the CLI's, it stays.
    ///
    /// The lines to the CLI need not be named.
    #[must_use]
    pub fn own(mut self, text: impl Into<String>) -> Self {
        self.own.push(text.into());
        self
    }

    /// Says that every text in this JSON is ours, such as a script of the model.
    #[must_use]
    pub fn own_json(mut self, json: &str) -> Self {
        self.own.extend(json::texts(json));
        self
    }

    /// The redacted session, with its header saying so.
    ///
    /// # Errors
    ///
    /// [`Leftovers`] where something private is left.
    pub fn redact(&self, session: &Transcript) -> Result<Transcript, Leftovers> {
        match self.redact_as_far_as_possible(session) {
            (session, None) => Ok(session),
            (_, Some(leftovers)) => Err(leftovers),
        }
    }

    /// The redacted session, and what is left in it.
    pub fn redact_as_far_as_possible(&self, session: &Transcript) -> (Transcript, Option<Leftovers>) {
        let mut words = Words::new(&self.paths);
        for line in session.inbound() {
            for id in rules::made_up_ids(&String::from_utf8_lossy(line)) {
                if !self.own.contains(&id) {
                    words.made_up(id);
                }
            }
        }
        let mut session = session.clone();
        session.argv = session.argv.map(|argv| Argv::new(argv.args().iter().map(|arg| words.replace(arg))));
        for entry in &mut session.entries {
            on_text(entry, |text| words.replace(text));
        }
        let prose = self.prose(&session, &mut words);
        let rules = rules::Rules::new(&prose);
        for entry in &mut session.entries {
            if matches!(entry, Entry::Inbound(_)) {
                on_text(entry, |text| rules.apply(text));
            }
        }
        stderr_to_prose(&mut session.entries);
        session.header.redacted = Some(true);
        let leftovers = leftovers::find(&session, &self.paths);
        (session, leftovers)
    }

    /// What is ours: what was said to be, and what our side wrote.
    fn prose(&self, session: &Transcript, words: &mut Words<'_>) -> Prose {
        let mut prose = Prose::default();
        for own in &self.own {
            prose.add(&words.replace(own));
        }
        for line in session.outbound() {
            for text in json::texts(&String::from_utf8_lossy(line)) {
                prose.add(&text);
            }
        }
        prose
    }
}

/// Replaces the text of a recorded line; bytes that are no text stay.
fn on_text(entry: &mut Entry, mut replace: impl FnMut(&str) -> String) {
    let (Entry::Outbound(line) | Entry::Inbound(line) | Entry::Stderr(line)) = entry else { return };
    let mut replaced = Vec::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        replaced.extend_from_slice(replace(chunk.valid()).as_bytes());
        replaced.extend_from_slice(chunk.invalid());
    }
    *line = Bytes::from(replaced);
}

/// What the CLI writes to stderr is all its own, and its lines come as they please.
fn stderr_to_prose(entries: &mut Vec<Entry>) {
    entries.dedup_by(|next, before| matches!((next, before), (Entry::Stderr(_), Entry::Stderr(_))));
    for entry in entries {
        if let Entry::Stderr(line) = entry {
            *line = Bytes::from_static(prose::PROSE.as_bytes());
        }
    }
}

/// How the CLI makes the name of a folder of a path.
fn folder_name(path: &str) -> String {
    path.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect()
}
