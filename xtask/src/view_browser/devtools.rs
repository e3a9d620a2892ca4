//! Chromium over its own protocol: JSON on a pipe, each message ended by a zero byte.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::failure::{Failure, While as _};
use crate::machine;

/// A browser without a window, which ends with this value.
pub(super) struct Browser {
    child: Child,
    input: ChildStdin,
    output: Receiver<Value>,
    next: u64,
    /// What it told unasked since somebody last looked.
    events: Vec<Value>,
    /// Its profile, which goes with it.
    profile: PathBuf,
}

impl Browser {
    /// Starts it, with a new profile in `folder`.
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self, Failure> {
        let profile = folder.join(format!("profile-{}", std::process::id()));
        // Chromium reads its commands from descriptor 3 and writes to 4; a shell can put our pipes there.
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null"]).arg(program).args(ARGS);
        command.arg(format!("--user-data-dir={}", profile.display()));
        if machine::is_root() {
            command.arg("--no-sandbox");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().while_doing(|| format!("starting {}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::new("the browser has no pipes"));
        };
        let (sender, receiver) = channel();
        // Ends with the pipe, and so with the browser.
        thread::spawn(move || {
            let messages = BufReader::new(output).split(0).map_while(Result::ok);
            for message in messages.filter_map(|bytes| serde_json::from_slice(&bytes).ok()) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, input, output: receiver, next: 0, events: Vec::new(), profile })
    }

    /// Asks for something, and waits for the answer.
    pub(super) fn call(&mut self, tab: Option<&str>, method: &str, params: Value) -> Result<Value, Failure> {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(tab) = tab {
            message["sessionId"] = tab.into();
        }
        let mut bytes = serde_json::to_vec(&message)?;
        bytes.push(0);
        self.input.write_all(&bytes).while_doing(|| format!("asking Chromium for {method}"))?;
        let id = self.next;
        let answer = self.wait(method, |message| message["id"] == id)?;
        match &answer["error"] {
            Value::Null => Ok(answer["result"].clone()),
            error => Err(Failure::new(format!("Chromium refused {method}: {error}"))),
        }
    }

    /// Waits for an event of this name.
    pub(super) fn event(&mut self, name: &str) -> Result<(), Failure> {
        if self.events.iter().any(|event| event["method"] == name) {
            return Ok(());
        }
        let event = self.wait(name, |message| message["method"] == name)?;
        self.events.push(event);
        Ok(())
    }

    /// What was told since the last look.
    pub(super) fn events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }

    /// Ends it, and waits until it has ended.
    pub(super) fn close(mut self) -> Result<(), Failure> {
        self.call(None, "Browser.close", json!({}))?;
        let limit = Instant::now() + LIMIT;
        while self.child.try_wait()?.is_none() {
            if Instant::now() > limit {
                return Err(Failure::new("Chromium did not end"));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value, Failure> {
        loop {
            match self.output.recv_timeout(LIMIT) {
                Ok(message) if wanted(&message) => return Ok(message),
                Ok(message) if message["method"].is_string() => self.events.push(message),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Failure::new(format!("Chromium gave no {what} within {LIMIT:?}")));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::new(format!("Chromium ended instead of {what}")));
                }
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // After a failure; where it has ended already there is nothing to do.
        drop(self.child.kill());
        drop(self.child.wait());
        // What cannot be removed lies in the folder of products.
        drop(fs::remove_dir_all(&self.profile));
    }
}

/// Nothing of the user's, no network, no helpers that call home.
const ARGS: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
];
const LIMIT: Duration = Duration::from_secs(60);
