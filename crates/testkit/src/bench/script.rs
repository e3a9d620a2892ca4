//! What the bench CLI says to prompts, made before the clock starts.

use std::{collections::BTreeMap, io};

use serde_json::Value;

use super::{
    Plan, Tally, Workload, Writes,
    stream::{Tags, generate, huge, short},
    turn::{self, Turn},
    wire::Wire,
};

/// What is said to each prompt, and what all of it adds up to.
#[derive(Debug)]
pub(super) struct Script {
    /// The turn that is timed, again and again.
    turn: Turn,
    laps: usize,
    writes: Writes,
    pub(super) tally: Tally,
    /// How many messages of each `type`.
    pub(super) kinds: BTreeMap<String, u64>,
}

impl Script {
    pub(super) fn of(plan: Plan) -> Result<Self, serde_json::Error> {
        let (body, writes) = match plan.workload {
            Workload::Callback(..) | Workload::Start => (Vec::new(), Writes::Blocks),
            Workload::Stream(writes) => (generate(Tags::First, plan.share), writes),
            Workload::Stalled => (generate(Tags::First, plan.share), Writes::Blocks),
            Workload::Turns => (short(Tags::First), Writes::Lines),
            Workload::Huge(mebibytes) => (huge(plan.part(mebibytes << 20)), Writes::Blocks),
        };
        let (mut tally, mut kinds) = (Tally::default(), BTreeMap::new());
        let (turn, laps) = (Turn::of(&body), plan.laps());
        if laps > 0 {
            let said = said(turn.bytes())?;
            (0..laps).for_each(|_| add_up(&said, &mut tally, &mut kinds));
        }
        add_up(&said(Turn::of(b"").bytes())?, &mut tally, &mut kinds);
        Ok(Self { turn, laps, writes, tally, kinds })
    }

    /// How many turns are timed.
    pub(super) fn laps(&self) -> usize {
        self.laps
    }

    /// Says all of a turn, as the answer to the prompt of this id.
    pub(super) fn say(&mut self, prompt: &[u8; turn::ID], wire: &mut Wire) -> io::Result<()> {
        let bytes = self.turn.answer(prompt);
        match self.writes {
            Writes::Blocks => bytes.chunks(BLOCK).try_for_each(|block| wire.say(block)),
            Writes::Lines => self.turn.lines().try_for_each(|line| wire.say(line)),
        }
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
    use crate::bench::{Plan, Tally, Workload, Writes};

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
    fn both_write_sizes_say_the_same() {
        let of = |writes| Script::of(Plan { workload: Workload::Stream(writes), share: 1_000 }).unwrap();
        let (blocks, lines) = (of(Writes::Blocks), of(Writes::Lines));
        assert_eq!((blocks.tally, blocks.turn.bytes()), (lines.tally, lines.turn.bytes()));
        assert_eq!(blocks.kinds.values().sum::<u64>(), blocks.tally.messages);
        assert_eq!(blocks.kinds["result"], 2);
        let around = of(Writes::Lines).turn.lines().count() - 64;
        assert_eq!(lines.tally.messages as usize, 64 + 2 * around);
    }

    #[test]
    fn a_huge_line_has_its_length() {
        let script = Script::of(Plan::whole(Workload::Huge(1))).unwrap();
        let longest = script.turn.lines().map(<[u8]>::len).max().unwrap();
        assert!((1 << 20..(1 << 20) + (64 << 10)).contains(&longest), "{longest}");
    }
}
