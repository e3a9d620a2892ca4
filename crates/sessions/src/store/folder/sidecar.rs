//! A session's summary in a file beside it: folded when it is asked for, from where the last one ended.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use agentwire_protocol::RawJson;
use serde::{Deserialize, Serialize};

use super::lines;
use super::place::{Place, with_ending};
use crate::{RawEntry, fold_summary};

/// The data of a session's summary, brought up to date; `None` where the file has no entry.
///
/// `path` is the file of entries without its ending, and `is` what the file system says of it.
/// The file beside it only saves work: what can't be read or written there costs time, and is no error.
pub(super) fn summary(place: &Place, path: &Path, file: File, is: &Metadata) -> io::Result<Option<RawJson>> {
    let beside = with_ending(path.to_owned(), SUMMARY);
    let kept = read(place, &beside);
    if let Some(kept) =
        kept.as_ref().filter(|kept| kept.size == is.len() && kept.modified_ns == modified_ns(is))
    {
        return Ok(kept.data.clone());
    }
    let mut file = file;
    let known =
        kept.filter(|kept| kept.folded <= is.len() && mark(&mut file, kept.folded).ok() == Some(kept.mark));
    let (mut data, from) = known.map_or((None, 0), |kept| (kept.data, kept.folded));
    file.seek(SeekFrom::Start(from))?;
    let folded = from + fold((&mut file).take(is.len().saturating_sub(from)), &mut data)?;
    let mark = mark(&mut file, folded)?;
    let kept = Kept { size: is.len(), modified_ns: modified_ns(is), folded, mark, data };
    // It is folded again next time where this fails.
    _ = write(place, path, &beside, &kept);
    Ok(kept.data)
}

/// What is kept beside a session.
#[derive(Deserialize, Serialize)]
struct Kept {
    /// The size of the file of entries, and its time in nanoseconds: while both are the same, nothing came.
    size: u64,
    modified_ns: u64,
    /// How much of the file is folded; it ends with a line.
    folded: u64,
    /// A hash of the bytes before that: another file may have come in the place of the one that was folded.
    mark: u64,
    data: Option<RawJson>,
}

/// Folds entries a few at a time; how many bytes the lines took that have ended.
///
/// A repeated entry is folded again, which changes something only where it comes after others that say otherwise.
fn fold(file: impl Read, data: &mut Option<RawJson>) -> io::Result<u64> {
    let mut waiting: Vec<RawEntry> = Vec::new();
    let mut size = 0;
    let mut fold = |waiting: &mut Vec<RawEntry>| {
        // What another program wrote into the file beside may be no object.
        let folded = fold_summary(data.as_ref(), waiting).or_else(|_| fold_summary(None, waiting));
        *data = folded.ok();
        waiting.clear();
    };
    let ended = lines::for_each(file, |entry| {
        size += entry.as_str().len();
        waiting.push(entry);
        if size > AT_ONCE {
            fold(&mut waiting);
            size = 0;
        }
    })?;
    if !waiting.is_empty() {
        fold(&mut waiting);
    }
    Ok(ended)
}

fn read(place: &Place, beside: &Path) -> Option<Kept> {
    let mut text = Vec::new();
    place.open(beside).ok()??.take(MAX_KEPT).read_to_end(&mut text).ok()?;
    agentwire_protocol::decode::decode_bytes(&text).ok()
}

/// Puts a whole file in the place of the old one; nobody ever sees a part of it.
fn write(place: &Place, path: &Path, beside: &Path, kept: &Kept) -> io::Result<()> {
    let new = with_ending(path.to_owned(), NEW_SUMMARY);
    let mut file = match place.create_new(&new) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Another writer's, or left by one that was killed.
            let age = fs::symlink_metadata(&new)?.modified()?.elapsed().unwrap_or_default();
            return if age > LEFT_BEHIND { fs::remove_file(&new) } else { Ok(()) };
        }
        file => file?,
    };
    let text = RawJson::encode(kept)?;
    let written = file.write_all(text.as_str().as_bytes()).and_then(|()| fs::rename(&new, beside));
    if written.is_err() {
        fs::remove_file(&new)?;
    }
    written
}

/// A hash of the last bytes before this place.
fn mark(file: &mut File, end: u64) -> io::Result<u64> {
    let start = end.saturating_sub(MARKED);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(end - start).read_to_end(&mut bytes)?;
    // FNV-1a, as it must be the same in all versions of this crate.
    Ok(bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
}

/// When it was last written to, in milliseconds since the Unix epoch.
pub(super) fn modified_ms(is: &Metadata) -> u64 {
    modified_ns(is) / 1_000_000
}

fn modified_ns(is: &Metadata) -> u64 {
    let modified = is.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    modified.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or_default()
}

/// The ending of the file beside, and of what is to become one.
pub(super) const SUMMARY: &str = ".summary";
pub(super) const NEW_SUMMARY: &str = ".summary-new";

/// How much is folded at once, in bytes of entries.
const AT_ONCE: usize = 1 << 20;

/// How much of the end is hashed, in bytes.
const MARKED: u64 = 256;

/// A summary is short; what is longer is none.
const MAX_KEPT: u64 = 1 << 20;

/// After so long what is to become a summary does not become one any more.
const LEFT_BEHIND: Duration = Duration::from_secs(60);
