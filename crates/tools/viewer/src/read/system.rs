//! System messages of the CLI: one line each, with the most important words.

use agentwire_protocol::System;

use super::Reader;
use crate::item::{Kind, Outcome};

impl Reader<'_> {
    pub(super) fn system(&mut self, system: &System) {
        let about = system.tool_use_id().map(ToString::to_string);
        match system {
            System::Unknown(unknown) => {
                let kind = format!("system/{}", system.kind());
                return self.unknown(&kind, &unknown.raw);
            }
            System::ThinkingTokens(_) if self.with_stream() => return,
            System::Init(init) => {
                self.open_turn("");
                self.facts.take_init(init);
            }
            System::TaskStarted(task) => self.agent(Some(&*task.task_id), about.as_deref()),
            _ => {}
        }
        let (note, outcome) = describe_system(system);
        let title = format!("system/{}", system.kind());
        if note.is_empty() && outcome.is_none() {
            self.repeated(Kind::System, &title, about);
            return;
        }
        let item = self.push(Kind::System, title);
        self.items[item].about = about;
        self.items[item].note = crate::escape::beginning(&note, 300).to_owned();
        self.items[item].outcome = outcome;
    }
}

/// Returns a summary of a frame, and its outcome if it reports a failure.
fn describe_system(system: &System) -> (String, Option<Outcome>) {
    let plain = |note: String| (note, None);
    match system {
        System::Init(init) => plain(format!("{} · {} tools", init.model, init.tools.len())),
        System::SessionStateChanged(news) => plain(news.state.as_str().to_owned()),
        System::Informational(news) => plain(news.content.clone()),
        System::TaskStarted(task) => plain(task.description.clone()),
        System::TaskNotification(task) => plain(task.status.as_str().to_owned()),
        System::PermissionDenied(denied) => (denied.tool_name.to_string(), Some(Outcome::bad("denied"))),
        System::ApiRetry(retry) => {
            (format!("attempt {}", retry.attempt), Some(Outcome::bad("the API failed")))
        }
        _ => plain(String::new()),
    }
}
