//! A session with its host: the input that arrived, and the state that follows from it.

use std::{
    env,
    fs::File,
    io::Write,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    Fault,
    ask::{Answer, Callback, PendingRequest},
    frames::{self, Frames},
    host::{Host, Received},
    life,
    reply::KeptBack,
    stop::Stop,
};
use crate::fault_plan::Plan;

/// A session with its host.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) plan: Plan<Fault>,
    /// Whether the host wants stream events.
    pub(super) partial_messages: bool,
    host: Host,
    pub(super) frames: Frames,
    pub(super) kept_back: KeptBack,
    /// The callbacks that the handshake has declared for `PreToolUse`.
    pub(super) callbacks: Vec<Callback>,
    /// Our requests, until their answers are taken.
    pub(super) open: Vec<PendingRequest>,
    /// Prompts that wait, each with its id where it has one.
    prompts: Vec<Option<String>>,
    transcript: Option<File>,
    tells_state: bool,
    /// How many turns have begun.
    pub(super) turns: u64,
    /// Whether a turn was interrupted.
    pub(super) is_interrupted: bool,
    pub(super) in_turn: bool,
    pub(super) input_has_ended: bool,
    pub(super) last_was_error: bool,
}

impl Session {
    pub(super) fn new(plan: Plan<Fault>, partial_messages: bool) -> Result<Self, Stop> {
        let transcript = plan.text(Fault::Transcript).map(File::create).transpose()?;
        let tells_state = STATE_VARIABLES.iter().any(|name| env::var_os(name).is_some());
        Ok(Self {
            plan,
            partial_messages,
            host: Host::new(),
            frames: Frames::default(),
            kept_back: KeptBack::default(),
            callbacks: Vec::new(),
            open: Vec::new(),
            prompts: Vec::new(),
            transcript,
            tells_state,
            turns: 0,
            is_interrupted: false,
            in_turn: false,
            input_has_ended: false,
            last_was_error: false,
        })
    }

    /// Waits for prompts, and begins their turn. Returns `false` if the input ends first.
    ///
    /// Prompts that wait together share a turn, as in the CLI.
    pub(super) fn next_prompts(&mut self) -> Result<bool, Stop> {
        while self.prompts.is_empty() && !self.input_has_ended {
            self.listen(None)?;
        }
        let prompts = std::mem::take(&mut self.prompts);
        self.frames.prompts = prompts.iter().flatten().cloned().collect();
        Ok(!prompts.is_empty())
    }

    /// Reports the new state of the prompts of the running turn.
    pub(super) fn tell_prompts(&mut self, state: &str) -> Result<(), Stop> {
        for prompt in self.frames.prompts.clone() {
            let frame = self.frames.lifecycle(&prompt, state);
            self.say(&frame)?;
        }
        Ok(())
    }

    /// Returns the ids of the queued prompts.
    pub(super) fn queued(&self) -> Vec<&str> {
        self.prompts.iter().flatten().map(String::as_str).collect()
    }

    /// Drops a queued prompt. Returns whether there was one.
    pub(super) fn drop_prompt(&mut self, id: &str) -> Result<bool, Stop> {
        let waiting = self.prompts.len();
        self.prompts.retain(|prompt| prompt.as_deref() != Some(id));
        let dropped = self.prompts.len() < waiting;
        if dropped {
            let frame = self.frames.lifecycle(id, "cancelled");
            self.say(&frame)?;
        }
        Ok(dropped)
    }

    fn take_prompt(&mut self, line: &Value) -> Result<(), Stop> {
        let id = line["uuid"].as_str().map(str::to_owned);
        self.prompts.push(id.clone());
        let Some(id) = id else { return Ok(()) };
        if !self.in_turn {
            self.state("running")?;
        }
        let frame = self.frames.lifecycle(&id, "queued");
        self.say(&frame)
    }

    /// Handles the host's next line. Returns `false` after the time limit.
    pub(super) fn listen(&mut self, limit: Option<Duration>) -> Result<bool, Stop> {
        if self.input_has_ended {
            return Ok(false);
        }
        let line = match self.host.receive(limit)? {
            Received::Line(line) => line,
            Received::Nothing => return Ok(false),
            Received::End => {
                self.input_has_ended = true;
                self.close_questions();
                return Ok(true);
            }
        };
        match line["type"].as_str().unwrap_or_default() {
            "user" => self.take_prompt(&line)?,
            "control_request" if line["request"]["subtype"] == "initialize" => self.shake_hands(&line)?,
            "control_request" => self.reply(&line)?,
            "control_response" => self.answered(&line["response"])?,
            "control_cancel_request" => self.cancelled_by_host(&line["request_id"])?,
            // Ignored, as by the CLI.
            _ => {}
        }
        Ok(true)
    }

    fn shake_hands(&mut self, line: &Value) -> Result<(), Stop> {
        if self.plan.has(Fault::RefuseResume) {
            let errors = serde_json::json!({
                "subtype": "error_during_execution", "is_error": true, "num_turns": 0, "result": null,
                "terminal_reason": null, "errors": [format!("No conversation found with session ID: {}", frames::SESSION)],
            });
            let result = self.frames.result(errors);
            self.write_line(&result)?;
            return Err(Stop::Exit(1));
        }
        self.callbacks = Callback::declared(&line["request"]);
        life::leave_behind(&self.plan)?;
        if self.plan.has(Fault::EarlyRequest) {
            self.ask_early()?;
        }
        self.reply(line)?;
        self.leave_early()?;
        if let Some(bytes) = self.plan.number(Fault::TalkFirst) {
            let count = bytes / 1000 + 1;
            self.number_messages(count, 1000)?;
        }
        Ok(())
    }

    /// Fails between the handshake and the first prompt, if a fault asks for that.
    fn leave_early(&mut self) -> Result<(), Stop> {
        if let Some(code) = self.plan.number(Fault::ExitIdle) {
            life::complain("fatal: nothing to do\n");
            return Err(Stop::Exit(u8::try_from(code).unwrap_or(u8::MAX)));
        }
        if self.plan.has(Fault::Frozen) {
            life::linger();
            return Err(Stop::Exit(0));
        }
        if self.plan.has(Fault::CloseStdin) {
            return Err(life::close_stdin().into());
        }
        Ok(())
    }

    /// Handles the end of the input.
    pub(super) fn end(&mut self) -> Result<(), Stop> {
        if self.plan.has(Fault::Deaf) || self.plan.has(Fault::Stubborn) {
            life::linger();
        }
        if let Some(transcript) = &mut self.transcript {
            thread::sleep(STORING);
            transcript.write_all(b"the end\n")?;
        }
        if self.last_was_error { Err(Stop::Exit(1)) } else { Ok(()) }
    }

    pub(super) fn state(&mut self, state: &str) -> Result<(), Stop> {
        if self.tells_state {
            let frame = self.frames.state(state);
            self.say(&frame)?;
        }
        Ok(())
    }

    pub(super) fn say(&mut self, frame: &Value) -> Result<(), Stop> {
        self.write_line(&frame.to_string())
    }

    pub(super) fn write_line(&mut self, line: &str) -> Result<(), Stop> {
        if self.plan.has(Fault::OddEnds) {
            return self.write(format!("\u{feff}{line}\r\n\r\n \n").as_bytes());
        }
        self.write(format!("{line}\n").as_bytes())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        if let Some(transcript) = &mut self.transcript {
            transcript.write_all(bytes)?;
        }
        self.host.write(bytes)
    }

    /// Listens until a condition is true, the input has ended, or the time is over.
    pub(super) fn listen_until(
        &mut self,
        limit: Option<Duration>,
        condition: impl Fn(&Self) -> bool,
    ) -> Result<(), Stop> {
        let start = Instant::now();
        while !condition(self) && !self.input_has_ended {
            let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(());
            }
            self.listen(left)?;
        }
        Ok(())
    }

    /// Handles the answer to a request.
    fn answered(&mut self, response: &Value) -> Result<(), Stop> {
        let id = response["request_id"].as_str().unwrap_or_default();
        let waiting = |open: &&mut PendingRequest| open.id == id && matches!(open.answer, Answer::Waiting);
        if let Some(open) = self.open.iter_mut().find(waiting) {
            open.answer = Answer::Response(response.clone());
            return self.say(&frames::report(id, response));
        }
        self.say(&frames::stray(response))
    }
}

/// Each of these makes the CLI report its state.
const STATE_VARIABLES: [&str; 2] =
    ["CLAUDE_CODE_SDK_READS_SESSION_STATE", "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"];

/// How long storing a conversation takes: long enough to be cut by a signal that comes at once.
const STORING: Duration = Duration::from_secs(1);
