//! Writes frames, with ids and texts from a generator of fixed seed.

use std::fmt::Write as _;

use super::words::WORDS;

/// The written part of a stream.
#[derive(Debug)]
pub(super) struct Pen {
    out: String,
    pub(super) lines: usize,
    state: u64,
    session: String,
    answer: String,
    tool_use: String,
}

impl Pen {
    pub(super) fn new() -> Self {
        let mut pen = Self {
            out: String::new(),
            lines: 0,
            state: SEED,
            session: String::new(),
            answer: String::new(),
            tool_use: String::new(),
        };
        pen.session = pen.uuid();
        pen
    }

    /// Returns the first `lines` lines.
    pub(super) fn finish(self, lines: usize) -> Vec<u8> {
        let mut bytes = self.out.into_bytes();
        let end = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').nth(lines - 1);
        let end = end.map_or(bytes.len(), |(at, _)| at + 1);
        bytes.truncate(end);
        bytes
    }

    /// Generates ids for the next answer and its tool use.
    pub(super) fn next_answer(&mut self) {
        self.answer = format!("msg_01{}", self.digits(22));
        self.tool_use = format!("toolu_01{}", self.digits(22));
    }

    /// Returns the id of the answer's tool use as JSON.
    pub(super) fn tool_use_id(&self) -> String {
        string(&self.tool_use)
    }

    /// Returns the id of the answer as JSON.
    pub(super) fn answer_id(&self) -> String {
        string(&self.answer)
    }

    /// Returns an object of the Messages API.
    pub(super) fn object(&self, kind: &str, fields: &[(&str, &str)]) -> String {
        let kind = string(kind);
        let mut fields = fields.to_vec();
        fields.insert(0, ("type", &kind));
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!(r#""{name}":{value}"#)).collect();
        format!("{{{}}}", fields.join(","))
    }

    /// Writes a `stream_event` with `more` fields of the frame.
    pub(super) fn event(&mut self, kind: &str, fields: &[(&str, &str)], more: &str) {
        let event = self.object(kind, fields);
        let (uuid, Self { session, answer, .. }) = (self.uuid(), &*self);
        let line = format!(
            r#"{{"type":"stream_event","event":{event},"session_id":"{session}","parent_tool_use_id":null,"uuid":"{uuid}"{more},"api_message_id":"{answer}"}}"#
        );
        self.line(&line);
    }

    /// Writes an `assistant` with one block.
    pub(super) fn assistant(&mut self, block: &str) {
        let id = self.answer_id();
        let message = self.object(
            "message",
            &[
                ("id", &id),
                ("role", r#""assistant""#),
                ("model", super::MODEL),
                ("content", &format!("[{block}]")),
                ("stop_reason", "null"),
                ("stop_sequence", "null"),
                ("usage", super::USAGE),
            ],
        );
        let request = self.digits(24);
        let fields = format!(
            r#""message":{message},"parent_tool_use_id":null,"timestamp":"2026-01-01T00:00:00.000Z","request_id":"req_{request}""#
        );
        self.frame("assistant", &fields);
    }

    /// Writes a `user` with one block and the tool's own result.
    pub(super) fn user(&mut self, block: &str, result: &str) {
        let fields = format!(
            r#""message":{{"role":"user","content":[{block}]}},"parent_tool_use_id":null,"timestamp":"2026-01-01T00:00:00.000Z","tool_use_result":{result}"#
        );
        self.frame("user", &fields);
    }

    /// Writes a frame with its session and id after its fields.
    pub(super) fn frame(&mut self, kind: &str, fields: &str) {
        let (uuid, session) = (self.uuid(), &self.session);
        let line = format!(r#"{{"type":"{kind}",{fields},"session_id":"{session}","uuid":"{uuid}"}}"#);
        self.line(&line);
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
        self.lines += 1;
    }

    /// Returns words of up to about `most` bytes.
    pub(super) fn words(&mut self, most: u64) -> String {
        let length = self.below(most) as usize;
        let mut text = String::new();
        while text.len() <= length {
            text.push(' ');
            let word = self.below(WORDS.len() as u64) as usize;
            text.push_str(WORDS[word]);
        }
        text
    }

    /// Returns random digits and letters, as in ids.
    pub(super) fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(DIGITS[self.below(DIGITS.len() as u64) as usize])).collect()
    }

    fn uuid(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xFFFF,
            high & 0xFFF,
            low >> 48,
            low & 0xFFFF_FFFF_FFFF
        );
        text
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns the next number of the generator SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

/// Returns a text as JSON.
pub(super) fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

const SEED: u64 = 1;
const DIGITS: &[u8] = b"0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
