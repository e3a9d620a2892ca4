//! The server: reads a line, answers it, and misbehaves on demand.

use std::{
    env,
    io::{self, BufRead, Write},
    process, thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::{McpFault, life};
use crate::fault_plan::Plan;

/// A server and its counters.
#[derive(Debug)]
pub(super) struct Server {
    plan: Plan<McpFault>,
    lists: u64,
    prompt_lists: u64,
    pings: u64,
    cancelled: u64,
    /// The answer of `fault` that the next `echo` repeats.
    stale: Option<Value>,
}

/// Whether the server goes on, or exits with a code.
type Next = io::Result<Option<u8>>;

impl Server {
    pub(super) fn new(plan: Plan<McpFault>) -> Self {
        Self { plan, lists: 0, prompt_lists: 0, pings: 0, cancelled: 0, stale: None }
    }

    /// Serves until the input ends, or a fault ends it; returns the exit code.
    pub(super) fn serve(mut self) -> io::Result<u8> {
        life::prepare(&self.plan)?;
        if let Some(code) = self.code(McpFault::ExitStart) {
            life::complain("ERROR: the key is missing\n");
            return Ok(code);
        }
        for line in io::stdin().lock().lines() {
            // Lines that are not JSON are skipped, as by real servers.
            let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
            if let Some(code) = self.take(&message)? {
                return Ok(code);
            }
        }
        if self.plan.has(McpFault::Deaf) {
            life::linger();
        }
        Ok(0)
    }

    fn take(&mut self, message: &Value) -> Next {
        let (method, id, params) = (&message["method"], &message["id"], &message["params"]);
        let result = match method.as_str().unwrap_or_default() {
            "notifications/cancelled" => {
                self.cancelled += 1;
                return Ok(None);
            }
            _ if id.is_null() => return Ok(None),
            "initialize" => {
                if self.plan.has(McpFault::HangStart) {
                    return Ok(None);
                }
                thread::sleep(Duration::from_millis(self.plan.number(McpFault::SlowStart).unwrap_or(0)));
                initialized(params, self.plan.has(McpFault::MuteList))
            }
            "ping" => {
                self.pings += 1;
                if self.plan.has(McpFault::NoPing) {
                    return Ok(None);
                }
                json!({})
            }
            "tools/list" => return self.list(id),
            "prompts/list" => {
                self.prompt_lists += 1;
                if self.plan.number(McpFault::MuteList).is_some_and(|first| self.prompt_lists >= first) {
                    return Ok(None);
                }
                json!({"prompts": [{"name": "greet"}]})
            }
            "tools/call" => return self.call(id, params),
            other => {
                let error = json!({"code": -32601, "message": format!("there is no method `{other}`")});
                self.say(&json!({"jsonrpc": "2.0", "id": id, "error": error}))?;
                return Ok(None);
            }
        };
        self.answer(id, result)?;
        Ok(None)
    }

    fn list(&mut self, id: &Value) -> Next {
        self.lists += 1;
        self.answer(id, tools())?;
        if self.lists > 1 && self.plan.has(McpFault::Storm) {
            self.say(&changed())?;
        }
        Ok(self.code(McpFault::ExitSoon))
    }

    fn call(&mut self, id: &Value, params: &Value) -> Next {
        match params["name"].as_str().unwrap_or_default() {
            "echo" => {
                let text = params["arguments"]["text"].as_str().unwrap_or_default();
                self.answer(id, text_result(text, false))?;
                if let Some(stale) = self.stale.take() {
                    self.say(&stale)?;
                }
                Ok(None)
            }
            "seen" => {
                let environment: Vec<String> =
                    env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
                let seen = json!({
                    "lists": self.lists, "pings": self.pings, "cancelled": self.cancelled, "environment": environment,
                    "cwd": env::current_dir()?, "pid": process::id(),
                });
                self.answer(id, text_result(&seen.to_string(), false))?;
                Ok(None)
            }
            "fault" => self.fault(id, params),
            other => {
                self.answer(id, text_result(&format!("there is no tool `{other}`"), true))?;
                Ok(None)
            }
        }
    }

    fn fault(&mut self, id: &Value, params: &Value) -> Next {
        if let Some(code) = self.code(McpFault::Die) {
            life::complain("FATAL: out of memory\n");
            return Ok(Some(code));
        }
        if self.plan.has(McpFault::Never) {
            return Ok(None);
        }
        if self.plan.has(McpFault::CloseStdout) {
            return Err(life::close_stdout());
        }
        if self.plan.has(McpFault::CloseStdin) {
            return Err(life::close_stdin());
        }
        if self.plan.has(McpFault::StopReading) {
            life::linger();
            return Ok(Some(0));
        }
        for _ in 0..self.plan.number(McpFault::Storm).unwrap_or(0) {
            self.say(&changed())?;
        }
        let token = &params["_meta"]["progressToken"];
        for step in 1..=self.plan.number(McpFault::Progress).unwrap_or(0) {
            thread::sleep(Duration::from_millis(100));
            let progress =
                json!({"progressToken": token, "progress": step, "message": format!("step {step}")});
            self.say(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}))?;
        }
        let bytes = self.plan.number(McpFault::Big).unwrap_or(0);
        let text = if bytes > 0 {
            "x".repeat(usize::try_from(bytes).unwrap_or(usize::MAX))
        } else {
            "well".to_owned()
        };
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": text_result(&text, false)});
        let line = format!("{answer}\n");
        if self.plan.has(McpFault::CutAnswer) {
            write(&line.as_bytes()[..line.len() / 2])?;
            return Ok(Some(0));
        }
        match self.plan.number(McpFault::Drip) {
            Some(millis) => line.as_bytes().iter().try_for_each(|byte| {
                thread::sleep(Duration::from_millis(millis));
                write(&[*byte])
            })?,
            None => write(line.as_bytes())?,
        }
        if self.plan.has(McpFault::Freeze) {
            life::linger();
        }
        if self.plan.has(McpFault::Twice) {
            self.say(&answer)?;
            self.stale = Some(answer);
        }
        Ok(None)
    }

    fn answer(&self, id: &Value, result: Value) -> io::Result<()> {
        for number in 0..self.plan.number(McpFault::Noise).unwrap_or(0) {
            write(format!("{}\n", NOISE[usize::try_from(number).unwrap_or(0) % NOISE.len()]).as_bytes())?;
        }
        self.say(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    fn say(&self, message: &Value) -> io::Result<()> {
        write(format!("{message}\n").as_bytes())
    }

    /// Returns the exit code of a selected fault.
    fn code(&self, fault: McpFault) -> Option<u8> {
        self.plan.number(fault).map(|code| u8::try_from(code).unwrap_or(u8::MAX))
    }
}

fn initialized(params: &Value, has_prompts: bool) -> Value {
    let mut capabilities = json!({"tools": {"listChanged": true}});
    if has_prompts {
        capabilities["prompts"] = json!({});
    }
    json!({
        "protocolVersion": params["protocolVersion"],
        "capabilities": capabilities,
        "serverInfo": {"name": "agentwire-fault-mcp", "version": env!("CARGO_PKG_VERSION")},
        "instructions": "Use `echo` for what must work.",
    })
}

fn tools() -> Value {
    let text = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let nothing = json!({"type": "object"});
    json!({"tools": [
        {"name": "echo", "description": "Says what it is given.", "inputSchema": text},
        {"name": "fault", "description": "Behaves as it was asked to.", "inputSchema": nothing},
        {"name": "seen", "description": "Says what the server has seen.", "inputSchema": nothing},
    ]})
}

fn text_result(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

fn changed() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}

const NOISE: [&str; 4] =
    ["Server running on stdio", r#"{"level":"info","msg":"ready"}"#, "[1, 2", "\u{1b}[32m>\u{1b}[0m Ünïcode"];
