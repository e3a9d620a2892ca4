//! What the bench CLI says to prompts, made before the clock starts.

use std::{io, ops::Range};

use serde_json::Value;

use super::{
    Plan, Tally, Workload, Writes,
    stream::{Tags, generate},
    wire::Wire,
};

/// What is said to each prompt, and what all of it adds up to.
#[derive(Debug)]
pub(super) struct Script {
    bytes: Vec<u8>,
    /// Where the end of each line is, its newline included; made where each is a write of its own.
    ends: Vec<usize>,
    laps: Vec<Range<usize>>,
    pub(super) tally: Tally,
}

impl Script {
    pub(super) fn of(plan: Plan) -> Result<Self, serde_json::Error> {
        let mut script =
            Self { bytes: Vec::new(), ends: Vec::new(), laps: Vec::new(), tally: Tally::default() };
        match plan.workload {
            Workload::Callback(_) => {}
            Workload::Stream(writes) => {
                script.bytes = generate(Tags::First, plan.share);
                script.bytes.extend_from_slice(RESULT);
                script.laps.push(0..script.bytes.len());
                if writes == Writes::Lines {
                    script.ends = memchr::memchr_iter(b'\n', &script.bytes).map(|at| at + 1).collect();
                }
            }
        }
        for lap in script.laps.clone() {
            add_up(&script.bytes[lap], &mut script.tally)?;
        }
        add_up(RESULT, &mut script.tally)?;
        Ok(script)
    }

    /// How many turns are timed.
    pub(super) fn laps(&self) -> usize {
        self.laps.len()
    }

    /// Says all of one turn.
    pub(super) fn say(&self, lap: usize, wire: &mut Wire) -> io::Result<()> {
        let bytes = &self.bytes[self.laps[lap].clone()];
        if self.ends.is_empty() {
            return bytes.chunks(BLOCK).try_for_each(|block| wire.say(block));
        }
        let mut start = 0;
        for end in &self.ends {
            wire.say(&bytes[start..*end])?;
            start = *end;
        }
        Ok(())
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
        content(&message["message"]["content"], tally);
    }
    Ok(())
}

/// Plain text, or blocks.
fn content(content: &Value, tally: &mut Tally) {
    tally.says(content.as_str().unwrap_or_default());
    for block in content.as_array().into_iter().flatten() {
        tally.says(block["text"].as_str().unwrap_or_default());
        tally.says(block["thinking"].as_str().unwrap_or_default());
        self::content(&block["content"], tally);
    }
}

/// The end of a turn.
pub(super) const RESULT: &[u8] = b"{\"duration_api_ms\":1,\"type\":\"result\",\"duration_ms\":2,\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\",\"terminal_reason\":\"completed\",\"num_turns\":1,\"stop_reason\":\"end_turn\",\"total_cost_usd\":0.0,\"permission_denials\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1},\"modelUsage\":{},\"session_id\":\"00000000-0000-4000-8000-000000000002\",\"uuid\":\"00000000-0000-4000-8000-000000000003\"}\n";

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
            (r#"{"uuid":"u","message":{"content":[{"content":[{"text":"t"}]}]}}"#, ["u", "t"]),
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
        assert_eq!((blocks.tally, &blocks.bytes), (lines.tally, &lines.bytes));
        assert_eq!(lines.tally.messages, 64 + 2);
        assert_eq!(lines.ends.len(), 64 + 1);
    }
}
