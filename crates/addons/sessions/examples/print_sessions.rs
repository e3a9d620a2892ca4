//! Prints the lists, infos, messages and subagents of the sessions in a configuration folder, as JSON.
//!
//! Reads the folder, projects and ids from standard input: `{"folder": …, "projects": […], "ids": […]}`.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;

use agentwire_protocol::SessionId;
use agentwire_sessions::{Page, Sessions};
use serde::Deserialize;
use serde_json::{Value, json, to_value};

#[derive(Deserialize)]
struct Wanted {
    folder: String,
    projects: Vec<String>,
    ids: Vec<SessionId>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Wanted { folder, projects, ids } = serde_json::from_reader(io::stdin())?;
    let sessions = Sessions::at(folder);
    let mut lists = BTreeMap::new();
    for project in projects {
        let sessions = sessions.in_project(&project);
        let printed = json!({"with": sessions.list(Page::ALL)?, "without": sessions.without_worktrees().list(Page::ALL)?});
        lists.insert(project, printed);
    }
    let mut printed = BTreeMap::new();
    for id in ids {
        printed.insert(id.to_string(), session(&sessions, &id)?);
    }
    let page = sessions.list(Page::first(3).after(1))?;
    let printed =
        json!({"all": sessions.list(Page::ALL)?, "page": page, "projects": lists, "sessions": printed});
    serde_json::to_writer(io::stdout(), &printed)?;
    Ok(())
}

fn session(sessions: &Sessions, id: &SessionId) -> Result<Value, Box<dyn Error>> {
    let mut subagents = BTreeMap::new();
    for agent in sessions.subagents(id)?.unwrap_or_default() {
        let messages = to_value(sessions.subagent_messages(id, &agent, Page::ALL)?)?;
        subagents.insert(agent, messages);
    }
    // `json!` panics if a message is nested too deep.
    let messages =
        |page| Ok::<_, Box<dyn Error>>(to_value(sessions.messages(id, page)?.unwrap_or_default())?);
    let (all, page) = (messages(Page::ALL)?, messages(Page::first(2).after(1))?);
    Ok(json!({"info": sessions.info(id)?, "messages": all, "page": page, "subagents": subagents}))
}
