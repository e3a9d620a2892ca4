//! What the bench CLI says to prompts, made before the clock starts.

use std::{collections::BTreeMap, io};

use serde_json::Value;

use super::{
    Plan, Tally, Workload,
    stream::{Tags, generate, short},
    turn::{self, Turn},
    wire::Wire,
};

/// What is said to each prompt, and what all of it adds up to.
#[derive(Debug)]
pub(super) struct Script {
    /// The turn that is timed, again and again.
    turn: Turn,
    laps: usize,
    by_lines: bool,
    pub(super) tally: Tally,
    /// How many messages of each `type`.
    pub(super) kinds: BTreeMap<String, u64>,
}

impl Script {
    pub(super) fn of(plan: Plan) -> Result<Self, serde_json::Error> {
        let body = match plan.workload {
            Workload::Callback(_) | Workload::HookMany | Workload::Start => Vec::new(),
            Workload::Stream | Workload::Stalled => generate(Tags::First, plan.share),
            Workload::Turns => short(Tags::First),
        };
        // Short turns are written as the CLI writes them, a line at a time; a long one as fast as the pipe takes it.
        let by_lines = plan.workload == Workload::Turns;
        let (mut tally, mut kinds) = (Tally::default(), BTreeMap::new());
        let (turn, laps) = (Turn::of(&body), plan.laps());
        if laps > 0 {
            let said = said(turn.bytes())?;
            (0..laps).for_each(|_| add_up(&said, &mut tally, &mut kinds));
        }
        add_up(&said(Turn::of(b"").bytes())?, &mut tally, &mut kinds);
        Ok(Self { turn, laps, by_lines, tally, kinds })
    }

    /// How many turns are timed.
    pub(super) fn laps(&self) -> usize {
        self.laps
    }

    /// Says all of a turn, as the answer to the prompt of this id.
    pub(super) fn say(&mut self, prompt: &[u8; turn::ID], wire: &mut Wire) -> io::Result<()> {
        let bytes = self.turn.answer(prompt);
        if self.by_lines {
            return self.turn.lines().try_for_each(|line| wire.say(line));
        }
        bytes.chunks(BLOCK).try_for_each(|block| wire.say(block))
    }
}

/// What a line is.
struct Said {
    kind: String,
    /// Its length.
    line: usize,
    texts: Vec<String>,
}

fn add_up(said: &[Said], tally: &mut Tally, kinds: &mut BTreeMap<String, u64>) {
    for Said { kind, line, texts } in said {
        tally.message(*line);
        texts.iter().for_each(|text| tally.says(text));
        match kinds.get_mut(kind) {
            Some(count) => *count += 1,
            None => drop(kinds.insert(kind.clone(), 1)),
        }
    }
}

/// Reads lines as trees: slow, and unlike what any client does.
fn said(lines: &[u8]) -> Result<Vec<Said>, serde_json::Error> {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let said = |line: &[u8]| {
        let message: Value = serde_json::from_slice(line)?;
        let kind = message["type"].as_str().unwrap_or_default().to_owned();
        Ok(Said { kind, line: line.len(), texts: texts(&message) })
    };
    lines.map(said).collect()
}

fn texts(message: &Value) -> Vec<String> {
    let mut texts = vec![&message["uuid"], &message["result"]];
    let delta = &message["event"]["delta"];
    texts.extend(["text", "thinking", "signature", "partial_json"].map(|field| &delta[field]));
    let content = &message["message"]["content"];
    texts.push(content);
    let mut said: Vec<String> = texts.into_iter().filter_map(Value::as_str).map(str::to_owned).collect();
    for block in content.as_array().into_iter().flatten() {
        said.extend(
            [&block["text"], &block["thinking"]].into_iter().filter_map(Value::as_str).map(str::to_owned),
        );
        if !block["content"].is_null() {
            said.push(block["content"].to_string());
        }
    }
    said
}

/// What a pipe holds by default on Linux.
const BLOCK: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Script, add_up, said};
    use crate::cli::{Plan, Tally, Workload};

    #[test]
    fn every_text_is_added_up() {
        let says = |texts: &[&str]| {
            let mut tally = Tally::default();
            texts.iter().for_each(|text| tally.says(text));
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
            add_up(&said(line.as_bytes()).unwrap(), &mut tally, &mut BTreeMap::new());
            assert_eq!((tally.checksum, tally.bytes), (says(&texts), line.len() as u64), "{line}");
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
