//! Removes private text, values that change between runs, and text that we may not publish from a recorded session.
//!
//! Values are replaced in the raw text of a line; every other byte stays as it was, key order, spacing and the spelling
//! of numbers included.
//!
//! | what | becomes |
//! |---|---|
//! | secrets, in lines of both directions, stderr, arguments and comments | `<redacted-1>`, …; the same for equal secrets |
//! | the paths that [`Redactor::path`] names, also in the form in which the CLI makes folder names of them | their names |
//! | other paths below a home or a temporary folder, sockets among them | `/home/user/tmp/1`, `/home/user/tmp/2.sock`, … |
//! | UUIDs | `00000000-0000-4000-8000-000000000001`, …; the same for equal UUIDs |
//! | short ids that the CLI makes up: of agents, tasks and runs | `id0000001`, …, likewise, wherever they stand |
//! | the names of plans | `plan.md` |
//! | times of day | `2026-01-01T00:00:00.000Z`, a second more for each; the same for equal times |
//! | durations, process ids, also in the names of sockets, and ports on loopback | fixed numbers |
//! | long text, except single words such as ids and base64, that neither the script nor our side wrote, streamed or not, and every such description | `<prose>` |
//! | stderr | `<prose>`, once for each run of lines |
//!
//! Lines to the CLI have their secrets, paths, ids and times replaced, and nothing else: they are ours.
//!
//! Secrets are found in four ways:
//!
//! - by name: [`Redactor::secret`];
//! - by place: values below `env` and `headers`, details of an `account`, values of keys such as `password` and
//!   `apiKey`, and arguments behind options such as `--token`; of three characters or more;
//! - by shape, in any text, key or URL: keys and tokens of providers, web tokens, private keys, bearer tokens, user
//!   info and queries of URLs, and assignments such as `API_KEY=x` or `password: x`;
//! - as copies: a secret found by its place is also blanked everywhere else, if it has six bytes or more and is not
//!   letters or digits alone.
//!
//! Secrets are also found in JSON within strings, escaped or percent-encoded, and the pieces of a streamed block are
//! judged as one text. A number becomes `0`. A search by shape is no proof:
//! [`RedactionReport::NOT_SEARCHED`] lists the kinds of text that are not searched for.
//!
//! ```
//! use agentwire_testkit::{Redactor, Transcript};
//!
//! let session = Transcript::from_json_lines(r#"{"type":"x", "cwd":"/srv/build/a", "n":1.0}"#);
//! let session = Redactor::new().path("/srv/build", "/project").redact(&session)?;
//! assert_eq!(session.inbound().next().unwrap(), r#"{"type":"x", "cwd":"/project/a", "n":1.0}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decoded;
mod find;
mod ids;
mod json;
mod leftovers;
mod prose;
mod report;
mod rules;
mod secrets;
mod shapes;
mod stream;
mod words;

use std::{collections::BTreeSet, fmt, ops::Range, path::Path};

use bytes::Bytes;

use find::{Find, With};
pub use leftovers::Leftovers;
use prose::Prose;
pub use report::{RedactionReport, SecretKind};
use secrets::Secrets;
use words::Words;

use crate::transcript::{Argv, Entry, Transcript};

/// A redactor of recorded sessions.
#[derive(Clone, Default)]
pub struct Redactor {
    paths: Vec<(String, String)>,
    own: Vec<String>,
    secrets: Vec<String>,
}

/// Shows no secret.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Redactor");
        shown.field("paths", &self.paths).field("secrets", &self.secrets.len()).finish_non_exhaustive()
    }
}

impl Redactor {
    /// Creates a redactor without path replacements. Text that our side sent in the session counts as ours.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the replacement of a path and of everything below it.
    ///
    /// Of paths within each other, the longest counts. A slash at the end does not count; escapes of JSON are found.
    /// A path with one name, such as `/app`, is not replaced within another word, such as `src/app`.
    #[must_use]
    pub fn path(mut self, path: impl AsRef<Path>, stands_for: &str) -> Self {
        let path = path.as_ref().to_string_lossy().trim_end_matches('/').to_owned();
        let stands_for = stands_for.trim_end_matches('/');
        self.paths.push((folder_name(&path), folder_name(stands_for)));
        let mut spellings = vec![path.clone(), prose::ascii(&path), prose::ascii(&path).replace('/', r"\/")];
        // JSON may be a text within JSON, up to three levels deep: each level escapes once more.
        for at in 0..7 {
            spellings.push(prose::escape(&spellings[at]));
        }
        let spellings = BTreeSet::from_iter(spellings);
        self.paths.extend(spellings.into_iter().map(|path| (path, stands_for.to_owned())));
        self
    }

    /// Marks a text as ours: it stays in the lines of the CLI.
    ///
    /// The lines to the CLI need not be named.
    #[must_use]
    pub fn own(mut self, text: impl Into<String>) -> Self {
        self.own.push(text.into());
        self
    }

    /// Marks every text in this JSON as ours, such as a script of the model.
    #[must_use]
    pub fn own_json(mut self, json: &str) -> Self {
        self.own.extend(json::texts(json));
        self
    }

    /// Names a secret, which is blanked wherever it stands.
    ///
    /// It is also found escaped as in JSON, percent-encoded, in base64 if it has at least six bytes, and cut over the
    /// pieces of a streamed block.
    #[must_use]
    pub fn secret(mut self, text: impl Into<String>) -> Self {
        self.secrets.push(text.into());
        self
    }

    /// Returns the redacted session, and sets `redacted` in its header.
    ///
    /// # Errors
    ///
    /// [`Leftovers`] if private text remains.
    pub fn redact(&self, session: &Transcript) -> Result<Transcript, Leftovers> {
        let (session, report) = self.redact_with_report(session);
        report.leftovers.map_or(Ok(session), Err)
    }

    /// Returns the session, redacted as far as possible, and a report of the secrets found, the private text that
    /// remains, and the kinds of text not searched for.
    pub fn redact_with_report(&self, session: &Transcript) -> (Transcript, RedactionReport) {
        let mut session = session.clone();
        let mut secrets = Secrets::new(&self.secrets, &session);
        secrets.redact(&mut session);
        let mut words = Words::new(&self.paths);
        for line in session.inbound() {
            for id in rules::made_up_ids(&String::from_utf8_lossy(line)) {
                if !self.own.contains(&id) {
                    words.made_up(id);
                }
            }
        }
        session.argv = session.argv.map(|argv| Argv::new(argv.args().iter().map(|arg| words.replace(arg))));
        for (_, value) in &mut session.header.extra {
            *value = words.replace(value).into();
        }
        let mut streamed = stream::finds(&session.entries, |text, _| words::words_in(text, &self.paths));
        for (number, entry) in session.entries.iter_mut().enumerate() {
            // A cut word is first joined where it begins, so that it is replaced as in uncut text.
            on_piece(entry, streamed.remove(&number), prose::escape);
            on_text(entry, |text| words.replace(text));
        }
        let prose = self.prose(&session, &mut words);
        let mut streamed = stream::finds(&session.entries, |text, is_input| prose.find(text, is_input));
        for (number, entry) in session.entries.iter_mut().enumerate() {
            let piece = streamed.remove(&number);
            let is_piece = piece.is_some();
            on_piece(entry, piece, str::to_owned);
            match entry {
                Entry::Inbound(_) => on_text(entry, |text| rules::apply(&prose, text, is_piece)),
                // The CLI writes all of it, in no fixed order.
                Entry::Stderr(line) => *line = Bytes::from_static(prose::PROSE.as_bytes()),
                _ => {}
            }
        }
        // A header with facts is not written without a version.
        session.header.cli.get_or_insert_with(|| "unknown".into());
        let leftovers = leftovers::find(&session, &self.paths, &secrets);
        session.header.redacted = Some(leftovers.is_none());
        // After the search, which counts the entries of the original session.
        session
            .entries
            .dedup_by(|next, before| matches!((next, before), (Entry::Stderr(_), Entry::Stderr(_))));
        (session, RedactionReport { found: secrets.found(), leftovers })
    }

    /// Collects the texts that are ours: those marked as ours, and those that our side sent.
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

/// Writes the texts that begin in a piece of a streamed block, and removes the rest of earlier ones.
fn on_piece(
    entry: &mut Entry,
    piece: Option<(Range<usize>, Vec<Find<()>>)>,
    written: impl Fn(&str) -> String,
) {
    if let (Entry::Inbound(line), Some((_, finds))) = (entry, piece) {
        let new = |with, ()| if let With::Text(text) = with { written(&text) } else { String::new() };
        *line = find::replaced(line, finds, new).into();
    }
}

/// Replaces the text of a recorded line; bytes that are not text stay.
fn on_text(entry: &mut Entry, mut replace: impl FnMut(&str) -> String) {
    let Some(line) = secrets::line_mut(entry) else { return };
    let mut replaced = Vec::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        replaced.extend_from_slice(replace(chunk.valid()).as_bytes());
        replaced.extend_from_slice(chunk.invalid());
    }
    *line = Bytes::from(replaced);
}

/// Returns the folder name that the CLI makes of a path.
fn folder_name(path: &str) -> String {
    path.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect()
}
