//! Appends entries to a file, and reads them without torn lines.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};

use crate::RawEntry;
use crate::stream::{Line, Lines};

/// Encodes a batch: a line break, which ends a torn line before it, then one line for each entry.
///
/// Refuses an entry of more than `longest` bytes, because a load would skip it.
pub(super) fn batch(entries: &[RawEntry], longest: usize) -> io::Result<Vec<u8>> {
    if let Some(entry) = entries.iter().find(|entry| entry.as_str().len() > longest) {
        let why = format!("an entry has {} bytes; the limit is {longest}", entry.as_str().len());
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    let size = entries.iter().map(|entry| entry.as_str().len() + 1).sum::<usize>();
    let mut batch = Vec::with_capacity(size + 1);
    batch.push(b'\n');
    for entry in entries {
        batch.extend_from_slice(entry.as_str().as_bytes());
        batch.push(b'\n');
    }
    Ok(batch)
}

/// Writes a batch to a file that was opened for appending.
///
/// A single system call writes it, so concurrent appends do not interleave.
/// After a partial write, such as on a full disk, other writers may append before the rest; the incomplete line is then
/// written again, on a new line.
pub(super) fn append(file: &mut impl Write, batch: &[u8]) -> io::Result<()> {
    let mut from = 0;
    let mut stuck = 0;
    while stuck < MAX_STUCK {
        let open = &batch[from..];
        match file.write(open) {
            Ok(written) if written == open.len() => return Ok(()),
            Ok(written) => {
                // Continues at the next line break, or at the break before the incomplete line; the batch starts with
                // one.
                let next = match open[written] {
                    b'\n' => written,
                    _ => open[..written].iter().rposition(|&byte| byte == b'\n').unwrap_or(0),
                };
                stuck = if next == 0 { stuck + 1 } else { 0 };
                from += next;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::WriteZero, "not even one line is written at once"))
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

/// How many consecutive writes may complete no line.
const MAX_STUCK: usize = 3;

/// The longest entry, in bytes.
pub(super) const LONGEST: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::{LONGEST, append, batch, for_each};
    use crate::RawEntry;

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

    fn ours(file: &[u8]) -> Vec<RawEntry> {
        let mut all = Vec::new();
        for_each(file, LONGEST, |entry| all.push(entry)).unwrap();
        all.retain(|entry| !entry.as_str().contains("other"));
        all
    }

    #[test]
    fn a_write_in_parts_loses_nothing_to_others() {
        let whole = batch(&entries(), LONGEST).unwrap();
        for first in 1..whole.len() {
            for second in [1, 5, 9, 17, 99] {
                let mut file = Short { sizes: vec![99, 99, second, first], file: Vec::new() };
                append(&mut file, &whole).unwrap();
                assert_eq!(
                    ours(&file.file),
                    entries(),
                    "{first} {second} {}",
                    String::from_utf8_lossy(&file.file)
                );
            }
        }
    }

    #[test]
    fn a_failed_write_is_an_error_with_its_cause() {
        let whole = batch(&entries(), LONGEST).unwrap();
        let mut full = Short { sizes: vec![12], file: Vec::new() };
        assert_eq!(append(&mut full, &whole).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(ours(&full.file), entries()[..1]);
        let mut stuck = Short { sizes: vec![1; 9], file: Vec::new() };
        assert_eq!(append(&mut stuck, &whole).unwrap_err().kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    fn torn_lines_are_passed_over() {
        let mut all = Vec::new();
        let text = b"\n{\"a\":1}\n{\"b\":\"\xc3\n\n{\"b\"\n\r\n {\"c\":1} \r\nnull\n{\"d\":";
        for_each(&text[..], LONGEST, |entry| all.push(entry)).unwrap();
        assert_eq!(all.iter().map(RawEntry::as_str).collect::<Vec<_>>(), [r#"{"a":1}"#, r#"{"c":1}"#]);
    }

    #[test]
    fn longer_entries_are_refused_and_longer_lines_skipped() {
        assert_eq!(batch(&entries(), 7).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        let (mut all, whole) = (Vec::new(), batch(&entries(), 8).unwrap());
        for_each(&whole[..], 7, |entry| all.push(entry)).unwrap();
        assert_eq!(all.iter().map(RawEntry::as_str).collect::<Vec<_>>(), [r#"{"a":1}"#, r#"{"c":3}"#]);
    }
}
