//! Sends a request and waits for its answer, up to the time limit. A request that needs more input is sent again with it.

use std::time::Duration;

use agentwire_net::excerpt;
use rmcp::{
    ServiceError,
    model::{ClientRequest, GetExtensions, InputRequiredResult, InputResponses, ServerResult},
    service::PeerRequestOptions,
};
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until, timeout_at},
};

use super::ClientSide;
use crate::{
    TimeLimit,
    client::{Caller, CancelOnDrop, Client, ProgressReceiver},
    connection::{Desired, Live},
};

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    TimedOut { after: Duration, limit: TimeLimit },
    Failed(ServiceError),
}

/// Sends a request and waits for its answer. Cancels the request at the server if the future is dropped or the time is over.
pub(super) async fn exchange(
    live: &Live,
    mut request: ClientRequest,
    options: PeerRequestOptions,
    mut clock: Clock,
    client: &mut ClientSide,
) -> Result<ServerResult, NoAnswer> {
    let (peer, inbound) = (&live.peer, &live.client.inbound);
    let ClientSide { gateway_client, on_progress, .. } = client;
    let called = inbound.callers.as_ref().map(|callers| callers.call(gateway_client.clone()));
    let _waits = inbound.activity.wait();
    let (sender, mut received) = ProgressReceiver::new(inbound);
    request.extensions_mut().insert(sender);
    let sending = peer.send_request_with_option(request, options);
    // This waits only if rmcp's queue is full because the server reads nothing.
    let Ok(sent) = timeout_at(clock.deadline, sending).await else { return Err(clock.over()) };
    let mut handle = sent.map_err(NoAnswer::Failed)?;
    received.token = Some(handle.progress_token.clone());
    if let Some(called) = &called {
        called.sent(&handle.id);
    }
    let reason = "the caller no longer waits for the answer";
    let mut open = CancelOnDrop { peer, id: Some(handle.id.clone()), reason };
    loop {
        tokio::select! {
            biased;
            answer = &mut handle.rx => {
                open.id = None;
                // Progress that arrived before the answer is in the channel already.
                while let (Ok(progress), Some(callback)) = (received.progress.try_recv(), on_progress.as_mut()) {
                    callback(progress);
                }
                if let (Ok(Err(ServiceError::McpError(error))), Some(caller)) = (&answer, &*gateway_client) {
                    live.client.note_pages(error, caller);
                }
                return answer.unwrap_or(Err(ServiceError::TransportClosed)).map_err(NoAnswer::Failed);
            }
            Some(progress) = received.progress.recv() => {
                clock.since(Instant::now());
                if let Some(callback) = on_progress.as_mut() {
                    callback(progress);
                }
                // Constant progress would starve the branch with the deadline.
                if clock.deadline <= Instant::now() {
                    open.reason = OVER;
                    return Err(clock.over());
                }
            }
            Ok(()) = clock.config.changed() => clock.read_timeout(),
            () = sleep_until(clock.deadline) => {
                // While the server waits for the user, it can't continue. The current time is read before the time of
                // the question: otherwise a delay of this thread between the two would look like a timeout.
                let now = Instant::now();
                clock.since(inbound.asking.since());
                if clock.deadline > now {
                    continue;
                }
                open.reason = OVER;
                return Err(clock.over());
            }
        }
    }
}

/// The deadline for an answer.
pub(super) struct Clock {
    /// The configuration and its changes.
    config: watch::Receiver<Desired>,
    /// The start of the call, which may consist of several requests.
    started: Instant,
    /// The time limit of the call regardless of progress.
    longest: Duration,
    /// The time of the server's last progress or question.
    last_activity: Instant,
    timeout: Duration,
    deadline: Instant,
}

impl Clock {
    pub(super) fn new(config: watch::Receiver<Desired>, started: Instant, longest: Duration) -> Self {
        let (longest, now) = (longest.min(FAR), Instant::now());
        let mut clock =
            Self { config, started, longest, last_activity: now, timeout: Duration::ZERO, deadline: now };
        clock.read_timeout();
        clock
    }

    /// Reads the configuration.
    fn read_timeout(&mut self) {
        self.timeout = self.config.borrow_and_update().configured.config.timeout.min(FAR);
        self.set();
    }

    /// Restarts the time limit at an activity of the server.
    fn since(&mut self, activity: Instant) {
        self.last_activity = self.last_activity.max(activity);
        self.set();
    }

    fn set(&mut self) {
        let longest = self.longest.max(self.timeout);
        self.deadline = (self.last_activity + self.timeout).min(self.started + longest);
    }

    fn over(&self) -> NoAnswer {
        let after = self.started.elapsed();
        let limit = if self.deadline < self.last_activity + self.timeout {
            TimeLimit::Longest(self.deadline - self.started)
        } else {
            TimeLimit::Timeout(self.timeout)
        };
        NoAnswer::TimedOut { after, limit }
    }
}

const OVER: &str = "the time is over";
/// Practically never, and small enough to add to the clock: 30 years.
const FAR: Duration = Duration::from_secs(86400 * 365 * 30);

/// Counts how often the server requested more input.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    pub(super) all: u32,
    /// The rounds in a row without questions.
    empty: u32,
}

impl Rounds {
    /// Answers the server's questions, and puts the answers into the next request; the error says why there is none.
    pub(super) async fn answer(
        &mut self,
        wanted: InputRequiredResult,
        next: &mut ClientRequest,
        client: &Client,
        caller: Option<&Caller>,
    ) -> Result<(), String> {
        self.all += 1;
        if self.all > MAX_ROUNDS {
            return Err(format!("it has asked for more input more than {MAX_ROUNDS} times"));
        }
        let InputRequiredResult { input_requests, request_state, .. } = wanted;
        let asks = input_requests.unwrap_or_default();
        if asks.is_empty() && request_state.is_none() {
            return Err("it asks for more input, and does not say for which".to_owned());
        }
        if asks.is_empty() {
            sleep(PAUSE * (1 << self.empty.min(3))).await;
            self.empty += 1;
        } else {
            self.empty = 0;
        }
        let answers = client.provide(asks, caller).await;
        let answers = answers.map_err(|error| {
            format!("it asks for input that it can't be given: {}", excerpt(&error.message))
        })?;
        continued(next, answers, request_state)
    }
}

/// Puts answers and state into a request, instead of those of an earlier round.
fn continued(
    request: &mut ClientRequest,
    answers: InputResponses,
    state: Option<String>,
) -> Result<(), String> {
    let (inputs, request_state) = match request {
        ClientRequest::CallToolRequest(call) => {
            (&mut call.params.input_responses, &mut call.params.request_state)
        }
        ClientRequest::GetPromptRequest(get) => {
            (&mut get.params.input_responses, &mut get.params.request_state)
        }
        ClientRequest::ReadResourceRequest(read) => {
            (&mut read.params.input_responses, &mut read.params.request_state)
        }
        _ => return Err("it asks for more input, which this request can't have".to_owned()),
    };
    *inputs = (!answers.is_empty()).then_some(answers);
    *request_state = state;
    Ok(())
}

/// How often a server may request more input.
const MAX_ROUNDS: u32 = 10;
/// The delay before a request is sent again without input. It doubles three times.
const PAUSE: Duration = Duration::from_millis(50);
