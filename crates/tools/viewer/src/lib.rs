#![doc = include_str!("../README.md")]

mod escape;
mod facts;
mod item;
mod nest;
mod part;
mod read;
mod timeline;
mod write;

use agentwire_testkit::Transcript;

/// Returns the page of a session, with this title.
///
/// The same transcript gives the same page, byte for byte.
/// There are times where pauses (`~`) were recorded; elsewhere bars follow the order of the lines.
/// Times, ids and paths of a redacted transcript are what the redaction made of them.
///
/// The page contains every line completely; long lines are collapsed.
/// A page has 40 KiB of its own and a few hundred bytes for each line.
/// Besides these it is about as long as its transcript, and at most some 2.5 times; text that is mostly markup takes
/// more, since HTML needs more bytes for its characters.
pub fn page(session: &Transcript, title: &str) -> String {
    write::write(session, &read::read(session), title)
}

const CSS: &str = include_str!("page.css");
const JS: &str = include_str!("page.js");
/// Nothing may be loaded, and nothing run, but the style and the script with these hashes; a test computes them.
const POLICY: &str = "default-src 'none'; style-src 'sha256-xtTDjJY/UnqgBjZDk0NVECE+5hMpGBi7TS0UedQBjhE='; script-src 'sha256-FDjRJXkk0iAfj+0QvFQBBXyVKRcij/jAdusGKYnyShA='; base-uri 'none'; form-action 'none'";
