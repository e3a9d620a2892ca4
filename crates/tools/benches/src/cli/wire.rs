//! The bench CLI's ends of the pipes, read and written without a buffer in between.

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
    /// When the block came that the lines are from.
    arrived: Instant,
}

impl Wire {
    pub(super) fn open() -> io::Result<Self> {
        let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Self { input, output, lines: Lines::new(), arrived: Instant::now() })
    }

    /// Writes it as it is.
    pub(super) fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)
    }

    /// The next line and when it came; `None` at the end.
    pub(super) fn next_line(&mut self) -> io::Result<Option<(Instant, &[u8])>> {
        // Borrowed in two steps: the checker does not follow a line out of the loop.
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

    /// Waits for a prompt, and answers the control requests before it; gives the prompt's id and the time when it came.
    pub(super) fn wait_for_prompt(&mut self) -> Result<([u8; ID], Instant), Box<dyn Error>> {
        loop {
            let (arrived, line) = self.next_line()?.ok_or("the client ended before its next prompt")?;
            let said: Said<'_> = serde_json::from_slice(line)?;
            match (&*said.kind, said.request_id) {
                ("user", _) => {
                    let id = said.uuid.and_then(|uuid| uuid.as_bytes().try_into().ok());
                    return Ok((id.unwrap_or(*NOBODY), arrived));
                }
                ("control_request", Some(id)) => {
                    let reply =
                        [HEAD, &*id, "\",\"response\":", INITIALIZE.trim_ascii_end(), "}}\n"].concat();
                    self.say(reply.as_bytes())?;
                }
                _ => return Err(format!("no prompt: {}", String::from_utf8_lossy(line)).into()),
            }
        }
    }
}

/// What a client says, as far as it is read.
#[derive(Deserialize)]
struct Said<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    request_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uuid: Option<Cow<'a, str>>,
}

const HEAD: &str = r#"{"type":"control_response","response":{"subtype":"success","request_id":""#;
/// What the handshake is answered, as recorded in `fixtures/sessions/2.1.330/quickstart`; it does for other requests too.
const INITIALIZE: &str = include_str!("turn/initialize.json");
