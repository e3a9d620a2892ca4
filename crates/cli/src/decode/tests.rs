//! What `decode` prints for lines made by hand, one for each thing that can come of a line.

use serde_json::{Value, json};

use super::decode;

const SESSION: &str = include_str!("session.transcript");

/// Returns the verdicts.
fn decoded(input: impl AsRef<[u8]>) -> Vec<String> {
    let mut verdicts = Vec::new();
    let done = decode(input.as_ref(), |verdict| {
        verdicts.push(serde_json::to_string(verdict)?);
        Ok(())
    });
    assert_ne!(done.err().map(|failure| failure.code()), Some(2));
    verdicts
}

/// Known and unknown kinds and fields at every level, parts kept as text, and lines that do not fit.
#[test]
fn verdicts_of_lines_are_as_in_the_snapshot() {
    let lines = include_str!("lines.jsonl").lines();
    let pairs = lines.map(|line| format!("{line}\n{}\n", decoded(line).join("\n")));
    insta::assert_snapshot!(pairs.collect::<Vec<_>>().join("\n"));
}

#[test]
fn both_sides_of_a_transcript_are_read() {
    let verdicts = decoded(SESSION);
    insta::assert_snapshot!(verdicts.join("\n"));
    // The same as JSON lines, without the senders.
    let lines: Vec<&str> = SESSION.lines().filter_map(|line| line.strip_prefix(['<', '>'])).collect();
    assert_eq!(decoded(lines.join("\n")), verdicts);
}

#[test]
fn noise_stops_nothing() {
    let found = decoded(b"a stray print\n\n[1]\n{\"type\":\xff}\n{\"type\":\"keep_alive\"}");
    let found: Vec<Value> = found.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&Value> = found.iter().map(|verdict| &verdict["kind"]).collect();
    assert_eq!(kinds, [&Value::Null, &Value::Null, &Value::Null, &Value::Null, &json!("keep_alive")]);
    for noise in &found[..4] {
        assert!(noise["undecodable"].as_str().unwrap().contains(" at line 1 column "), "{noise}");
        assert_eq!((&noise["known"], &noise["lossless"]), (&json!(false), &json!(true)));
    }
    assert_eq!(decode(&b"a stray print"[..], |_| Ok(())).unwrap_err().code(), 1);
    assert!(decode(&br#"{"type":"keep_alive"}"#[..], |_| Ok(())).is_ok());
}

#[test]
fn transcript_that_does_not_follow_the_format_fails() {
    for (transcript, why) in [
        ("# agentwire-transcript 2\n@ {\"type\":\"keep_alive\"}\n", "format version 2 is newer than 1"),
        ("# agentwire-transcript 1\n<{\"type\":\"keep_alive\"}\n", "line 2 does not follow the format"),
        ("# agentwire-transcript 1\n! x\n{\"type\":\"keep_alive\"}\n", "line 3 does not follow the format"),
    ] {
        let failure = decode(transcript.as_bytes(), |_| Ok(())).unwrap_err();
        assert!(failure.to_string().contains(why), "{failure}");
    }
    assert!(decode(&b"# agentwire-transcript 1.1\n<x\n@ y\n"[..], |_| Ok(())).is_ok());
}
