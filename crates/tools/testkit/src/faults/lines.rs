//! Lines that a client may stumble over.

use serde_json::json;

use super::{Fault, session::Session, stop::Stop};

impl Session {
    /// Writes the odd lines, in the order of the faults.
    pub(super) fn say_oddities(&mut self) -> Result<(), Stop> {
        if self.plan.has(Fault::StrayLine) {
            NOISE.iter().try_for_each(|line| self.write_line(line))?;
        }
        if self.plan.has(Fault::Unknown) {
            self.say_unknown()?;
        }
        if self.plan.has(Fault::Undecodable) {
            UNDECODABLE.iter().try_for_each(|line| self.write_line(line))?;
        }
        if let Some(bytes) = self.plan.number(Fault::LongLine) {
            let text = "x".repeat(usize::try_from(bytes).unwrap_or(usize::MAX));
            let frame = self.frames.text(&text);
            self.say(&frame)?;
        }
        if self.plan.has(Fault::SplitUtf8) {
            self.split_characters()?;
        }
        if self.plan.has(Fault::Surrogate) {
            let line = self.frames.text("MARK").to_string().replace("MARK", r"a\ud800b");
            self.write_line(&line)?;
        }
        if self.plan.has(Fault::BadUtf8) {
            let mut line = self.frames.text("MARK").to_string().into_bytes();
            if let Some(at) = line.windows(4).position(|word| word == b"MARK") {
                line[at] = 0xff;
            }
            line.push(b'\n');
            self.write(&line)?;
        }
        Ok(())
    }

    /// Sends numbered messages of about this many bytes each.
    pub(super) fn number_messages(&mut self, count: u64, bytes: u64) -> Result<(), Stop> {
        let filler = "x".repeat(usize::try_from(bytes).unwrap_or(usize::MAX));
        for number in 1..=count {
            let frame = self.frames.text(&format!("{number} of {count} {filler}"));
            self.say(&frame)?;
        }
        Ok(())
    }

    fn say_unknown(&mut self) -> Result<(), Stop> {
        self.write_line(r#"{"type":"from_the_future","payload":{"a":1.10}}"#)?;
        let subtype = self.frames.system("from_the_future");
        let block = self
            .frames
            .assistant(json!([{"type": "hologram", "data": [1]}, {"type": "text", "text": "known"}]));
        let event = self.frames.stream_event(json!({"type": "from_the_future", "data": [1]}));
        let state = self.frames.state("dreaming");
        let mut reason = self.frames.text("known");
        reason["message"]["stop_reason"] = "from_the_future".into();
        [subtype, block, event, state, reason].iter().try_for_each(|frame| self.say(frame))
    }

    /// Writes more three-byte characters than a pipe holds, a number that no power of two divides, and some of them in
    /// pieces.
    fn split_characters(&mut self) -> Result<(), Stop> {
        let frame = self.frames.text(&"€".repeat(100_000));
        self.say(&frame)?;
        let line = format!("{}\n", self.frames.text("äöü€😀"));
        line.as_bytes().iter().try_for_each(|byte| self.write(&[*byte]))
    }
}

const NOISE: &[&str] = &["a stray print", "[1, 2]", "\"quoted\"", "12"];

const UNDECODABLE: &[&str] = &[
    r#"{"type":"assistant"}"#,
    r#"{"type":"user","message":7}"#,
    r#"{"type":"stream_event","session_id":[7]}"#,
    r#"{"type":"assistant","message":{"cut"#,
];
