//! Clients of a gateway that answer the questions of servers.
#![expect(deprecated, reason = "sampling and roots are deprecated in MCP, and servers still use them")]

use std::sync::{Arc, Mutex};

use agentwire_net::excerpt;
use rmcp::{
    Peer, RoleServer, ServiceError,
    model::{
        ClientCapabilities, ClientResult, CreateMessageRequest, CreateMessageResult, CustomNotification,
        ElicitRequest, ElicitRequestParams, ElicitResult, ErrorData, GetExtensions as _, InputRequest,
        ListRootsRequest, ListRootsResult, RequestId, RequestMetaObject, ServerNotification, ServerRequest,
    },
    service::{OriginatingRequestId, RequestContext},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{cancel::ask, questions::declined};
use crate::{Elicitation, Sampling, handlers::refused, lock::locked, outcome::bounded_error};

/// A client of a gateway, and one of its requests. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The identity of the client, for all of its requests. Clients without a handshake have none.
    id: Option<Arc<()>>,
    capabilities: Arc<ClientCapabilities>,
    channel: Channel,
}

/// A question to the client, with the channel for its answer.
#[derive(Debug)]
pub(crate) struct Question {
    /// The server's key for the question.
    pub(crate) key: Option<String>,
    pub(crate) request: InputRequest,
    pub(crate) answer: oneshot::Sender<Value>,
}

/// How a question is sent to the client.
#[derive(Clone, Debug)]
enum Channel {
    /// As a request that belongs to a request of the client.
    Session { peer: Peer<RoleServer>, request: RequestId },
    /// As the response to the client's request, for clients without a handshake.
    Rounds {
        questions: mpsc::Sender<Question>,
        /// The server's key for the question.
        key: Option<String>,
    },
}

impl Caller {
    /// Returns the client of a request. `rounds` receives the questions to a client without a handshake.
    pub(crate) fn new(
        context: &RequestContext<RoleServer>,
        id: &Arc<()>,
        rounds: Option<mpsc::Sender<Question>>,
    ) -> Self {
        let id = rounds.is_none().then(|| Arc::clone(id));
        let channel = match rounds {
            Some(questions) => Channel::Rounds { questions, key: None },
            None => Channel::Session { peer: context.peer.clone(), request: context.id.clone() },
        };
        let capabilities = Arc::new(context.client_capabilities().unwrap_or_default());
        Self { id, capabilities, channel }
    }

    /// Returns the caller for a question with this key.
    pub(crate) fn keyed(&self, key: &str) -> Self {
        let mut keyed = self.clone();
        if let Channel::Rounds { key: of_question, .. } = &mut keyed.channel {
            *of_question = Some(key.to_owned());
        }
        keyed
    }

    /// Returns whether both requests may be those of one client.
    fn may_be(&self, other: &Self) -> bool {
        self.id.as_ref().map(Arc::as_ptr) == other.id.as_ref().map(Arc::as_ptr)
    }

    pub(crate) fn fills_in_forms(&self) -> bool {
        let kinds = self.capabilities.elicitation.as_ref();
        kinds.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
    }

    pub(crate) fn opens_pages(&self) -> bool {
        self.capabilities.elicitation.as_ref().is_some_and(|kinds| kinds.url.is_some())
    }

    pub(crate) fn samples(&self) -> bool {
        self.capabilities.sampling.is_some()
    }

    /// Sends a question for the user, with the name of the server. Dropping the future cancels the question.
    pub(crate) async fn elicit(self, question: Elicitation) -> Result<ElicitResult, ErrorData> {
        let Elicitation { server, mut request } = question;
        if let ElicitRequestParams::FormElicitationParams { message, .. }
        | ElicitRequestParams::UrlElicitationParams { message, .. } = &mut request
        {
            *message = format!("{server}: {message}");
        }
        let request = ElicitRequest::new(request);
        if let Channel::Rounds { questions, key } = &self.channel {
            let answer = round(questions, key, InputRequest::Elicitation(request)).await;
            return Ok(answer.unwrap_or_else(|_| declined()));
        }
        match self.ask(ServerRequest::ElicitRequest(request)).await {
            Ok(ClientResult::ElicitResult(answer)) => Ok(answer),
            Err(ServiceError::McpError(error)) => Err(bounded_error(error)),
            _ => Ok(declined()),
        }
    }

    /// Sends a sampling request. Dropping the future cancels it.
    pub(crate) async fn sample(self, question: Sampling) -> Result<CreateMessageResult, ErrorData> {
        let request = question.request;
        let has_tools = request.tools.is_some() || request.tool_choice.is_some();
        let kinds = self.capabilities.sampling.as_ref();
        if has_tools && kinds.is_none_or(|kinds| kinds.tools.is_none()) {
            return Err(refused("its client does not support tools in sampling"));
        }
        let request = CreateMessageRequest::new(request);
        if let Channel::Rounds { questions, key } = &self.channel {
            return round(questions, key, InputRequest::CreateMessage(request)).await.map_err(refused);
        }
        match self.ask(ServerRequest::CreateMessageRequest(request)).await {
            Ok(ClientResult::CreateMessageResult(answer)) => Ok(*answer),
            Ok(_) => Err(refused("its client gave another answer")),
            Err(ServiceError::McpError(error)) => Err(bounded_error(error)),
            Err(error) => Err(refused(excerpt(&error.to_string()).into_owned())),
        }
    }

    /// Returns whether this is a client without a handshake that has roots.
    pub(crate) fn lists_roots(&self) -> bool {
        matches!(self.channel, Channel::Rounds { .. }) && self.capabilities.roots.is_some()
    }

    /// Returns the roots of a client without a handshake.
    pub(crate) async fn roots(&self) -> Option<ListRootsResult> {
        let Channel::Rounds { questions, key } = &self.channel else { return None };
        round(questions, key, InputRequest::ListRoots(ListRootsRequest::default())).await.ok()
    }

    /// Reports the end of a URL elicitation.
    pub(crate) async fn completed(&self, notification: CustomNotification) {
        // Without a handshake, the response to the client's request reports it.
        let Channel::Session { peer, .. } = &self.channel else { return };
        let notification = ServerNotification::CustomNotification(notification);
        if let Err(error) = peer.send_notification(notification).await {
            tracing::debug!(%error, "the end of an elicitation was not passed on");
        }
    }

    async fn ask(self, mut request: ServerRequest) -> Result<ClientResult, ServiceError> {
        let Channel::Session { peer, request: id } = self.channel else {
            return Err(ServiceError::TransportClosed);
        };
        request.extensions_mut().insert(OriginatingRequestId(id));
        let reason = "the server no longer waits for the answer";
        // In a separate task, which ends when this future is dropped: rmcp would relate the question to the server's request,
        // which the client does not know.
        let asking = tokio::spawn(async move { ask(&peer, request, reason).await });
        AbortOnDropHandle::new(asking).await.unwrap_or(Err(ServiceError::TransportClosed))
    }
}

/// Sends a question as the response to the client's request, and waits until the client repeats the request.
async fn round<T: DeserializeOwned>(
    questions: &mpsc::Sender<Question>,
    key: &Option<String>,
    request: InputRequest,
) -> Result<T, String> {
    let gone = || "its client is gone".to_owned();
    let (answer, answered) = oneshot::channel();
    questions.send(Question { key: key.clone(), request, answer }).await.map_err(|_| gone())?;
    let answer = answered.await.map_err(|_| gone())?;
    serde_json::from_value(answer).map_err(|error| excerpt(&error.to_string()).into_owned())
}

/// Returns the metadata of a request without the parts that concern only the connection of its sender.
pub(crate) fn forwarded(mut meta: RequestMetaObject) -> Option<RequestMetaObject> {
    meta.retain(|key, _| key != "progressToken" && !key.starts_with("io.modelcontextprotocol/"));
    (!meta.is_empty()).then_some(meta)
}

/// The calls in flight at a server. Clones share the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callers(Arc<Mutex<CallsInFlight>>);

#[derive(Debug, Default)]
struct CallsInFlight {
    /// In the order of their start.
    all: Vec<Call>,
    next: u64,
}

#[derive(Debug)]
struct Call {
    number: u64,
    /// `None` for a call of the program.
    caller: Option<Caller>,
    /// The id of the last request for this call.
    request: Option<RequestId>,
    /// Cancelled when the call ends.
    over: CancellationToken,
}

/// A call in flight. Dropping it ends the call.
#[derive(Debug)]
pub(crate) struct Called<'a> {
    callers: &'a Callers,
    number: u64,
}

impl Callers {
    /// Adds a call.
    pub(crate) fn call(&self, caller: Option<Caller>) -> Called<'_> {
        let mut calls = locked(&self.0);
        let number = calls.next;
        calls.next += 1;
        calls.all.push(Call { number, caller, request: None, over: CancellationToken::new() });
        Called { callers: self, number }
    }

    /// Returns the client for a question of the server, and tokens that are all cancelled when the question becomes obsolete.
    ///
    /// Over streamable HTTP, a question arrives on the stream of a request (`origin`) and thus belongs to a call. Other
    /// transports do not relate questions to calls: then this is the client with the most recent call, among the clients
    /// that support the question.
    pub(super) fn find(
        &self,
        origin: Option<&RequestId>,
        can: impl Fn(&Caller) -> bool,
    ) -> Option<(Caller, Vec<CancellationToken>)> {
        let calls = locked(&self.0);
        if origin.is_some() {
            let named = calls.all.iter().find(|call| call.request.as_ref() == origin);
            // If its call has ended, or it was no call, the question concerns no other client. A call that is being sent
            // has no id yet, and may be the one.
            let call = named.or_else(|| calls.all.iter().rev().find(|call| call.request.is_none()))?;
            let caller = call.caller.clone().filter(|caller| can(caller))?;
            return Some((caller, vec![call.over.clone()]));
        }
        let caller =
            calls.all.iter().rev().find_map(|call| call.caller.as_ref().filter(|caller| can(caller)))?;
        let is_same = |call: &&Call| call.caller.as_ref().is_some_and(|other| other.may_be(caller));
        let over = calls.all.iter().filter(is_same).map(|call| call.over.clone()).collect();
        Some((caller.clone(), over))
    }
}

impl Called<'_> {
    /// Notes the id of a request for the call.
    pub(crate) fn sent(&self, request: &RequestId) {
        let mut calls = locked(&self.callers.0);
        if let Some(call) = calls.all.iter_mut().find(|call| call.number == self.number) {
            call.request = Some(request.clone());
        }
    }
}

impl Drop for Called<'_> {
    fn drop(&mut self) {
        let mut calls = locked(&self.callers.0);
        let index = calls.all.iter().position(|call| call.number == self.number);
        let ended = index.map(|index| calls.all.remove(index));
        drop(calls);
        // Outside of the lock, because this wakes tasks.
        ended.into_iter().for_each(|call| call.over.cancel());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller() -> Caller {
        let channel = Channel::Rounds { questions: mpsc::channel(1).0, key: None };
        Caller { id: None, capabilities: Arc::default(), channel }
    }

    #[test]
    fn question_on_the_stream_of_an_ended_call_is_for_no_other_client() {
        let callers = Callers::default();
        let first = callers.call(Some(caller()));
        first.sent(&RequestId::Number(1));
        drop(first);
        let second = callers.call(Some(caller()));
        second.sent(&RequestId::Number(2));
        assert!(callers.find(Some(&RequestId::Number(1)), |_| true).is_none());
        assert!(callers.find(Some(&RequestId::Number(2)), |_| true).is_some());
        assert!(callers.find(None, |_| true).is_some(), "other transports name no request");
    }

    #[test]
    fn question_to_clients_without_a_handshake_stays_open_until_all_calls_have_ended() {
        let callers = Callers::default();
        let (_first, second) = (callers.call(Some(caller())), callers.call(Some(caller())));
        let (_, over) = callers.find(None, |_| true).unwrap();
        drop(second);
        assert!(!over.iter().all(CancellationToken::is_cancelled));
    }
}
