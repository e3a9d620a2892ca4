//! The object of a session.

mod record;
mod reservation;
mod turn;
mod watch;

use std::time::Duration;

use agentwire::{
    protocol::{ToolUseId, message::UserInput},
    sessions::SessionKey,
};
use agentwire_worker::{Answer, Fence, Outcome, Phase, Question, SessionName, TurnInput};
use restate_sdk::{endpoint::ServiceOptions, prelude::*};

use crate::{
    ingress::Ingress,
    lease::{Lease, Pool},
    peers::Peers,
    tenant::Tenant,
    wire::{Call, Place, SessionPrompt, Status},
};
pub(crate) use record::KEY as RECORD;
use record::Record;

/// Returns the services to register with Restate, for the workers of a pool.
///
/// They have no state of their own: any number of processes may serve them at one address.
pub fn handlers(ingress: Ingress, pool: impl Into<Box<str>>) -> Endpoint {
    let peers = Peers::new(ingress, pool.into());
    let session = patient(Session { peers });
    Endpoint::builder().bind(session).bind(patient(Lease)).bind(patient(Pool)).bind(patient(Tenant)).build()
}

/// Keeps no journals, and repeats invocations without an end: by default, Restate pauses one after 70 attempts, until an
/// operator resumes it.
fn patient(object: impl IntoServiceDefinition) -> ServiceDefinition {
    let options = ServiceOptions::new()
        .journal_retention(Duration::ZERO)
        .retry_policy_initial_interval(Duration::from_millis(50))
        .retry_policy_exponentiation_factor(2.0)
        .retry_policy_max_interval(Duration::from_secs(2))
        .retry_policy_max_attempts(u32::MAX.into());
    object.into_service_definition().options(options)
}

/// A session, by `TENANT/SESSION`.
#[derive(Debug)]
pub(crate) struct Session {
    peers: Peers,
}

#[restate_sdk::object(
    name = "AgentSession",
    inactivity_timeout = "2s",
    idempotency_retention = "1 day",
    client_visibility = "pub(crate)"
)]
impl Session {
    /// Runs a prompt. The prompts of a session run one after the other.
    #[handler]
    async fn prompt(
        &self,
        ctx: ObjectContext<'_>,
        Json(prompt): Json<SessionPrompt>,
    ) -> Result<Json<Outcome>, HandlerError> {
        let name = name(ctx.key())?;
        if !matches!(prompt.turn.input, TurnInput::Prompt { .. }) {
            return Err(TerminalError::new_with_code(400, "the turn does not start with a prompt").into());
        }
        let mut record = record::load(ctx.get(record::KEY).await?);
        // A killed invocation leaves its prompt in the record.
        record.clear();
        record.invocation = Some(ctx.invocation_id().to_owned());
        let outcome = self.run(&ctx, &name, prompt, &mut record).await;
        record.clear();
        record.save(&ctx);
        let outcome = outcome?;
        ctx.set(LAST, Json(outcome.clone()));
        Ok(Json(outcome))
    }

    /// Answers a question, parked or not.
    #[handler]
    async fn answer(
        &self,
        ctx: SharedObjectContext<'_>,
        Json((question, answer)): Json<(ToolUseId, Answer)>,
    ) -> Result<Json<bool>, HandlerError> {
        let record = record::load(ctx.get(record::KEY).await?);
        if let Some(parked) = record.parked.iter().find(|parked| parked.question.id == question) {
            ctx.resolve_awakeable(&parked.awakeable, Json(answer));
            return Ok(Json(true));
        }
        let call = |fence| Call::Answer(fence, question, answer);
        Ok(Json(self.forward(&ctx, record, "answer", call).await?))
    }

    #[handler]
    async fn interrupt(&self, ctx: SharedObjectContext<'_>) -> Result<Json<bool>, HandlerError> {
        let record = record::load(ctx.get(record::KEY).await?);
        Ok(Json(self.forward(&ctx, record, "interrupt", Call::Interrupt).await?))
    }

    #[handler]
    async fn steer(
        &self,
        ctx: SharedObjectContext<'_>,
        Json(prompt): Json<UserInput>,
    ) -> Result<Json<bool>, HandlerError> {
        let record = record::load(ctx.get(record::KEY).await?);
        let call = |fence| Call::Steer(fence, Box::new(prompt));
        Ok(Json(self.forward(&ctx, record, "steer", call).await?))
    }

    /// Cancels the prompt that runs, or waits for an answer or for room.
    #[handler]
    async fn cancel(&self, ctx: SharedObjectContext<'_>) -> Result<Json<bool>, HandlerError> {
        let record = record::load(ctx.get(record::KEY).await?);
        let is_there = record.invocation.is_some();
        if let Some(invocation) = record.invocation {
            ctx.invocation_handle(invocation).cancel();
        }
        Ok(Json(is_there))
    }

    #[handler]
    async fn status(&self, ctx: SharedObjectContext<'_>) -> Result<Json<Status>, HandlerError> {
        let last = ctx.get::<Json<Outcome>>(LAST).await?.map(Json::into_inner);
        let record = record::load(ctx.get(record::KEY).await?);
        if !record.parked.is_empty() {
            let questions = record.parked.into_iter().map(|parked| parked.question).collect();
            return Ok(Json(Status { phase: Phase::Parked, questions, worker: None, last }));
        }
        let Some(place) = record.running else {
            return Ok(Json(Status { phase: Phase::Cold, questions: Vec::new(), worker: None, last }));
        };
        let (peers, call, address) =
            (self.peers.clone(), Call::Phase(name(ctx.key())?), place.address.clone());
        let ask = || async move { Ok(Json(peers.call::<(Phase, Vec<Question>)>(&address, &call).await)) };
        let Json(answer) = ctx.run(ask).name("phase").await?;
        let (phase, questions) = answer.unwrap_or((Phase::Running, Vec::new()));
        Ok(Json(Status { phase, questions, worker: Some(place.address), last }))
    }
}

impl Session {
    /// Sends a request for the running turn to its worker.
    async fn forward(
        &self,
        ctx: &SharedObjectContext<'_>,
        record: Record,
        step: &str,
        call: impl FnOnce(Fence) -> Call,
    ) -> Result<bool, TerminalError> {
        name(ctx.key())?;
        let Some(Place { address, fence, .. }) = record.running else { return Ok(false) };
        let (peers, call) = (self.peers.clone(), call(fence));
        let send = || async move { Ok(Json(peers.call::<bool>(&address, &call).await)) };
        let Json(answer) = ctx.run(send).name(step).await?;
        // The worker may have got the request. For a server error, the client would ask the next node.
        answer.ok_or_else(|| {
            TerminalError::new_with_code(
                424,
                "the worker of the session does not answer, or takes no answer now",
            )
        })
    }
}

fn name(key: &str) -> Result<SessionName, TerminalError> {
    let (tenant, session) = key
        .split_once('/')
        .ok_or_else(|| TerminalError::new_with_code(400, format!("`{key}` is not TENANT/SESSION")))?;
    // The store, which a worker reads after a crash, has a key for no other name.
    SessionKey::new(tenant, session.into())
        .map_err(|error| TerminalError::new_with_code(400, error.to_string()))?;
    Ok(SessionName::new(tenant, session))
}

const LAST: &str = "last";
