//! A turn as bytes: its opening, its messages and its result. The id of the prompt is filled in when the prompt arrives.

use memchr::memmem;

/// Frames as recorded in `fixtures/sessions/2.1.330/quickstart`.
#[derive(Debug)]
pub(super) struct Turn {
    bytes: Vec<u8>,
    /// The places of the prompt's id.
    ids: Vec<usize>,
    /// The end of each line, including its newline.
    ends: Vec<usize>,
}

impl Turn {
    /// Creates a turn with these lines between its opening and its result.
    pub(super) fn of(body: &[u8]) -> Self {
        let bytes = [OPENING.as_bytes(), body, CLOSING.as_bytes()].concat();
        let closing = bytes.len() - CLOSING.len();
        let found =
            |from: usize, to: usize| memmem::find_iter(&bytes[from..to], NOBODY).map(move |at| from + at);
        let ids = found(0, OPENING.len()).chain(found(closing, bytes.len())).collect();
        let ends = memchr::memchr_iter(b'\n', &bytes).map(|at| at + 1).collect();
        Self { bytes, ids, ends }
    }

    /// Returns all bytes, with the last prompt's id.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Fills in the prompt's id and returns all bytes.
    pub(super) fn answer(&mut self, prompt: &[u8; ID]) -> &[u8] {
        for at in &self.ids {
            self.bytes[*at..at + ID].copy_from_slice(prompt);
        }
        &self.bytes
    }

    /// Returns the lines, each with its newline.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }

    /// Returns the bytes before the result and the result, for requests in between.
    pub(super) fn halves(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at(self.bytes.len() - CLOSING.len())
    }
}

/// The length of an id in bytes.
pub(super) const ID: usize = NOBODY.len();

/// The id of a prompt without an id.
pub(super) const NOBODY: &[u8; 36] = b"ffffffff-ffff-4fff-8fff-ffffffffffff";

const OPENING: &str = concat!(
    r#"{"type":"system","subtype":"session_state_changed","state":"running","sdk_host_only":true,"uuid":"00000000-0000-4000-8000-000000000010","session_id":"00000000-0000-4000-8000-000000000002"}"#,
    "\n",
    r#"{"type":"command_lifecycle","command_uuid":"ffffffff-ffff-4fff-8fff-ffffffffffff","state":"queued","uuid":"00000000-0000-4000-8000-000000000011","session_id":"00000000-0000-4000-8000-000000000002"}"#,
    "\n",
    r#"{"type":"command_lifecycle","command_uuid":"ffffffff-ffff-4fff-8fff-ffffffffffff","state":"started","uuid":"00000000-0000-4000-8000-000000000012","session_id":"00000000-0000-4000-8000-000000000002"}"#,
    "\n",
    include_str!("turn/init.json"),
    r#"{"type":"system","subtype":"status","status":"requesting","session_id":"00000000-0000-4000-8000-000000000002","uuid":"00000000-0000-4000-8000-000000000014","user_message_uuids":["ffffffff-ffff-4fff-8fff-ffffffffffff"]}"#,
    "\n",
);

const CLOSING: &str = include_str!("turn/result.json");
