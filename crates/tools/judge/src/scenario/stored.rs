//! Checks what the CLI stored in a run: `agentwire-sessions` must know each entry.

use std::path::Path;
use std::{fs, io};

use agentwire_sessions::RawEntry;
use agentwire_sessions::entry::{Entry, SystemEntry};

/// Returns the faults of the entries in this configuration folder.
pub(super) fn wrong(config: &Path) -> io::Result<Vec<String>> {
    let mut wrong = Vec::new();
    look(&config.join("projects"), &mut wrong)?;
    Ok(wrong)
}

fn look(folder: &Path, wrong: &mut Vec<String>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            look(&path, wrong)?;
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            // A CLI that was ended may have left half a line.
            let text = fs::read_to_string(&path)?;
            let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).enumerate();
            wrong.extend(
                lines.filter_map(|(at, line)| {
                    fault(line).map(|why| format!("stored entry {}: {why}", at + 1))
                }),
            );
        }
    }
    Ok(())
}

/// Returns the reason why the line is not known; without its text, which may contain text of the vendor.
fn fault(line: &str) -> Option<String> {
    let entry = match RawEntry::parse(line) {
        Ok(entry) => entry,
        Err(error) => return Some(error.to_string()),
    };
    let kind = entry.kind();
    let context = entry.context().err();
    match entry.typed() {
        Err(error) => Some(format!("{kind}: {error}")),
        Ok(Entry::Unknown(_)) if !OWN.contains(&kind) => Some(format!("{kind}: a new kind")),
        Ok(Entry::System(SystemEntry::Unknown(unknown))) => {
            Some(format!("system/{}: a new kind", unknown.kind.unwrap_or_default()))
        }
        Ok(_) => context.map(|error| format!("{kind}: its context: {error}")),
    }
}

/// Kinds for the CLI's internal use.
const OWN: &[&str] =
    &["api-request", "api-request-blob", "api-request-resumed", "api-request-shape", "atis-latch"];

#[cfg(test)]
mod tests {
    use std::fs;

    use super::wrong;

    #[test]
    fn stored_entry_that_is_not_known_is_found() {
        let config = tempfile::tempdir().unwrap();
        assert!(wrong(config.path()).unwrap().is_empty());
        let folder = config.path().join("projects/-a/0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11/subagents");
        fs::create_dir_all(&folder).unwrap();
        let lines = [
            r#"{"type":"ai-title","aiTitle":"A walk"}"#,
            r#"{"type":"ai-title"}"#,
            r#"{"type":"atis-latch"}"#,
            r#"{"type":"never-seen"}"#,
            r#"{"type":"mode","mode":"normal","uuid":7}"#,
            "{",
            "{ that was left",
        ];
        fs::write(folder.join("agent-a.jsonl"), lines.join("\n")).unwrap();
        let found = wrong(config.path()).unwrap();
        assert_eq!(found.len(), 4, "{found:?}");
        for (found, start) in found.iter().zip([
            "stored entry 2: ai-title: missing field `aiTitle`",
            "stored entry 4: never-seen: a new kind",
            "stored entry 5: mode: its context: ",
            "stored entry 6: ",
        ]) {
            assert!(found.starts_with(start), "{found}");
        }
    }
}
