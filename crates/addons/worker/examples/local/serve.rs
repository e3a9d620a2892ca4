//! The web page: the embedded engine behind `agentwire-board`.

use std::{path::Path, sync::Arc, time::Duration};

use agentwire::Options;
use agentwire_board::{Engine, EngineFuture, SessionState, router};
use agentwire_eventlog::MemoryLog;
use agentwire_testkit::{Script, ScriptedModel};
use agentwire_worker::{Answer, Ledger, Local, LossPolicy, SessionName, TurnSpec};
use tokio::net::TcpListener;

use crate::{Outcome, worker};

/// Serves the page with your login.
pub(crate) async fn with_login(folder: &Path) -> Outcome {
    serve(folder, Options::new()).await
}

/// Serves the page with fixed replies instead of a model.
pub(crate) async fn scripted(folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder)?;
    let home = folder.canonicalize()?.join("home");
    std::fs::create_dir_all(&home)?;
    let model = ScriptedModel::start(Script::from_json(SCRIPT)?).await?;
    let options = model
        .environment(home)
        .into_iter()
        .fold(Options::new().env_clear(), |options, (name, value)| options.env(name, value));
    serve(folder, options).await
}

async fn serve(folder: &Path, options: Options) -> Outcome {
    let log = Arc::new(MemoryLog::new());
    let worker = worker(folder)
        .options(options.include_partial_messages())
        .events(log.clone())
        // A parked question stays on the page.
        .question_grace(Duration::from_secs(30));
    let local = Local::open(folder.join("engine"), worker, LossPolicy::Tell, Ledger::default()).await?;
    let engine = Arc::new(Embedded(local));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let host = listener.local_addr()?.to_string();
    println!("http://{host}/");
    let app = router(engine.clone(), log, host);
    tokio::select! {
        served = axum::serve(listener, app).into_future() => served?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    // Questions are parked, and running turns may finish.
    engine.0.worker().drain(Duration::from_secs(5)).await;
    // The engine replies when it has stored the ends of the turns.
    engine.0.sessions().await?;
    Ok(())
}

struct Embedded(Local);

impl Engine for Embedded {
    fn sessions(&self) -> EngineFuture<'_, Vec<SessionState>> {
        Box::pin(async {
            let mut states = Vec::new();
            for session in self.0.sessions().await.map_err(|error| error.to_string())? {
                let status = self.0.status(&session).await.map_err(|error| error.to_string())?;
                let Some(status) = status else { continue };
                let state =
                    SessionState::new(session.to_string(), format!("{:?}", status.phase), status.prompts);
                states.push(status.questions.into_iter().fold(state, |state, question| {
                    state.question(question.id.as_str(), question.tool, question.input)
                }));
            }
            Ok(states)
        })
    }

    fn prompt<'a>(
        &'a self,
        session: Option<&'a str>,
        id: &'a str,
        text: &'a str,
    ) -> EngineFuture<'a, String> {
        Box::pin(async move {
            let session = match session {
                Some(session) => name(session)?,
                // The page may send the prompt again.
                None => SessionName::new("me", id),
            };
            let queued = self.0.prompt(&session, TurnSpec::prompt(id, text)).await;
            queued.map_err(|error| error.to_string())?;
            Ok(session.to_string())
        })
    }

    fn answer<'a>(&'a self, session: &'a str, question: &'a str, allow: bool) -> EngineFuture<'a, bool> {
        Box::pin(async move {
            let answer = if allow { Answer::allow() } else { Answer::deny("denied on the page") };
            let answered = self.0.answer(&name(session)?, &question.into(), answer).await;
            answered.map_err(|error| error.to_string())
        })
    }
}

fn name(session: &str) -> Result<SessionName, String> {
    let (tenant, id) = session.split_once('/').ok_or_else(|| format!("`{session}` is not tenant/session"))?;
    Ok(SessionName::new(tenant, id))
}

/// For each prompt, the script runs one command and then sends a final text.
const SCRIPT: &str = include_str!("script.json");
