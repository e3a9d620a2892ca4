//! `agentwire sessions`: the sessions that the CLI has stored on this machine, and those of a store.

mod import;
mod place;
mod prices;
mod print;
mod url;

use std::path::{Path, PathBuf};

use agentwire_protocol::{SessionId, Uuid};
use agentwire_sessions::{Export, Page, Search, Sessions, project_key};
use serde_json::json;

use crate::failure::Failure;
use crate::output;
use place::Place;

/// List, read and change stored sessions
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The CLI's configuration folder; CLAUDE_CONFIG_DIR or ~/.claude by default
    #[arg(long, global = true, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Only the sessions of this project folder
    #[arg(long, global = true, value_name = "FOLDER")]
    project: Option<PathBuf>,
    /// The sessions of a store: file://FOLDER, redis://…, postgres://… or s3://BUCKET/PREFIX
    ///
    /// They are those of the project folder; of the current folder by default.
    #[arg(long, global = true, value_name = "URL")]
    store: Option<String>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List sessions, most recently written first
    List {
        /// At most this many
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Print the messages of a session, from its last compaction on
    Show {
        /// The id of the session
        session: String,
    },
    /// Search the messages of all sessions, and of their subagents unless in a store
    Search {
        /// The text; upper and lower case are the same
        text: String,
        /// At most this many hits
        #[arg(long, default_value_t = 20)]
        limit: usize,
        /// Search the inputs and results of tools too
        #[arg(long)]
        tools: bool,
    },
    /// Count the tokens of a session, or of all of them, by model
    Cost {
        /// The id of the session
        session: Option<String>,
        /// Prices in dollars per million tokens, and per thousand web searches: {"MODEL": {"input": 3, "output": 15,
        /// "cache_read": 0.3, "cache_write": 3.75, "cache_write_1h": 6, "web_searches": 10}}; a cost that needs a missing
        /// price is not printed
        #[arg(long, value_name = "FILE")]
        prices: Option<PathBuf>,
    },
    /// Print a session from its last compaction on as Markdown, or as HTML
    Export {
        /// The id of the session
        session: String,
        /// As one HTML page
        #[arg(long)]
        html: bool,
    },
    /// Copy a session, up to a message, and print the id of the copy
    Fork {
        /// The id of the session
        session: String,
        /// The id of the last message to copy
        #[arg(long, value_name = "MESSAGE")]
        up_to: Option<String>,
        /// The title of the copy
        #[arg(long)]
        title: Option<String>,
    },
    /// Set the title of a session
    Rename {
        /// The id of the session
        session: String,
        /// The new title
        title: String,
    },
    /// Delete a session
    Delete {
        /// The id of the session
        session: String,
    },
    /// Copy sessions of this machine into a store
    Import {
        /// The store, as for --store
        to: String,
        /// The ids of the sessions; all that `list` shows by default
        sessions: Vec<String>,
    },
}

/// Runs the action.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    // clap does not see a conflict of global options before and after the action.
    if args.folder.is_some() && args.store.is_some() {
        return Err(Failure::new("--folder and --store name two places: leave one out"));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(act(args, json))
}

/// Returns the sessions in a configuration folder; by default the folder of this user.
pub(crate) fn local(folder: Option<&Path>) -> Result<Sessions, Failure> {
    match folder {
        Some(folder) if folder.is_dir() => Ok(Sessions::at(folder)),
        Some(folder) => Err(Failure::new(format!("{} is not a folder", folder.display()))),
        None => Sessions::from_env().ok_or_else(|| Failure::new("there is no home folder: use --folder")),
    }
}

async fn act(args: &Args, as_json: bool) -> Result<(), Failure> {
    if let Action::Import { to, sessions } = &args.action {
        if args.store.is_some() {
            return Err(Failure::new("sessions are imported from this machine: leave --store out"));
        }
        return import::run(&in_project(args)?, to, sessions, as_json).await;
    }
    let place = place(args).await?;
    match &args.action {
        Action::List { limit } => {
            let page = limit.map_or(Page::ALL, Page::first);
            place.list(page).await?.iter().try_for_each(|info| print::info(info, as_json))
        }
        Action::Show { session } if as_json => {
            place.messages(&id(session)?).await?.iter().try_for_each(output::json)
        }
        Action::Show { session } => place.export(&id(session)?, &Export::markdown()).await,
        Action::Search { text, limit, tools } => {
            let search = Search::new(text).in_subagents();
            let search = if *tools { search.in_tools() } else { search };
            place.search(&search, *limit, |hit| print::hit(hit, as_json)).await
        }
        Action::Cost { session, prices } => {
            let prices = prices::read(prices.as_deref())?;
            let session = session.as_deref().map(id).transpose()?;
            print::cost(&place.cost(session.as_ref(), prices).await?, as_json)
        }
        Action::Export { session, html } => {
            let export = if *html { Export::html() } else { Export::markdown() };
            place.export(&id(session)?, &export).await
        }
        Action::Fork { session, up_to, title } => {
            let up_to = up_to.as_deref().map(Uuid::from);
            let copy = place.fork(&id(session)?, up_to.as_ref(), title.as_deref()).await?;
            if as_json { output::json(&json!({"session_id": copy})) } else { output::line(copy) }
        }
        Action::Rename { session, title } => place.rename(&id(session)?, title).await,
        Action::Delete { session } => place.delete(&id(session)?).await,
        Action::Import { .. } => Ok(()),
    }
}

fn in_project(args: &Args) -> Result<Sessions, Failure> {
    let sessions = local(args.folder.as_deref())?;
    Ok(args.project.as_ref().map_or(sessions.clone(), |project| sessions.in_project(project)))
}

async fn place(args: &Args) -> Result<Place, Failure> {
    let Some(url) = &args.store else { return Ok(Place::Folder(in_project(args)?)) };
    let project = project_key(args.project.as_deref().unwrap_or(Path::new(".")));
    Ok(Place::Store(url::open(url, false).await?, project))
}

/// Returns whether the text has the form of a session id: a UUID with hyphens.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == 36 && uuid::Uuid::parse_str(text).is_ok()
}

fn id(text: &str) -> Result<SessionId, Failure> {
    if is_id(text) {
        return Ok(SessionId::from(text));
    }
    Err(Failure::new(format!("`{text}` is not a session id: `agentwire sessions list` prints them")))
}

/// Returns the error for an id that is not stored.
fn unknown(session: &SessionId) -> Failure {
    Failure::new(format!("there is no session {session}"))
}
