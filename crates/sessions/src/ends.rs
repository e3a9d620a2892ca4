//! The first and the last 64 KiB of a session's file.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use crate::fields::{Field, Fields};

/// The two ends of a file.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    pub(crate) head: Vec<u8>,
    /// Empty where the head holds the whole file.
    tail: Vec<u8>,
    pub(crate) known: Known,
}

/// What is known of a file without reading it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// When it changed last, in milliseconds since 1970; 0 for what was before.
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
    /// Reads them; `None` for an empty file.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut ends = Self::default();
        Ok(ends.load(path, None)?.then_some(ends))
    }

    /// Reads them into the buffers that are there already; false for an empty file.
    ///
    /// What is known of the file need not be asked for again.
    pub(crate) fn load(&mut self, path: &Path, known: Option<Known>) -> io::Result<bool> {
        let mut file = File::open(path)?;
        self.known = known.map_or_else(|| file.metadata().map(|metadata| Known::of(&metadata)), Ok)?;
        fill(&mut self.head, &mut file)?;
        self.tail.clear();
        if self.known.size > CHUNK {
            file.seek(SeekFrom::Start(self.known.size - CHUNK))?;
            fill(&mut self.tail, &mut file)?;
        }
        Ok(!self.head.is_empty())
    }

    /// The last 64 KiB; of a shorter file, all of it.
    pub(crate) fn tail(&self) -> &[u8] {
        if self.tail.is_empty() { &self.head } else { &self.tail }
    }

    /// The first line.
    pub(crate) fn first_line(&self) -> &[u8] {
        let end = memchr::memchr(b'\n', &self.head).unwrap_or(self.head.len());
        &self.head[..end]
    }

    /// The working directory that the session tells of first.
    pub(crate) fn cwd(&self) -> Option<String> {
        Fields::of(&self.head).first(Field::Cwd)
    }
}

/// In as few reads as it takes: a vector that grows by itself asks for a little at a time.
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

/// How much is read of each end, in bytes, as the published SDKs read.
const CHUNK: u64 = 64 * 1024;
