//! The bench CLI's ends of the pipes, read and written without a buffer in between.

use std::{
    error::Error,
    fs::File,
    io::{self, Read, Write},
    os::fd::AsFd,
    time::Instant,
};

use serde_json::{Value, json};

use super::lines::Lines;

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

    /// Waits for a prompt, and answers the control requests before it; gives the time when it came.
    pub(super) fn wait_for_prompt(&mut self) -> Result<Instant, Box<dyn Error>> {
        loop {
            let (arrived, line) = self.next_line()?.ok_or("the client ended before its next prompt")?;
            let said: Value = serde_json::from_slice(line)?;
            match said["type"].as_str() {
                Some("user") => return Ok(arrived),
                Some("control_request") => self.reply(&said["request_id"])?,
                _ => return Err(format!("no prompt: {}", String::from_utf8_lossy(line)).into()),
            }
        }
    }

    /// What the handshake is answered; it does for other requests too.
    fn reply(&mut self, id: &Value) -> io::Result<()> {
        let reply = json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": id, "response": {
                "commands": [], "agents": [], "output_style": "default", "available_output_styles": [],
                "models": [], "account": {}, "pid": std::process::id(),
            },
        }});
        self.say(format!("{reply}\n").as_bytes())
    }
}
