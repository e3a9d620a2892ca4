//! What the bench CLI says to prompts, made before the clock starts.

use std::io;

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
}

impl Script {
    pub(super) fn of(plan: Plan) -> Result<Self, serde_json::Error> {
        let (body, writes) = match plan.workload {
            Workload::Callback(_) | Workload::Start => (Vec::new(), Writes::Blocks),
            Workload::Stream(writes) => (generate(Tags::First, plan.share), writes),
            Workload::Stalled => (generate(Tags::First, plan.share), Writes::Blocks),
            Workload::Turns => (short(Tags::First), Writes::Lines),
            Workload::Huge(mebibytes) => (huge(plan.part(mebibytes << 20)), Writes::Blocks),
        };
        let mut script = Self { turn: Turn::of(&body), laps: plan.laps(), writes, tally: Tally::default() };
        for _ in 0..script.laps {
            add_up(script.turn.bytes(), &mut script.tally)?;
        }
        add_up(Turn::of(b"").bytes(), &mut script.tally)?;
        Ok(script)
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

/// Reads the lines as a tree, and adds up what they say; slow, and unlike what any client does.
fn add_up(lines: &[u8], tally: &mut Tally) -> Result<(), serde_json::Error> {
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(line)?;
        tally.message(line.len());
        tally.says(message["uuid"].as_str().unwrap_or_default());
        tally.says(message["result"].as_str().unwrap_or_default());
        let delta = &message["event"]["delta"];
        for field in ["text", "thinking", "signature", "partial_json"] {
            tally.says(delta[field].as_str().unwrap_or_default());
        }
        let content = &message["message"]["content"];
        tally.says(content.as_str().unwrap_or_default());
        for block in content.as_array().into_iter().flatten() {
            tally.says(block["text"].as_str().unwrap_or_default());
            tally.says(block["thinking"].as_str().unwrap_or_default());
            if !block["content"].is_null() {
                tally.says(&block["content"].to_string());
            }
        }
    }
    Ok(())
}

/// What a pipe holds by default on Linux.
const BLOCK: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::{Script, add_up};
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
            add_up(line.as_bytes(), &mut tally).unwrap();
            assert_eq!((tally.checksum, tally.bytes), (says(&texts), line.len() as u64), "{line}");
        }
    }

    #[test]
    fn both_write_sizes_say_the_same() {
        let of = |writes| Script::of(Plan { workload: Workload::Stream(writes), share: 1_000 }).unwrap();
        let (blocks, lines) = (of(Writes::Blocks), of(Writes::Lines));
        assert_eq!((blocks.tally, blocks.turn.bytes()), (lines.tally, lines.turn.bytes()));
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
