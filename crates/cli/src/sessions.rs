//! `agentwire sessions`: the sessions that the CLI has stored on this machine.

use std::path::PathBuf;

use agentwire_protocol::{SessionId, Uuid};
use agentwire_sessions::{CostMeter, Export, Page, Prices, Search, Sessions};
use serde_json::json;

use crate::{
    failure::Failure,
    output::{json, line, write},
};

/// Lists, reads and changes stored sessions
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The CLI's configuration folder; by default that of this user
    #[arg(long, global = true)]
    folder: Option<PathBuf>,
    /// Only the sessions of this project folder
    #[arg(long, global = true)]
    project: Option<PathBuf>,
    /// Print one JSON object per item
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists sessions, most recently written first
    List {
        /// At most this many
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Prints the messages of a session
    Show { session: String },
    /// Searches the messages of all sessions
    Search {
        text: String,
        /// At most this many hits
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// Counts the tokens of a session, or of all of them, by model
    Cost { session: Option<String> },
    /// Writes a session as Markdown, or as HTML
    Export {
        session: String,
        #[arg(long)]
        html: bool,
    },
    /// Copies a session, up to a message, and prints the id of the copy
    Fork {
        session: String,
        /// The id of the last message to copy
        #[arg(long)]
        up_to: Option<String>,
        #[arg(long)]
        title: Option<String>,
    },
    /// Sets the title of a session
    Rename { session: String, title: String },
    /// Deletes a session
    Delete { session: String },
}

/// Runs the action.
///
/// # Errors
///
/// If the folder can't be read, or there is no such session.
pub fn run(args: &Args) -> Result<(), Failure> {
    let sessions = match &args.folder {
        Some(folder) => Sessions::at(folder),
        None => Sessions::from_env().ok_or_else(|| Failure::new("there is no home folder: use --folder"))?,
    };
    let sessions = args.project.as_ref().map_or(sessions.clone(), |project| sessions.in_project(project));
    match &args.action {
        Action::List { limit } => list(&sessions, limit.map_or(Page::ALL, Page::first), args.json),
        Action::Show { session } => show(&sessions, session, args.json),
        Action::Search { text, limit } => search(&sessions, text, *limit, args.json),
        Action::Cost { session } => cost(&sessions, session.as_deref(), args.json),
        Action::Export { session, html } => {
            export(&sessions, session, if *html { Export::html() } else { Export::markdown() })
        }
        Action::Fork { session, up_to, title } => {
            let up_to = up_to.as_deref().map(Uuid::from);
            line(sessions.fork(&id(session), up_to.as_ref(), title.as_deref())?)
        }
        Action::Rename { session, title } => Ok(sessions.rename(&id(session), title)?),
        Action::Delete { session } => Ok(sessions.delete(&id(session))?),
    }
}

fn id(text: &str) -> SessionId {
    SessionId::from(text)
}

fn unknown(session: &str) -> Failure {
    Failure::new(format!("there is no session {session}"))
}

fn list(sessions: &Sessions, page: Page, as_json: bool) -> Result<(), Failure> {
    for info in sessions.list(page)? {
        if as_json {
            json(&info)?;
        } else {
            let summary: String =
                info.summary.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(80).collect();
            line(format_args!("{}  {summary}", info.session_id))?;
        }
    }
    Ok(())
}

fn show(sessions: &Sessions, session: &str, as_json: bool) -> Result<(), Failure> {
    if !as_json {
        return export(sessions, session, Export::markdown());
    }
    for message in sessions.messages(&id(session), Page::ALL)?.ok_or_else(|| unknown(session))? {
        json(&message)?;
    }
    Ok(())
}

fn search(sessions: &Sessions, text: &str, limit: usize, as_json: bool) -> Result<(), Failure> {
    for hit in sessions.search(&Search::new(text))?.take(limit) {
        let hit = hit?;
        if as_json {
            json(
                &json!({"session_id": hit.session_id, "role": hit.role.as_str(), "uuid": hit.uuid, "excerpt": hit.excerpt}),
            )?;
        } else {
            line(format_args!(
                "{}  {}: {}",
                hit.session_id,
                hit.role.as_str(),
                hit.excerpt.replace('\n', " ")
            ))?;
        }
    }
    Ok(())
}

fn cost(sessions: &Sessions, session: Option<&str>, as_json: bool) -> Result<(), Failure> {
    let meter = CostMeter::new(Prices::new());
    let summary = match session {
        Some(session) => sessions.cost(&id(session), meter)?.ok_or_else(|| unknown(session))?,
        None => sessions.total_cost(meter)?,
    };
    for (model, spent) in summary.by_model() {
        let tokens = spent.tokens.total();
        if as_json {
            json(&json!({"model": model, "tokens": tokens}))?;
        } else {
            line(format_args!("{model}: {tokens} tokens"))?;
        }
    }
    Ok(())
}

fn export(sessions: &Sessions, session: &str, export: Export) -> Result<(), Failure> {
    let mut text = Vec::new();
    if !sessions.export(&id(session), &export, &mut text)? {
        return Err(unknown(session));
    }
    write(&text)
}
