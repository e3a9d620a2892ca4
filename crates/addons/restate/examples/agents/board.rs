//! The web page: Restate behind `agentwire-board`.

use std::sync::Arc;

use agentwire_board::{Engine, EngineFuture, SessionState, router};
use agentwire_restate::{Admin, Client, SessionPrompt};
use agentwire_worker::{Answer, SessionName, TurnSpec};
use tokio::net::TcpListener;

use crate::{Outcome, ended, settings::Settings};

/// Serves the page until SIGTERM or Ctrl-C.
pub(crate) async fn run(settings: &Settings, listener: TcpListener, url: &str) -> Outcome {
    let admin = Admin::new(settings.admin.iter().map(String::as_str))?;
    let engine = Restate { client: Client::new(settings.ingress()?), admin };
    let app = router(Arc::new(engine), settings.events()?, url.trim_start_matches("http://"));
    println!("{url}/");
    tokio::select! {
        served = axum::serve(listener, app).into_future() => served?,
        () = ended() => {}
    }
    Ok(())
}

struct Restate {
    client: Client,
    admin: Admin,
}

impl Engine for Restate {
    fn sessions(&self) -> EngineFuture<'_, Vec<SessionState>> {
        Box::pin(async {
            let mut states = Vec::new();
            for (session, prompts) in self.admin.sessions().await.map_err(|error| error.to_string())? {
                let status = self.client.status(&session).await.map_err(|error| error.to_string())?;
                let state = SessionState::new(session.to_string(), format!("{:?}", status.phase), prompts);
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
            let sent = self.client.send(&session, &SessionPrompt::new(TurnSpec::prompt(id, text))).await;
            sent.map_err(|error| error.to_string())?;
            Ok(session.to_string())
        })
    }

    fn answer<'a>(&'a self, session: &'a str, question: &'a str, allow: bool) -> EngineFuture<'a, bool> {
        Box::pin(async move {
            let answer = if allow { Answer::allow() } else { Answer::deny("denied on the page") };
            let answered = self.client.answer(&name(session)?, &question.into(), answer).await;
            answered.map_err(|error| error.to_string())
        })
    }
}

fn name(session: &str) -> Result<SessionName, String> {
    let (tenant, id) = session.split_once('/').ok_or_else(|| format!("`{session}` is not tenant/session"))?;
    Ok(SessionName::new(tenant, id))
}
