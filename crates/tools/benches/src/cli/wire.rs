//! The bench CLI's ends of the pipes, without buffers in between.

use std::{
    borrow::Cow,
    error::Error,
    fs::File,
    io::{self, Read, Write},
    os::fd::AsFd,
    time::Instant,
};

use serde::Deserialize;

use super::{
    lines::Lines,
    turn::{ID, NOBODY},
};

#[derive(Debug)]
pub(super) struct Wire {
    input: File,
    output: File,
    lines: Lines,
    /// The time of the last read.
    arrived: Instant,
}

impl Wire {
    pub(super) fn open() -> io::Result<Self> {
        let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Self { input, output, lines: Lines::default(), arrived: Instant::now() })
    }

    /// Writes all bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)
    }

    /// Returns the next line and the time at which it was read; `None` at the end of the input.
    pub(super) fn next_line(&mut self) -> io::Result<Option<(Instant, &[u8])>> {
        // In two steps, because the borrow checker does not allow returning a line out of the loop.
        while !self.lines.has_line() {
            let length = self.input.read(self.lines.room())?;
            self.arrived = Instant::now();
            if length == 0 {
                return Ok(None);
            }
            self.lines.filled(length);
        }
        Ok(self.lines.next_line().map(|line| (self.arrived, line)))
    }

    /// Waits for a prompt and answers the control requests before it. Returns the prompt's id and the time at which it
    /// was read.
    pub(super) fn wait_for_prompt(&mut self) -> Result<([u8; ID], Instant), Box<dyn Error>> {
        loop {
            let (arrived, line) = self.next_line()?.ok_or("the client ended before its next prompt")?;
            let sent: Sent<'_> = serde_json::from_slice(line)?;
            match (&*sent.kind, sent.request_id) {
                ("user", _) => {
                    let id = sent.uuid.and_then(|uuid| uuid.as_bytes().try_into().ok());
                    return Ok((id.unwrap_or(*NOBODY), arrived));
                }
                ("control_request", Some(id)) => {
                    let reply =
                        [HEAD, &*id, "\",\"response\":", INITIALIZE.trim_ascii_end(), "}}\n"].concat();
                    self.write(reply.as_bytes())?;
                }
                _ => return Err(format!("no prompt: {}", String::from_utf8_lossy(line)).into()),
            }
        }
    }
}

/// The used fields of a client's line.
#[derive(Deserialize)]
struct Sent<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    request_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uuid: Option<Cow<'a, str>>,
}

const HEAD: &str = r#"{"type":"control_response","response":{"subtype":"success","request_id":""#;
/// The reply to the handshake as recorded in `fixtures/sessions/2.1.330/quickstart`, also used for other requests.
const INITIALIZE: &str = include_str!("turn/initialize.json");
