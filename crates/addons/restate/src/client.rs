//! Requests of clients.

use std::time::Duration;

use agentwire::protocol::{ToolUseId, message::UserInput};
use agentwire_worker::{Answer, Ledger, Outcome, SessionName, TurnInput};
use serde::{Deserialize, Serialize};

use crate::{
    ingress::{Ingress, IngressError, escaped},
    wire::{Limits, SessionPrompt, Status},
};

/// A client of durable sessions.
#[derive(Clone, Debug)]
pub struct Client {
    ingress: Ingress,
}

impl Client {
    /// Returns a client that uses this ingress.
    pub fn new(ingress: Ingress) -> Self {
        Self { ingress }
    }

    /// Sends a prompt and waits for its outcome, across parked questions and failures of nodes. A prompt with a known id
    /// is not run again: its outcome is returned for a day; after that, the outcome is an error.
    ///
    /// # Errors
    ///
    /// [`IngressError::Refused`] if the prompt is not valid, and [`IngressError::Request`] if its id is not.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the prompt may run. Call this again to wait for it.
    pub async fn prompt(
        &self,
        session: &SessionName,
        prompt: &SessionPrompt,
    ) -> Result<Outcome, IngressError> {
        // First, since a node that hangs must not keep the prompt while this waits.
        let Stored { invocation_id } = self.store(session, prompt).await?;
        self.ingress.wait(&format!("restate/invocation/{invocation_id}/attach"), TURN).await
    }

    /// Sends a prompt, and returns when it is stored.
    ///
    /// # Errors
    ///
    /// [`IngressError::Refused`] if the prompt is not valid, and [`IngressError::Request`] if its id is not.
    pub async fn send(&self, session: &SessionName, prompt: &SessionPrompt) -> Result<(), IngressError> {
        self.store(session, prompt).await.map(drop)
    }

    /// Answers a question, and returns whether it was open. If several answers come, the first one counts.
    ///
    /// # Errors
    ///
    /// [`IngressError`]. With status 424, the worker may have got the request, or is parking the question: send the answer
    /// again. After [`IngressError::Unreachable`] too, but Restate may have stored the answer: `false` then can mean that
    /// it counts.
    pub async fn answer(
        &self,
        session: &SessionName,
        question: &ToolUseId,
        answer: Answer,
    ) -> Result<bool, IngressError> {
        self.call(session, "answer", &(question, answer)).await
    }

    /// Interrupts the running turn, which then ends. Prompts that were sent into it and wait are dropped. Returns
    /// whether one runs.
    ///
    /// # Errors
    ///
    /// [`IngressError`]. A worker that does not answer may have got the request.
    pub async fn interrupt(&self, session: &SessionName) -> Result<bool, IngressError> {
        self.call(session, "interrupt", &()).await
    }

    /// Sends a prompt into the running turn, by its priority. If the CLI answers it after the result of the turn, the turn
    /// goes on, and its outcome is that answer. A prompt that waits when a question is parked is dropped. Returns whether a
    /// turn runs.
    ///
    /// # Errors
    ///
    /// [`IngressError`]. A worker that does not answer may have got the request; a prompt with an id ([`UserInput::uuid`])
    /// may be sent again.
    pub async fn steer(&self, session: &SessionName, prompt: &UserInput) -> Result<bool, IngressError> {
        let mut prompt = prompt.clone();
        // Restate repeats a step whose handler has crashed, and the CLI recognizes a repetition by the id.
        prompt.uuid.get_or_insert_with(|| uuid::Uuid::new_v4().to_string().into());
        self.call(session, "steer", &prompt).await
    }

    /// Cancels the prompt that runs, or waits for an answer or for room, and returns whether there was one. A prompt
    /// that no handler has begun, because another one runs or no handler can be reached, is not cancelled.
    ///
    /// # Errors
    ///
    /// [`IngressError`].
    pub async fn cancel(&self, session: &SessionName) -> Result<bool, IngressError> {
        self.call(session, "cancel", &()).await
    }

    /// Returns the state of a session.
    ///
    /// # Errors
    ///
    /// [`IngressError`].
    pub async fn status(&self, session: &SessionName) -> Result<Status, IngressError> {
        self.ingress.post(&path(session, "status"), &(), None, LIMIT).await
    }

    /// Sets the limits of a tenant: a budget in US dollars, and how many turns may run at once. `None` is no limit, as
    /// for an unknown tenant.
    ///
    /// Running turns go on. A turn beyond the number waits until another one has ended; a turn that waits for room on a
    /// worker counts as running. A turn beyond the budget ends as [`Outcome::Refused`], and so does one beyond the
    /// number if 1,000 wait. A budget of NaN allows no turn.
    ///
    /// # Errors
    ///
    /// [`IngressError`].
    pub async fn limit(
        &self,
        tenant: &str,
        budget_usd: Option<f64>,
        turns: Option<usize>,
    ) -> Result<(), IngressError> {
        // JSON writes NaN and negative infinity as `null`, which would be no limit.
        let budget_usd = budget_usd.map(|usd| usd.max(0.0));
        let limits = Limits { budget_usd, turns };
        self.ingress.post(&format!("AgentTenant/{}/limit", escaped(tenant)), &limits, None, LIMIT).await
    }

    /// Returns the limits of a tenant and their use.
    ///
    /// # Errors
    ///
    /// [`IngressError`].
    pub async fn ledger(&self, tenant: &str) -> Result<Ledger, IngressError> {
        self.ingress.post(&format!("AgentTenant/{}/ledger", escaped(tenant)), &(), None, LIMIT).await
    }

    async fn store(&self, session: &SessionName, prompt: &SessionPrompt) -> Result<Stored, IngressError> {
        self.ingress.insist(&path(session, "prompt/send"), prompt, key(prompt)?, LIMIT).await
    }

    /// Sends a request that takes effect once, even if several nodes get it.
    async fn call(
        &self,
        session: &SessionName,
        handler: &str,
        body: &impl Serialize,
    ) -> Result<bool, IngressError> {
        let key = uuid::Uuid::new_v4().to_string();
        self.ingress.post(&path(session, handler), body, Some(&key), LIMIT).await
    }
}

/// The answer of Restate to a prompt that it has stored, or had stored before.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    invocation_id: String,
}

fn path(session: &SessionName, handler: &str) -> String {
    format!("AgentSession/{}%2F{}/{handler}", escaped(&session.tenant), escaped(session.session.as_str()))
}

/// Returns the idempotency key of a prompt: its id, which is sent in a header.
fn key(prompt: &SessionPrompt) -> Result<Option<&str>, IngressError> {
    let TurnInput::Prompt { id, .. } = &prompt.turn.input else { return Ok(None) };
    let id = id.as_str();
    // HTTP removes blanks at the ends.
    if id.is_empty() || id.trim() != id || !id.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        let why = format!(
            "the prompt's id {id:?} must consist of printable ASCII characters without blanks at the ends, as a UUID does"
        );
        return Err(IngressError::Request { why });
    }
    Ok(Some(id))
}

/// How long a request waits for a turn at first, before it is repeated.
const TURN: Duration = Duration::from_secs(120);

/// How long other requests may take.
const LIMIT: Duration = Duration::from_secs(30);
