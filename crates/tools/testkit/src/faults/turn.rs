//! A turn: the CLI's reaction to a prompt, and the ways in which it breaks off.

use serde_json::json;

use super::{Fault, life, session::Session, stop::Stop};
use crate::fault_process::become_shell;

impl Session {
    /// Runs a turn.
    pub(super) fn turn(&mut self) -> Result<(), Stop> {
        self.in_turn = true;
        self.turns += 1;
        if self.frames.prompts.is_empty() {
            self.state("running")?;
        }
        self.tell_prompts("started")?;
        let init = self.frames.init();
        self.say(&init)?;
        self.say_oddities()?;
        if let Some(count) = self.plan.number(Fault::Messages) {
            self.number_messages(count, self.plan.number(Fault::MessageBytes).unwrap_or(1000))?;
        }
        self.ask_oddly()?;
        let hooks = self.plan.number(Fault::Hooks);
        let hooks = hooks.unwrap_or_else(|| u64::from(self.plan.has(Fault::HookTimeout)));
        let questions = self.plan.number(Fault::Permission);
        let questions = questions.unwrap_or_else(|| u64::from(self.plan.has(Fault::CancelPermission)));
        self.use_tool(hooks, questions)?;
        if !self.is_interrupted {
            self.speak("hello")?;
            self.break_off()?;
        }
        if self.plan.number(Fault::HoldTurn).is_some_and(|held| self.turns <= held) {
            self.listen_until(None, |session| session.is_interrupted)?;
        }
        let outcome = if self.is_interrupted { "cancelled" } else { "completed" };
        self.finish_turn()?;
        self.tell_prompts(outcome)?;
        self.frames.prompts.clear();
        for _ in 0..self.plan.number(Fault::Background).unwrap_or(0) {
            self.go_on()?;
        }
        self.state("idle")?;
        if self.plan.has(Fault::ErrorResult) {
            return Err(Stop::Exit(1));
        }
        Ok(())
    }

    /// Sends an assistant message, with its stream events if the host wants them.
    fn speak(&mut self, text: &str) -> Result<(), Stop> {
        let partial = self.partial_messages;
        let before = [
            json!({"type": "message_start", "message": {
                "id": "msg_fault", "type": "message", "role": "assistant", "model": "fault-model", "content": [],
                "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
            }}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        ];
        let after = [
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}),
            json!({"type": "message_stop"}),
        ];
        for event in before.into_iter().filter(|_| partial) {
            let frame = self.frames.stream_event(event);
            self.say(&frame)?;
        }
        let frame = self.frames.text(text);
        self.say(&frame)?;
        for event in after.into_iter().filter(|_| partial) {
            let frame = self.frames.stream_event(event);
            self.say(&frame)?;
        }
        Ok(())
    }

    /// Ends the process in the middle of the turn, if a fault asks for that.
    fn break_off(&mut self) -> Result<(), Stop> {
        if let Some(code) = self.plan.number(Fault::Crash) {
            life::complain("fatal: out of memory\n");
            return Err(Stop::Exit(u8::try_from(code).unwrap_or(u8::MAX)));
        }
        if self.plan.has(Fault::Killed) {
            return Err(become_shell("kill -KILL $$").into());
        }
        if self.plan.has(Fault::Stopped) {
            life::stop()?;
        }
        if self.plan.has(Fault::CloseStdout) {
            return Err(life::close_stdout().into());
        }
        if self.plan.has(Fault::ExitInTurn) {
            return Err(Stop::Exit(0));
        }
        if self.plan.has(Fault::CutResult) {
            let line = self.frames.result(json!({}));
            self.write(&line.as_bytes()[..line.len() / 2])?;
            return Err(Stop::Exit(0));
        }
        Ok(())
    }

    fn finish_turn(&mut self) -> Result<(), Stop> {
        self.last_was_error = false;
        let change = if self.is_interrupted {
            self.last_was_error = true;
            json!({
                "subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_streaming",
                "errors": ["[ede_diagnostic] interrupted"], "result": null,
            })
        } else if self.plan.has(Fault::ErrorResult) {
            self.last_was_error = true;
            json!({
                "is_error": true, "terminal_reason": "api_error", "result": "API Error: out of luck",
                "api_error_status": 529,
            })
        } else if self.plan.has(Fault::BrokenResult) {
            json!({"subtype": [7]})
        } else if let Some(bytes) = self.plan.number(Fault::LongResult) {
            json!({"result": "x".repeat(usize::try_from(bytes).unwrap_or(0))})
        } else {
            json!({})
        };
        if !self.plan.has(Fault::NoResult) {
            let line = self.frames.result(change);
            self.write_line(&line)?;
        }
        self.in_turn = false;
        self.is_interrupted = false;
        Ok(())
    }

    /// Continues in the background after a result, with a result of its own.
    fn go_on(&mut self) -> Result<(), Stop> {
        let mut started = self.frames.system("task_started");
        started["task_id"] = "task_fault".into();
        started["description"] = "background".into();
        self.say(&started)?;
        self.use_tool(1, 1)?;
        let init = self.frames.init();
        self.say(&init)?;
        self.speak("from the background")?;
        self.finish_turn()
    }
}
