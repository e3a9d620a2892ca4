//! The target of a call: a connected server that is enabled.
#![expect(deprecated, reason = "logging is deprecated in MCP, and servers still use it")]

use std::sync::Arc;

use agentwire_net::{error_chain, excerpt};
use rmcp::{
    ServiceError,
    model::{CallToolResult, ClientRequest, ContentBlock, GetMeta as _, LoggingLevel, ServerResult, Tool},
    service::PeerRequestOptions,
};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout};

use super::{
    ClientSide,
    exchange::{Clock, NoAnswer, Rounds, exchange},
};
#[cfg(feature = "http")]
use crate::transport::http::{RefusedMessage, refusal};
use crate::{
    CallError, CallLimits, CallOutcome, DeniedBy, ServerName, ServerState, TimeLimit, Violation,
    catalog::Catalog,
    config::Configured,
    connection::{Connection, Live},
    outcome::{REPLACED, bounded_error},
    servers::Servers,
    spelling,
    transport::{
        members::needs_task,
        stdio::{SendError, is_unreadable},
    },
};

/// A connected server.
pub(crate) struct Target {
    pub(crate) connection: Arc<Connection>,
    pub(crate) live: Arc<Live>,
    pub(crate) catalog: Arc<Catalog>,
    /// The configuration when the server was found.
    pub(crate) configured: Arc<Configured>,
}

impl Target {
    pub(crate) fn find(servers: &Servers, server: &str) -> Result<Self, CallError> {
        let connection = Self::connection(servers, server)?;
        let not_connected = |state| {
            let server = connection.name().clone();
            match state {
                ServerState::Disabled(by) => CallError::ServerDisabled { server, by },
                state => CallError::NotConnected { server, state },
            }
        };
        let live = connection.live().ok_or_else(|| not_connected(connection.state()))?;
        let catalog = connection.catalog();
        let desired = connection.desired();
        // Disabling takes effect at once, even if the connection has not ended yet. So does another way to reach the server:
        // permissions for the new server do not apply to the old one.
        if desired.generation != live.generation {
            return Err(not_connected(desired.first_state()));
        }
        Ok(Self { connection, live, catalog, configured: desired.configured })
    }

    /// Returns the server of this name, connected or not.
    pub(crate) fn connection(servers: &Servers, server: &str) -> Result<Arc<Connection>, CallError> {
        let all = servers.all();
        if let Some(connection) = spelling::find(&all, |connection| connection.name().as_str(), server) {
            return Ok(Arc::clone(connection));
        }
        let names = || all.iter().map(|connection| connection.name().as_str());
        Err(CallError::UnknownServer {
            server: server.to_owned(),
            suggestion: spelling::closest(names(), server).map(Box::from),
            known: names().map(Box::from).collect(),
        })
    }

    pub(crate) fn server(&self) -> &ServerName {
        self.connection.name()
    }

    /// Returns the tool of this name, if it is enabled.
    pub(crate) fn tool(&self, name: &str) -> Result<&Tool, CallError> {
        let config = &self.configured.config;
        let tools = self.catalog.tools();
        let Some(tool) = spelling::find(tools, |tool| &tool.name, name) else {
            let names = || tools.iter().map(|tool| &*tool.name).filter(|name| config.enables(name));
            return Err(self.unknown("tool", name, names));
        };
        if config.enables(&tool.name) {
            return Ok(tool);
        }
        Err(CallError::ToolDisabled { server: self.server().clone(), tool: (*tool.name).into() })
    }

    /// Finds the server again after approval. Fails if the server or the tool has changed.
    pub(crate) fn again(&self, servers: &Servers, tool: &Tool) -> Result<Self, CallError> {
        let now = self.again_for(servers, &tool.name)?;
        if !now.configured.config.enables(&tool.name) {
            return Err(CallError::ToolDisabled { server: self.server().clone(), tool: (*tool.name).into() });
        }
        if now.catalog.tools().contains(tool) { Ok(now) } else { Err(self.changed(&tool.name)) }
    }

    /// Finds the server again after approval to use a tool or a resource. Fails if the server has changed.
    pub(crate) fn again_for(&self, servers: &Servers, name: &str) -> Result<Self, CallError> {
        let now = Self::find(servers, self.server().as_str())?;
        let is_same =
            self.server() == now.server() && self.configured.config.launch == now.configured.config.launch;
        if is_same { Ok(now) } else { Err(self.changed(name)) }
    }

    fn changed(&self, name: &str) -> CallError {
        let (server, tool) = (self.server().clone(), name.into());
        CallError::Denied { server, tool, by: DeniedBy::Change, reason: None }
    }

    /// Returns the error for an unknown name, with the known names.
    pub(crate) fn unknown<'a, I: Iterator<Item = &'a str>>(
        &self,
        kind: &'static str,
        name: &str,
        names: impl Fn() -> I,
    ) -> CallError {
        CallError::Unknown {
            server: self.server().clone(),
            kind,
            name: name.to_owned(),
            suggestion: spelling::closest(names(), name).map(Box::from),
            known: names().map(Box::from).collect(),
        }
    }

    /// Returns the arguments, if they match the schema of the tool.
    ///
    /// An optional argument that is `null` against the schema is removed: models write `null` for a missing argument.
    pub(crate) async fn check(&self, tool: &str, arguments: Value) -> Result<Value, CallError> {
        let mut arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
        if !arguments.is_object() {
            return Err(self.misfit(tool, vec![Violation::whole("they must be an object")]));
        }
        let Some(schemas) = self.catalog.schemas(tool) else { return Err(self.changed(tool)) };
        let violations = schemas.input.violations(tool, &arguments).await;
        if violations.is_empty() {
            return Ok(arguments);
        }
        let misplaced =
            |name: &str| violations.iter().any(|wrong| wrong.pointer.strip_prefix('/') == Some(name));
        if let Value::Object(arguments) = &mut arguments {
            arguments.retain(|name, value| !(value.is_null() && misplaced(name)));
        }
        // Report the first violations: a required argument was `null` and is missing only now.
        match schemas.input.violations(tool, &arguments).await.is_empty() {
            true => Ok(arguments),
            false => Err(self.misfit(tool, violations)),
        }
    }

    /// Fails if the tool can be called as a task only. Versions without a handshake have no such tools.
    pub(crate) fn needs_no_task(&self, tool: &str) -> Result<(), CallError> {
        if self.live.is_stateless() || !needs_task(self.tool(tool)?) {
            return Ok(());
        }
        Err(CallError::NeedsTask { server: self.server().clone(), tool: tool.into() })
    }

    fn misfit(&self, tool: &str, violations: Vec<Violation>) -> CallError {
        CallError::BadArguments { server: self.server().clone(), tool: tool.into(), violations }
    }

    /// Returns the violations of the tool's output schema. A failed call and an unusable schema have none.
    pub(crate) async fn verify(&self, tool: &str, outcome: &CallOutcome) -> Vec<Violation> {
        let schema = self.catalog.schemas(tool).and_then(|schemas| schemas.output.as_ref());
        let Some(schema) = schema.filter(|_| !outcome.is_error) else { return Vec::new() };
        if !schema.is_usable(tool).await {
            return Vec::new();
        }
        match &outcome.structured {
            Some(structured) => schema.violations(tool, structured).await,
            // Content that was too large is not in the outcome.
            None if outcome.left_out.is_some() => Vec::new(),
            None => vec![Violation::whole("there is none")],
        }
    }

    /// Sends a request and waits for the answer, up to the configured limit.
    pub(crate) async fn exchange(
        &self,
        mut request: ClientRequest,
        name: &str,
        limits: &CallLimits,
        mut client: ClientSide,
    ) -> Result<ServerResult, CallError> {
        let (started, is_stateless) = (Instant::now(), self.live.is_stateless());
        let mut rounds = Rounds::default();
        if is_stateless {
            // Without a level, such a server sends no log messages for the request.
            request.get_meta_mut().set_log_level(LoggingLevel::Info);
        }
        loop {
            // Only a server without a handshake requests more input.
            let again = is_stateless.then(|| request.clone());
            let mut meta = client.meta.clone();
            if is_stateless {
                // The capabilities are part of each request to such a server.
                let capabilities = self.live.client.capabilities_for(client.gateway_client.as_ref());
                meta.set_client_capabilities(capabilities);
            }
            let options = PeerRequestOptions::no_options().with_meta(meta);
            let clock = Clock::new(self.connection.follow(), started, limits.longest);
            let answer = exchange(&self.live, request, options, clock, &mut client).await;
            let (wanted, mut next) = match (answer, again) {
                (Ok(ServerResult::InputRequiredResult(wanted)), Some(next)) => (wanted, next),
                (Ok(answer), _) => return Ok(answer),
                (Err(why), _) => {
                    return Err(match self.unanswered(name, why).await {
                        // The server received an earlier round.
                        CallError::NotSent { server, name, why } if rounds.all > 0 => {
                            CallError::ConnectionLost { server, name, why: Some(why.into()) }
                        }
                        error => error,
                    });
                }
            };
            let longest = limits.longest.max(self.connection.configured().config.timeout);
            let left = longest.saturating_sub(started.elapsed());
            let more = rounds.answer(wanted, &mut next, &self.live.client, client.gateway_client.as_ref());
            match timeout(left, more).await {
                Ok(Ok(())) => request = next,
                Ok(Err(why)) => return Err(self.unreadable(name, why)),
                Err(_) => {
                    let (after, limit) = (started.elapsed(), TimeLimit::Longest(longest));
                    return Err(self.unanswered(name, NoAnswer::TimedOut { after, limit }).await);
                }
            }
        }
    }

    async fn unanswered(&self, name: &str, why: NoAnswer) -> CallError {
        let (server, name) = (self.server().clone(), name.into());
        match why {
            NoAnswer::TimedOut { after, limit } => CallError::TimedOut { server, name, after, limit },
            NoAnswer::Failed(ServiceError::McpError(error)) if is_unreadable(&error) => {
                self.unreadable(&name, excerpt(&error.message))
            }
            NoAnswer::Failed(ServiceError::McpError(error)) if error.message == REPLACED => {
                CallError::ConnectionLost { server, name, why: Some(error.message.into()) }
            }
            NoAnswer::Failed(ServiceError::McpError(error)) => {
                CallError::Refused { server, name, error: bounded_error(error) }
            }
            NoAnswer::Failed(ServiceError::TransportSend(error)) => {
                if let Some(SendError::Full(_)) = error.error.downcast_ref() {
                    return CallError::NotSent { server, name, why: error.error.to_string() };
                }
                #[cfg(feature = "http")]
                match refusal(&*error.error) {
                    Some(RefusedMessage::Unauthorized(why)) => {
                        return CallError::Unauthorized { server, name, why };
                    }
                    Some(RefusedMessage::NotSent(why)) => return CallError::NotSent { server, name, why },
                    Some(RefusedMessage::Unreadable(why)) => return self.unreadable(&name, excerpt(&why)),
                    _ => {}
                }
                let cause = excerpt(&error_chain(&*error.error)).into();
                // The connection ends only after its errors are dropped.
                drop(error);
                let why = self.connection.loss().await.unwrap_or(cause);
                CallError::ConnectionLost { server, name, why: Some(why) }
            }
            NoAnswer::Failed(ServiceError::TransportClosed | ServiceError::Cancelled { .. }) => {
                CallError::ConnectionLost { server, name, why: self.connection.loss().await }
            }
            NoAnswer::Failed(error) => self.unreadable(&name, excerpt(&error.to_string())),
        }
    }

    /// Reads a result with unknown kinds of content, which become JSON texts.
    pub(crate) fn lenient(&self, name: &str, mut result: Value) -> Result<CallToolResult, CallError> {
        for block in result.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
            if serde_json::from_value::<ContentBlock>(block.clone()).is_err() {
                *block = serde_json::json!({"type": "text", "text": block.to_string()});
            }
        }
        serde_json::from_value(result).map_err(|error| self.unreadable(name, excerpt(&error.to_string())))
    }

    /// Returns the error for an answer of another kind.
    pub(crate) fn unexpected(&self, name: &str, answer: &ServerResult) -> CallError {
        let why = match answer {
            ServerResult::InputRequiredResult(_) => {
                "it wants more input first, which only a later version of MCP has"
            }
            ServerResult::CreateTaskResult(_) => "it made a task of it, which was not asked for",
            _ => "it is of another kind",
        };
        self.unreadable(name, why)
    }

    fn unreadable(&self, name: &str, why: impl Into<String>) -> CallError {
        CallError::Protocol { server: self.server().clone(), name: name.into(), why: why.into() }
    }
}
