//! A worker on Restate: its HTTP interface, its lease, and its reports.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use agentwire::protocol::{RawJson, ToolUseId};
use agentwire_net::{error_chain, excerpt, head};
use agentwire_worker::{Answer, Fence, Recovery, Start, TurnReport, Worker, WorkerConfig, WorkerError};
use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, State, rejection::JsonRejection},
    http::StatusCode,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use serde::{Serialize, de::IgnoredAny};
use tokio::{net::TcpListener, task::JoinSet, time::sleep};

use crate::{
    ingress::{FIRST_PAUSE, Ingress, IngressError, LAST_PAUSE, is_usable},
    serve::send_at_once,
    wire::{Beat, Begun, Call, Ended},
};

/// The settings of a [`Host`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HostConfig {
    /// The ingress of Restate.
    pub ingress: Ingress,
    /// The pool of workers that [`handlers`](crate::handlers) names.
    pub pool: Box<str>,
    /// The address at which handlers reach the worker, such as `http://10.0.0.7:9090`.
    pub address: Box<str>,
    /// The time after a lost worker's last beat after which its sessions may be started elsewhere.
    pub lease: Duration,
}

impl HostConfig {
    /// Returns settings with a lease of 20 seconds.
    pub fn new(ingress: Ingress, pool: impl Into<Box<str>>, address: impl Into<Box<str>>) -> Self {
        Self { ingress, pool: pool.into(), address: address.into(), lease: Duration::from_secs(20) }
    }

    /// Sets the lease. After half of it without an answer of Restate, the worker ends its processes.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }
}

/// An error of [`Host::start`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The worker can't be started.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The worker's address is not an HTTP URL, so handlers could not reach it.
    #[error("`{address}` is not an HTTP URL such as http://10.0.0.7:9090")]
    Address {
        /// The address.
        address: Box<str>,
    },
    /// The options of the listener can't be set.
    #[error("the worker's address can't be served: {0}")]
    Listener(#[source] std::io::Error),
}

/// A worker that runs the turns of Restate. Dropping it ends all processes.
#[derive(Debug)]
pub struct Host {
    worker: Worker,
    _tasks: JoinSet<()>,
}

impl Host {
    /// Starts a worker that handlers reach at `listener`.
    ///
    /// The settings' `on_end` and `lease` are replaced.
    ///
    /// # Errors
    ///
    /// [`HostError::Address`], [`HostError::Worker`] if the lease is too short, and [`HostError::Listener`] if the listener
    /// can't be used.
    pub fn start(worker: WorkerConfig, config: HostConfig, listener: TcpListener) -> Result<Self, HostError> {
        if !is_usable(&config.address) {
            return Err(HostError::Address { address: config.address });
        }
        send_at_once(&listener).map_err(HostError::Listener)?;
        let early = Arc::new(Mutex::new(HashMap::new()));
        let (reports, ingress) = (Arc::clone(&early), config.ingress.clone());
        let worker = Worker::new(
            worker.lease(config.lease).on_end(move |end| report(end, Arc::clone(&reports), ingress.clone())),
        )?;
        let state = HostState { worker: worker.clone(), early, known_boot: Arc::default() };
        let mut tasks = JoinSet::new();
        tasks.spawn(beat(config, state.clone()));
        let router = Router::new()
            .route("/", post(call))
            .route("/metrics", get(metrics))
            .layer(DefaultBodyLimit::max(LARGEST_CALL))
            .with_state(state);
        tasks.spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!("the worker's address is not served any more: {error}");
            }
        });
        Ok(Self { worker, _tasks: tasks })
    }

    /// Returns the worker.
    pub fn worker(&self) -> &Worker {
        &self.worker
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Open connections, which are tasks of the HTTP server, keep the worker alive.
        self.worker.expire();
    }
}

/// The largest call in bytes, which is also the limit of a line to the CLI.
const LARGEST_CALL: usize = 64 * 1024 * 1024;

/// The accepted answers of each turn, until its end is reported.
type Early = Arc<Mutex<HashMap<Fence, Vec<(ToolUseId, Answer)>>>>;

#[derive(Clone, Debug)]
struct HostState {
    worker: Worker,
    early: Early,
    /// The run of the worker that Restate knows.
    known_boot: Arc<Mutex<Box<str>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Resolves the awakeable of a turn. Repeats the request until a node accepts it, since the handler waits for it.
///
/// Restate accepts a report of any turn, so a refusal is about the length of the report, or comes from a gateway.
async fn report(end: TurnReport, early: Early, ingress: Ingress) {
    let answers = locked(&early).remove(&end.fence).unwrap_or_default();
    let Some(ticket) = end.ticket.clone() else { return };
    let path = format!("restate/awakeables/{ticket}/resolve");
    let mut ended = Ended::Turn(Box::new(end), answers);
    let (mut refusals, mut pause) = (0, FIRST_PAUSE);
    // Any other error is an answer of a node that has accepted the report.
    while let Err(error) = ingress.insist::<IgnoredAny>(&path, &ended, None, LIMIT).await
        && let IngressError::Refused { status, .. } = &error
    {
        refusals += 1_u32;
        // It may be refused for ever.
        if refusals.is_power_of_two() {
            tracing::error!(
                refusals,
                "the end of a turn can't be reported yet: {}",
                excerpt(&error.to_string())
            );
        }
        if *status == 413 || refusals >= WHOLE_REPORTS {
            ended.shorten(&format!("the end of the turn can't be reported: Restate answers with {status}"));
        }
        sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
    }
}

/// Renews the lease every eighth of its duration.
async fn beat(config: HostConfig, state: HostState) {
    let pause = config.lease / 8;
    let lease_ms = u64::try_from(config.lease.as_millis()).unwrap_or(u64::MAX);
    loop {
        let (sent, boot) = (Instant::now(), state.worker.boot());
        let is_known = *locked(&state.known_boot) == boot;
        let beat = Beat { pool: config.pool.clone(), address: config.address.clone(), lease_ms, is_known };
        match config.ingress.post::<IgnoredAny>(&format!("AgentWorker/{boot}/beat"), &beat, None, pause).await
        {
            Ok(_) if boot == state.worker.boot() => {
                state.worker.renew(sent);
                let mut known_boot = locked(&state.known_boot);
                if *known_boot != boot {
                    locked(&state.early).clear();
                    *known_boot = boot;
                }
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!("the lease was not renewed: {error}");
                if matches!(error, IngressError::Refused { status: 410, .. }) {
                    // Other workers may run its sessions by now. The next beat is of another run.
                    state.worker.expire();
                }
            }
        }
        sleep(pause.saturating_sub(sent.elapsed())).await;
    }
}

async fn call(
    State(state): State<HostState>,
    call: Result<Json<Call>, JsonRejection>,
) -> Result<Response, (StatusCode, String)> {
    let worker = &state.worker;
    let Json(call) = call.map_err(|refusal| match refusal.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            (refusal.status(), format!("a call may have {LARGEST_CALL} bytes; send a shorter prompt"))
        }
        status => (status, refusal.body_text()),
    })?;
    Ok(match call {
        Call::Fence(session, epoch) => {
            let fence = worker.fence(&session, epoch);
            // Restate must know this run, so that it can report its loss.
            let is_known = *locked(&state.known_boot) == fence.boot;
            reply(&is_known.then_some(fence))
        }
        Call::Start(fence, turn) => reply(&match worker.start(&fence, &turn) {
            Start::Started => Begun::Started,
            Start::Busy => Begun::Busy,
            Start::Lost => Begun::Lost,
        }),
        Call::Answer(fence, question, answer) => {
            let session = &fence.session;
            let is_open = worker.phase(session).1.iter().any(|open| open.id == question);
            // The report of the turn takes the answers after the worker has refused further ones.
            let mut early = locked(&state.early);
            let is_accepted =
                is_open && worker.alive(&fence) && worker.answer(session, &question, answer.clone());
            if is_accepted {
                // The worker may be parking the question.
                early.entry(fence).or_default().push((question, answer));
            } else if is_open {
                // The handler is about to park the question. `false` would mean that the question is closed.
                return Err((
                    StatusCode::CONFLICT,
                    "the worker takes no answer now; send it again".to_owned(),
                ));
            }
            reply(&is_accepted)
        }
        Call::Interrupt(fence) => reply(&(worker.alive(&fence) && worker.interrupt(&fence.session))),
        Call::Steer(fence, prompt) => reply(&(worker.alive(&fence) && worker.steer(&fence.session, *prompt))),
        Call::Cancel(fence) => reply(&worker.cancel(&fence)),
        // The turn of another run is not alive here, but may not have ended. The run is compared last: it may change
        // between the two calls.
        Call::HasEnded(fence) => reply(&(!worker.alive(&fence) && worker.boot() == fence.boot)),
        Call::Phase(session) => reply(&worker.phase(&session)),
        Call::Recovery(session, input) => {
            let recovery = worker.recovery(&session, &input).await;
            reply(
                &recovery
                    .map(fit)
                    .inspect_err(|error| {
                        tracing::warn!("the state of a turn can't be read: {}", error_chain(error));
                    })
                    .ok(),
            )
        }
    })
}

/// Cuts a state that is too long for the journal, whose entries have a limit. Without this, the handler would repeat the
/// step for ever.
fn fit(mut state: Recovery) -> Recovery {
    if serde_json::to_string(&state).is_ok_and(|text| text.len() <= LARGEST_STATE) {
        return state;
    }
    tracing::warn!("the state of a turn is too long, and cut");
    match &mut state {
        // A character may be an escape of six bytes.
        Recovery::Finished { text } => *text = format!("{}… (cut)", head(text, LARGEST_STATE / 6)),
        Recovery::Interrupted { tools } => {
            for tool in tools {
                tool.input = RawJson::empty_object();
            }
        }
        _ => {}
    }
    state
}

fn reply(value: &impl Serialize) -> Response {
    Json(value).into_response()
}

/// Returns the worker's numbers as Prometheus reads them.
async fn metrics(State(state): State<HostState>) -> String {
    let numbers = state.worker.numbers();
    let rows = [
        ("slots", numbers.admission.slots as u64),
        ("processes", numbers.admission.running as u64),
        ("process_bytes", numbers.admission.high_water),
        ("turns_running", numbers.running as u64),
        ("turns_asking", numbers.asking as u64),
        ("processes_idle", numbers.idle as u64),
    ];
    let row =
        |(name, value)| format!("# TYPE agentwire_worker_{name} gauge\nagentwire_worker_{name} {value}\n");
    rows.map(row).concat()
}

/// How long one request to Restate may take.
const LIMIT: Duration = Duration::from_secs(5);

/// How many times a refused report is sent as a whole: for ten minutes. If a gateway refuses the beats too, the lease ends
/// first.
const WHOLE_REPORTS: u32 = 300;

/// The longest state of a turn in bytes: half of the usual limit of a journal entry.
const LARGEST_STATE: usize = 16 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn state_that_is_too_long_for_the_journal_is_cut() {
        let finished = |bytes| Recovery::Finished { text: "x".repeat(bytes) };
        assert_eq!(fit(finished(1024)), finished(1024));
        let Recovery::Finished { text } = fit(finished(LARGEST_STATE)) else { panic!() };
        assert!(text.ends_with("x… (cut)") && text.len() < LARGEST_STATE, "{}", text.len());
        let tools = json!([{"id": "toolu_1", "tool": "Bash", "input": "x".repeat(LARGEST_STATE)}]);
        let open: Recovery = serde_json::from_value(json!({"Interrupted": {"tools": tools}})).unwrap();
        let tools = json!([{"id": "toolu_1", "tool": "Bash", "input": {}}]);
        assert_eq!(serde_json::to_value(fit(open)).unwrap(), json!({"Interrupted": {"tools": tools}}));
    }
}
