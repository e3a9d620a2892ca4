//! A stand-in for the CLI with almost no cost of its own, for measurements of the rest.
//!
//! A turn ends at once, unless its prompt contains `tool`: then it uses the tool `Bash`, which appends a line to
//! `ran.txt` in the working directory. The tool use calls the `PreToolUse` hook, and is continued by a resumed session
//! if the hook defers it. The stored session is mirrored; nothing else of the CLI is imitated.

use std::{
    env,
    error::Error,
    fs::{self, OpenOptions},
    io::{self, StdinLock, Write as _},
    path::PathBuf,
};

use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut agent = Agent::new()?;
    while let Some(line) = agent.line()? {
        match line["type"].as_str() {
            Some("control_request") => {
                agent.reply(&line)?;
                // A tool use that was deferred is continued without a prompt.
                if line["request"]["subtype"] == "initialize"
                    && let Some(id) = agent.deferred.take()
                {
                    agent.tool(&id)?;
                }
            }
            Some("user") => agent.turn(&line)?,
            _ => {}
        }
    }
    Ok(())
}

struct Agent {
    input: io::Lines<StdinLock<'static>>,
    session: String,
    /// The path of the stored session, of which only the mirror is written.
    file: PathBuf,
    hook: Value,
    deferred: Option<String>,
    /// The number of frames and entries, for their ids.
    count: u64,
}

impl Agent {
    fn new() -> Result<Self, Box<dyn Error>> {
        let argument = |name: &str| {
            let mut arguments = env::args().skip_while(|argument| !argument.starts_with(name));
            let first = arguments.next()?;
            first.strip_prefix(name)?.strip_prefix('=').map(str::to_owned).or_else(|| arguments.next())
        };
        let projects = PathBuf::from(env::var("CLAUDE_CONFIG_DIR")?).join("projects");
        let resumed = argument("--resume");
        let session = resumed.clone().or_else(|| argument("--session-id")).ok_or("the session has no id")?;
        let name = format!("{session}.jsonl");
        let (mut file, mut deferred) = (projects.join("project").join(&name), None);
        if resumed.is_some() {
            let found = fs::read_dir(&projects)?.filter_map(Result::ok);
            let found = found.map(|project| project.path().join(&name)).find(|path| path.is_file());
            file = found.ok_or("the session is not stored")?;
            deferred = open_tool(&fs::read_to_string(&file)?)?;
        }
        let input = io::stdin().lines();
        let count = u64::from(std::process::id()) << 20;
        Ok(Self { input, session, file, hook: Value::Null, deferred, count })
    }

    fn line(&mut self) -> Result<Option<Value>, Box<dyn Error>> {
        Ok(self.input.next().transpose()?.map(|line| serde_json::from_str(&line)).transpose()?)
    }

    fn reply(&mut self, line: &Value) -> io::Result<()> {
        let request = &line["request"];
        if request["subtype"] == "initialize" {
            self.hook = request["hooks"]["PreToolUse"][0]["hookCallbackIds"][0].clone();
        }
        let response = json!({"commands": [], "agents": [], "models": [], "output_style": "default"});
        let id = &line["request_id"];
        say(&json!({
            "type": "control_response", "response": {"subtype": "success", "request_id": id, "response": response},
        }))
    }

    fn turn(&mut self, prompt: &Value) -> Result<(), Box<dyn Error>> {
        let content = &prompt["message"]["content"];
        self.mirror(json!({"type": "user", "uuid": prompt["uuid"], "message": prompt["message"]}))?;
        self.message(json!({
            "type": "system", "subtype": "init", "cwd": env::current_dir()?, "tools": ["Bash"], "mcp_servers": [],
            "model": "fake", "permissionMode": "default", "slash_commands": [], "apiKeySource": "none",
            "claude_code_version": "2.1.330", "output_style": "default", "agents": [], "skills": [], "plugins": [],
        }))?;
        if !content.to_string().contains("tool") {
            return Ok(self.done()?);
        }
        let id = format!("toolu_{}", self.next());
        let block = json!({"type": "tool_use", "id": id, "name": "Bash", "input": input()});
        self.assistant(block, "tool_use")?;
        self.tool(&id)
    }

    /// Calls the hook, and runs the tool unless the hook denies or defers it.
    fn tool(&mut self, id: &str) -> Result<(), Box<dyn Error>> {
        let request = format!("request_{}", self.next());
        let asked = json!({
            "session_id": self.session, "transcript_path": self.file, "cwd": env::current_dir()?,
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": input(), "tool_use_id": id,
        });
        say(&json!({"type": "control_request", "request_id": request, "request": {
            "subtype": "hook_callback", "callback_id": self.hook, "input": asked, "tool_use_id": id,
        }}))?;
        let decision = loop {
            let Some(line) = self.line()? else { return Ok(()) };
            match line["type"].as_str() {
                Some("control_response") if line["response"]["request_id"] == *request => {
                    let output = &line["response"]["response"]["hookSpecificOutput"];
                    break output["permissionDecision"].as_str().unwrap_or("allow").to_owned();
                }
                Some("control_request") => self.reply(&line)?,
                _ => {}
            }
        };
        let output = match decision.as_str() {
            "defer" => {
                return Ok(self.result(json!({
                    "result": "", "stop_reason": "tool_deferred", "terminal_reason": "tool_deferred",
                    "deferred_tool_use": {"id": id, "name": "Bash", "input": input()},
                }))?);
            }
            "allow" => {
                let mut file = OpenOptions::new().create(true).append(true).open("ran.txt")?;
                writeln!(file, "ran")?;
                "ran"
            }
            _ => "denied",
        };
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": output, "is_error": output == "denied"});
        let uuid = self.uuid();
        self.mirror(json!({"type": "user", "uuid": uuid, "message": {"role": "user", "content": [block]}}))?;
        Ok(self.done()?)
    }

    fn done(&mut self) -> io::Result<()> {
        self.assistant(json!({"type": "text", "text": "Done."}), "end_turn")?;
        self.result(json!({"result": "Done.", "stop_reason": "end_turn", "terminal_reason": "completed"}))
    }

    fn assistant(&mut self, block: Value, stop: &str) -> io::Result<()> {
        let message = json!({
            "id": format!("msg_{}", self.next()), "type": "message", "role": "assistant", "model": "fake",
            "content": [block], "stop_reason": stop, "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        });
        let uuid = self.uuid();
        self.mirror(json!({"type": "assistant", "uuid": uuid, "message": message}))?;
        self.message(json!({"type": "assistant", "parent_tool_use_id": null, "message": message}))
    }

    fn result(&mut self, change: Value) -> io::Result<()> {
        let mut frame = json!({
            "type": "result", "subtype": "success", "is_error": false, "duration_ms": 1, "duration_api_ms": 1,
            "num_turns": 1, "total_cost_usd": 0.0, "permission_denials": [], "modelUsage": {},
            "usage": {"input_tokens": 1, "output_tokens": 1},
        });
        if let (Some(frame), Value::Object(change)) = (frame.as_object_mut(), change) {
            frame.extend(change);
        }
        self.message(frame)
    }

    fn message(&mut self, mut frame: Value) -> io::Result<()> {
        frame["session_id"] = self.session.as_str().into();
        frame["uuid"] = self.uuid().into();
        say(&frame)
    }

    fn mirror(&mut self, mut entry: Value) -> io::Result<()> {
        entry["sessionId"] = self.session.as_str().into();
        say(&json!({"type": "transcript_mirror", "filePath": self.file, "entries": [entry]}))
    }

    fn uuid(&mut self) -> String {
        format!("00000000-0000-4000-8000-{:012x}", self.next())
    }

    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}

/// Returns the last tool use of a stored session that has no result.
fn open_tool(stored: &str) -> serde_json::Result<Option<String>> {
    let mut open = None;
    for line in stored.lines() {
        let entry: Value = serde_json::from_str(line)?;
        let block = &entry["message"]["content"][0];
        match block["type"].as_str() {
            Some("tool_use") => open = block["id"].as_str().map(str::to_owned),
            Some("tool_result") => open = None,
            _ => {}
        }
    }
    Ok(open)
}

fn input() -> Value {
    json!({"command": "echo ran >> ran.txt"})
}

fn say(frame: &Value) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{frame}")?;
    output.flush()
}
