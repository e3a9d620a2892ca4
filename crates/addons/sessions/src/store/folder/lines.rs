//! Encodes entries as lines, and reads them without torn lines.

use std::collections::HashSet;
use std::fs::File;
use std::io;

use crate::RawEntry;
use crate::stream::{Line, Lines};

/// Encodes batches of at most `longest` bytes: a line break, which ends a torn line before it, then one line for each
/// entry. Linux writes at most 2 GiB at once.
///
/// Refuses an entry that does not fit into a batch, because a load would skip it.
pub(super) fn batches(entries: &[RawEntry], longest: usize) -> io::Result<Vec<Vec<u8>>> {
    let mut left = entries.iter().map(|entry| entry.as_str().len() + 1).sum::<usize>();
    let (mut batches, mut batch) = (Vec::new(), Vec::new());
    for entry in entries {
        let size = entry.as_str().len() + 1;
        if 1 + size > longest {
            let why = format!("an entry has {size} bytes; the limit is {longest}");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        if batch.len() + size > longest {
            batches.push(std::mem::take(&mut batch));
        }
        if batch.is_empty() {
            batch.reserve_exact(longest.min(1 + left));
            batch.push(b'\n');
        }
        batch.extend_from_slice(entry.as_str().as_bytes());
        batch.push(b'\n');
        left -= size;
    }
    batches.push(batch);
    Ok(batches)
}

/// Returns all entries of a file, each id once.
///
/// Invalid lines are torn, by a writer that was killed or by a full disk. Their append has not succeeded, so they are
/// skipped.
pub(super) fn load(file: File) -> io::Result<Vec<RawEntry>> {
    let mut entries = Vec::new();
    let mut ids = HashSet::new();
    for_each(file, LONGEST, |entry| {
        if entry.uuid().is_none_or(|id| ids.insert(id.clone())) {
            entries.push(entry);
        }
    })?;
    Ok(entries)
}

/// Calls `take` with each entry, in order. Skips lines of more than `longest` bytes, which the store does not write.
pub(super) fn for_each(
    file: impl io::Read,
    longest: usize,
    mut take: impl FnMut(RawEntry),
) -> io::Result<()> {
    let mut lines = Lines::new(file, longest);
    while let Some(line) = lines.next()? {
        if let Line::Whole(line) = line
            && let Some(entry) = std::str::from_utf8(line).ok().and_then(|text| entry(text.trim()))
        {
            take(entry);
        }
    }
    Ok(())
}

fn entry(text: &str) -> Option<RawEntry> {
    (!text.is_empty()).then(|| RawEntry::parse(text).ok()).flatten()
}

/// The longest batch and the longest line, in bytes.
pub(super) const LONGEST: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::{LONGEST, batches, for_each};
    use crate::RawEntry;
    use crate::stream::append_lines;

    /// A writer that accepts a limited number of bytes, and appends another writer's line after each write.
    struct Short {
        sizes: Vec<usize>,
        file: Vec<u8>,
    }

    impl Write for Short {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let Some(size) = self.sizes.pop() else { return Err(io::ErrorKind::StorageFull.into()) };
            let size = size.min(bytes.len());
            self.file.extend_from_slice(&bytes[..size]);
            self.file.extend_from_slice(b"\n{\"other\":1}\n");
            Ok(size)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn entries() -> Vec<RawEntry> {
        [r#"{"a":1}"#, r#"{"b":22}"#, r#"{"c":3}"#].map(|text| RawEntry::parse(text).unwrap()).into()
    }

    /// Encodes the entries as one batch.
    fn batch() -> Vec<u8> {
        batches(&entries(), LONGEST).unwrap().concat()
    }

    fn ours(file: &[u8]) -> Vec<RawEntry> {
        let mut all = Vec::new();
        for_each(file, LONGEST, |entry| all.push(entry)).unwrap();
        all.retain(|entry| !entry.as_str().contains("other"));
        all
    }

    #[test]
    fn after_a_partial_write_a_repeated_append_is_complete() {
        let whole = batch();
        for first in 1..whole.len() {
            let mut file = Short { sizes: vec![99, 1, first], file: Vec::new() };
            assert!(append_lines(&mut file, &whole).is_err(), "{first}");
            append_lines(&mut file, &whole).unwrap();
            assert!(
                ours(&file.file).ends_with(&entries()),
                "{first} {}",
                String::from_utf8_lossy(&file.file)
            );
        }
    }

    #[test]
    fn a_failed_write_is_an_error_with_its_cause() {
        let whole = batch();
        let mut full = Short { sizes: vec![12], file: Vec::new() };
        assert_eq!(append_lines(&mut full, &whole).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(ours(&full.file), entries()[..1]);
        let mut stuck = Short { sizes: vec![1; 9], file: Vec::new() };
        assert_eq!(append_lines(&mut stuck, &whole).unwrap_err().kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    fn torn_lines_are_passed_over() {
        let mut all = Vec::new();
        let text = b"\n{\"a\":1}\n{\"b\":\"\xc3\n\n{\"b\"\n\r\n {\"c\":1} \r\nnull\n{\"d\":";
        for_each(&text[..], LONGEST, |entry| all.push(entry)).unwrap();
        assert_eq!(all.iter().map(RawEntry::as_str).collect::<Vec<_>>(), [r#"{"a":1}"#, r#"{"c":1}"#]);
    }

    #[test]
    fn longer_batches_are_split() {
        for (longest, sizes) in [(26, &[26][..]), (25, &[18, 9][..]), (17, &[9, 10, 9][..])] {
            let all = batches(&entries(), longest).unwrap();
            assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), sizes);
            assert_eq!(ours(&all.concat()), entries());
        }
    }

    #[test]
    fn longer_entries_are_refused_and_longer_lines_skipped() {
        assert_eq!(batches(&entries(), 9).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        let (mut all, whole) = (Vec::new(), batch());
        for_each(&whole[..], 7, |entry| all.push(entry)).unwrap();
        assert_eq!(all.iter().map(RawEntry::as_str).collect::<Vec<_>>(), [r#"{"a":1}"#, r#"{"c":3}"#]);
    }
}
