//! A recorded session as a host plays it: what to ask, and what must come of it.

use std::{error::Error, fs, path::Path};

use agentwire_testkit::{Entry, Transcript};
use serde_json::Value;

/// A recorded session in which the host only asks.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recording {
    /// Its name among the fixtures.
    pub name: &'static str,
    /// All of it.
    pub transcript: Transcript,
    /// The line of the host's that begins it: its handshake.
    pub handshake: Vec<u8>,
    /// What the host asked, and what came of it.
    pub turns: Vec<Asked>,
    /// The messages of the CLI's up to the last result.
    pub messages: usize,
}

/// A prompt, and the text of the result that answers it.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a pair of texts")]
pub struct Asked {
    /// What was asked.
    pub prompt: String,
    /// The result's text.
    pub answer: String,
}

impl Recording {
    /// All that are played, one after the other by the sessions' numbers.
    ///
    /// # Errors
    ///
    /// When one can't be read, or is not a session of prompts and results alone.
    pub fn all() -> Result<Vec<Self>, Box<dyn Error>> {
        NAMES.iter().map(|name| Self::read(name)).collect()
    }

    fn read(name: &'static str) -> Result<Self, Box<dyn Error>> {
        let path = format!("{}/../fixtures/sessions/{VERSION}/{name}.transcript", env!("CARGO_MANIFEST_DIR"));
        let transcript = Transcript::parse(fs::read(Path::new(&path))?)?;
        let mut handshake = None;
        let mut turns: Vec<Asked> = Vec::new();
        let (mut messages, mut until_result) = (0, 0);
        for entry in &transcript.entries {
            match entry {
                Entry::Outbound(line) if handshake.is_none() => handshake = Some([line, &b"\n"[..]].concat()),
                Entry::Outbound(line) => turns.push(Asked { prompt: prompt(line)?, answer: String::new() }),
                Entry::Inbound(line) => {
                    let line: Value = serde_json::from_slice(line)?;
                    messages += usize::from(line["type"] != "control_response");
                    if let (true, Some(turn)) = (line["type"] == "result", turns.last_mut()) {
                        turn.answer = line["result"].as_str().ok_or("a result without a text")?.to_owned();
                        until_result = messages;
                    }
                }
                _ => {}
            }
        }
        let handshake = handshake.ok_or("a recording without a handshake")?;
        Ok(Self { name, transcript, handshake, turns, messages: until_result })
    }
}

fn prompt(line: &[u8]) -> Result<String, Box<dyn Error>> {
    let line: Value = serde_json::from_slice(line)?;
    let prompt = line["message"]["content"].as_str().ok_or("the host does more than ask")?;
    Ok(prompt.to_owned())
}

const VERSION: &str = "2.1.330";
/// One turn, two turns, a tool, and a turn in pieces.
const NAMES: &[&str] =
    &["one-shot-text", "two-turns", "tools-auto-allowed", "partial-messages-with-thinking"];

#[cfg(test)]
mod tests {
    use super::Recording;

    #[test]
    fn each_recording_has_prompts_with_answers() {
        for recording in Recording::all().unwrap() {
            assert!(recording.turns.iter().all(|turn| !turn.prompt.is_empty() && !turn.answer.is_empty()));
            assert!(recording.messages > recording.turns.len(), "{}", recording.name);
        }
    }
}
