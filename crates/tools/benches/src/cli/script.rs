//! The bench CLI's turns, built before the clock starts.

use std::{collections::BTreeMap, io};

use serde_json::Value;

use super::{
    Plan, Tally, Workload,
    stream::{generate, short},
    turn::{self, Turn},
    wire::Wire,
};

/// The turns of a session and their totals.
#[derive(Debug)]
pub(super) struct Script {
    /// The turn that is repeated and timed.
    turn: Turn,
    /// How many turns are timed.
    pub(super) laps: usize,
    by_lines: bool,
    pub(super) tally: Tally,
    /// The number of messages of each `type`.
    pub(super) kinds: BTreeMap<String, u64>,
}

impl Script {
    pub(super) fn of(plan: Plan) -> Result<Self, serde_json::Error> {
        let body = match plan.workload {
            Workload::Callback(_) | Workload::HookMany | Workload::Start => Vec::new(),
            Workload::Stream | Workload::Stalled => generate(plan.share),
            Workload::Turns => short(),
        };
        // Short turns are written line by line, as the CLI does; long ones in blocks of the pipe's capacity.
        let by_lines = plan.workload == Workload::Turns;
        let (mut tally, mut kinds) = (Tally::default(), BTreeMap::new());
        let (turn, laps) = (Turn::of(&body), plan.laps());
        if laps > 0 {
            let messages = messages(turn.bytes())?;
            (0..laps).for_each(|_| count(&messages, &mut tally, &mut kinds));
        }
        count(&messages(Turn::of(b"").bytes())?, &mut tally, &mut kinds);
        Ok(Self { turn, laps, by_lines, tally, kinds })
    }

    /// Writes a turn as the answer to the prompt with this id.
    pub(super) fn play(&mut self, prompt: &[u8; turn::ID], wire: &mut Wire) -> io::Result<()> {
        let bytes = self.turn.answer(prompt);
        if self.by_lines {
            return self.turn.lines().try_for_each(|line| wire.write(line));
        }
        bytes.chunks(BLOCK).try_for_each(|block| wire.write(block))
    }
}

struct Message {
    kind: String,
    /// The length of its line.
    line: usize,
    texts: Vec<String>,
}

fn count(messages: &[Message], tally: &mut Tally, kinds: &mut BTreeMap<String, u64>) {
    for Message { kind, line, texts } in messages {
        tally.message(*line);
        texts.iter().for_each(|text| tally.text(text));
        match kinds.get_mut(kind) {
            Some(count) => *count += 1,
            None => drop(kinds.insert(kind.clone(), 1)),
        }
    }
}

/// Decodes lines as trees: slow, but independent of how clients decode.
fn messages(lines: &[u8]) -> Result<Vec<Message>, serde_json::Error> {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let decode = |line: &[u8]| {
        let message: Value = serde_json::from_slice(line)?;
        let kind = message["type"].as_str().unwrap_or_default().to_owned();
        Ok(Message { kind, line: line.len(), texts: texts(&message) })
    };
    lines.map(decode).collect()
}

fn texts(message: &Value) -> Vec<String> {
    let mut texts = vec![&message["uuid"], &message["result"]];
    let delta = &message["event"]["delta"];
    texts.extend(["text", "thinking", "signature", "partial_json"].map(|field| &delta[field]));
    let content = &message["message"]["content"];
    texts.push(content);
    let mut found: Vec<String> = texts.into_iter().filter_map(Value::as_str).map(str::to_owned).collect();
    for block in content.as_array().into_iter().flatten() {
        found.extend(
            [&block["text"], &block["thinking"]].into_iter().filter_map(Value::as_str).map(str::to_owned),
        );
        if !block["content"].is_null() {
            found.push(block["content"].to_string());
        }
    }
    found
}

/// The default capacity of a pipe on Linux.
const BLOCK: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Script, count, messages};
    use crate::cli::{Plan, Tally, Workload};

    #[test]
    fn every_text_is_counted() {
        let checksum = |texts: &[&str]| {
            let mut tally = Tally::default();
            texts.iter().for_each(|text| tally.text(text));
            tally.checksum
        };
        for (line, texts) in [
            (r#"{"uuid":"u","event":{"delta":{"partial_json":"p"}}}"#, ["u", "p"]),
            (r#"{"uuid":"u","message":{"content":"plain"}}"#, ["u", "plain"]),
            (r#"{"uuid":"u","message":{"content":[{"thinking":"t"}]}}"#, ["u", "t"]),
            (r#"{"uuid":"u","message":{"content":[{"content":"a\"b"}]}}"#, ["u", r#""a\"b""#]),
            (r#"{"result":"r","uuid":"u"}"#, ["u", "r"]),
        ] {
            let mut tally = Tally::default();
            count(&messages(line.as_bytes()).unwrap(), &mut tally, &mut BTreeMap::new());
            assert_eq!((tally.checksum, tally.bytes), (checksum(&texts), line.len() as u64), "{line}");
        }
    }

    #[test]
    fn every_message_of_the_stream_is_counted() {
        let script = Script::of(Plan { workload: Workload::Stream, share: 1_000 }).unwrap();
        assert_eq!(script.kinds.values().sum::<u64>(), script.tally.messages);
        assert_eq!(script.kinds["result"], 2);
        let around = script.turn.lines().count() - 64;
        assert_eq!(script.tally.messages as usize, 64 + 2 * around);
    }
}
