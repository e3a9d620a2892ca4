//! Every recorded line and every fixture is decoded as `serde_json` reads it: the same message, or the same fault.

use std::{fs, path::Path};

use agentwire_protocol::{Message, decode::decode};

use crate::messages::fixtures;

#[test]
fn recorded_lines_are_decoded_as_serde_json_reads_them() {
    let (mut alike, mut repaired) = (0, 0);
    for line in recorded() {
        let found: Message = decode(&line).unwrap();
        let Ok(expected) = serde_json::from_str::<Message>(&line) else {
            // A lone surrogate is read on a second try.
            assert!(line.contains(r"\ud"), "{line}");
            repaired += 1;
            continue;
        };
        assert_eq!(found, expected, "{line}");
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{line}");
        alike += 1;
    }
    assert!(alike > 1000 && repaired < 10, "{alike} lines, and {repaired} with lone surrogates");
}

#[test]
fn fixtures_are_decoded_as_serde_json_reads_them() {
    for fixture in fixtures() {
        match (decode::<Message>(&fixture.text), serde_json::from_str::<Message>(&fixture.text)) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{:?}", fixture.path),
            (Err(found), Err(expected)) => {
                assert!(expected.to_string().starts_with(found.reason()), "{expected} of {:?}", fixture.path);
            }
            (found, expected) => panic!("{found:?} but {expected:?} of {:?}", fixture.path),
        }
    }
}

/// All that the CLI said in the recorded sessions, but for what is no JSON.
fn recorded() -> Vec<String> {
    let mut lines = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sessions")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "transcript") {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                let said = text.lines().filter_map(|line| line.strip_prefix("< "));
                lines.extend(said.filter(|line| line.starts_with('{')).map(str::to_owned));
            }
        }
    }
    lines
}
