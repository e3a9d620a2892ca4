//! The first and the last 64 KiB of a session's file.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use memchr::memmem;
use serde_json::Value;

use crate::fields::{Field, Fields};

/// The first and the last part of a file.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    pub(crate) head: Vec<u8>,
    /// Empty if the head contains the whole file.
    tail: Vec<u8>,
    pub(crate) known: Known,
}

/// File metadata.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// The modification time in milliseconds since the Unix epoch; 0 before it.
    pub(crate) modified_ms: u64,
    pub(crate) size: u64,
}

impl Known {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let since =
            metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        Self { modified_ms: since.map_or(0, |since| since.as_millis() as u64), size: metadata.len() }
    }
}

impl Ends {
    /// Reads the ends of a file; returns `None` for an empty file.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut ends = Self::default();
        Ok(ends.load(path, Known::of(&fs::metadata(path)?))?.then_some(ends))
    }

    /// Reads the ends of a file into the existing buffers; returns `false` for an empty file.
    pub(crate) fn load(&mut self, path: &Path, known: Known) -> io::Result<bool> {
        let mut file = File::open(path)?;
        self.known = known;
        fill(&mut self.head, &mut file)?;
        self.tail.clear();
        if self.known.size > CHUNK {
            file.seek(SeekFrom::Start(self.known.size - CHUNK))?;
            fill(&mut self.tail, &mut file)?;
        }
        Ok(!self.head.is_empty())
    }

    /// Returns the last 64 KiB, or a shorter file as a whole.
    pub(crate) fn tail(&self) -> &[u8] {
        if self.tail.is_empty() { &self.head } else { &self.tail }
    }

    /// Returns whether the file is longer than the head.
    pub(crate) fn is_cut(&self) -> bool {
        !self.tail.is_empty()
    }

    /// Returns the first line.
    pub(crate) fn first_line(&self) -> &[u8] {
        let end = memchr::memchr(b'\n', &self.head).unwrap_or(self.head.len());
        &self.head[..end]
    }

    /// Returns the session's working directory: the one to which the CLI has moved it, or the first one.
    pub(crate) fn cwd(&self) -> Option<String> {
        self.relocated().or_else(|| Fields::of(&self.head).first(Field::Cwd))
    }

    /// Returns the directory to which the CLI has moved the session, such as a worktree.
    pub(crate) fn relocated(&self) -> Option<String> {
        // Most sessions were not moved, so their lines need not be searched.
        memmem::find(self.tail(), RELOCATED)?;
        self.tail().rsplit(|&byte| byte == b'\n').find_map(|line| {
            memmem::find(line, RELOCATED)?;
            let entry: Value = agentwire_protocol::decode::decode(&String::from_utf8_lossy(line)).ok()?;
            let cwd = entry["relocatedCwd"].as_str().filter(|cwd| !cwd.is_empty())?;
            (entry["type"] == "relocated").then(|| cwd.to_owned())
        })
    }
}

/// Reads with few calls: `read_to_end` starts with small reads.
fn fill(buffer: &mut Vec<u8>, file: &mut File) -> io::Result<()> {
    buffer.resize(CHUNK as usize, 0);
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(())
}

const RELOCATED: &[u8] = br#""type":"relocated""#;

/// How many bytes of each end are read, as in the reference SDKs.
const CHUNK: u64 = 64 * 1024;
