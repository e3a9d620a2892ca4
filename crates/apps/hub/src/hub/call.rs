//! Tool calls with schema check, approval, limits and records.

use std::sync::Arc;

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, CustomResult, ServerResult};
use serde_json::{Map, Value};

use super::Hub;
use crate::{
    CallError, CallOutcome, CallRequest, DeniedBy, Use,
    approval::{Denied, Proposed},
    audit::{Recording, Rule},
    call::{ClientSide, Target},
};

impl Hub {
    /// Calls a tool.
    ///
    /// First the server and the tool must exist and be enabled, and the arguments must match the tool's schema.
    /// Then the configuration (`alwaysAllow`) or the [`Approval`](crate::Approval) must allow the call. Approval may take
    /// minutes, so server and tool are checked a second time: they must be unchanged and still enabled.
    /// The time limit is the configured one, and follows changes of the configuration while the call is in flight.
    /// Each progress notification, and each question to the user, restarts it, up to
    /// [`CallLimits::longest`](crate::CallLimits::longest).
    ///
    /// Calls run concurrently and in no order.
    ///
    /// # Errors
    ///
    /// [`CallError`] contains the reason, and alternatives if there are some.
    /// A failure of the tool is an outcome ([`CallOutcome::is_error`]), and so is a result that does not match its schema
    /// ([`CallOutcome::violations`]).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, or the time is over, the call is cancelled at the server (`notifications/cancelled`).
    pub async fn call(&self, mut request: CallRequest) -> Result<CallOutcome, CallError> {
        let on_progress = request.on_progress.take();
        self.call_for(request, ClientSide { on_progress, ..ClientSide::default() }).await
    }

    pub(crate) async fn call_for(
        &self,
        request: CallRequest,
        client: ClientSide,
    ) -> Result<CallOutcome, CallError> {
        let CallRequest { server, tool, arguments, caller, .. } = request;
        let audit = self.inner.calls.audit.as_ref();
        let mut recording = Recording::new(audit, Use::Tool, &caller, (&server, &tool), &arguments);
        let outcome = self.call_recorded((&server, &tool), arguments, caller, client, &mut recording).await;
        recording.end(outcome.as_ref().map(|outcome| outcome.is_error).map_err(CallError::code));
        outcome
    }

    async fn call_recorded(
        &self,
        (server, tool): (&str, &str),
        arguments: Value,
        caller: Arc<str>,
        client: ClientSide,
        recording: &mut Recording,
    ) -> Result<CallOutcome, CallError> {
        let mut target = Target::find(&self.inner.servers, server)?;
        let name = target.tool(tool)?.name.clone();
        recording.found(target.server(), &name);
        target.needs_no_task(&name)?;
        let arguments = target.check(&name, arguments).await?;
        let pattern = target.configured.config.always_allow.matching(&name);
        let has_changed = pattern.is_some() && !target.connection.allowed().has(target.tool(&name)?);
        let arguments = if let Some(pattern) = pattern.filter(|_| !has_changed) {
            recording.ruled(|| Rule::Configuration(pattern.into()));
            arguments
        } else if self.inner.calls.approval.is_allowed() {
            recording.ruled(|| Rule::Program);
            arguments
        } else {
            let (tool, arguments) = (target.tool(&name)?.clone(), Arc::new(arguments));
            let proposed = Proposed {
                server: target.server().clone(),
                what: Use::Tool,
                name: name.as_ref().into(),
                tool: Some(tool.clone()),
                arguments: Arc::clone(&arguments),
                caller,
                has_changed,
            };
            let approved = self.approve(proposed, recording).await?;
            let mut changed = |_: &CallError| recording.ruled(|| Rule::Denied(DeniedBy::Change));
            target = target.again(&self.inner.servers, &tool).inspect_err(&mut changed)?;
            if approved == Rule::AllowedAlways {
                target.connection.allowed().accept(&tool);
                self.remember(target.server(), &name).await;
                target = target.again(&self.inner.servers, &tool).inspect_err(&mut changed)?;
            }
            // The approval handler may still have a clone.
            let arguments = Arc::try_unwrap(arguments).unwrap_or_else(|kept| (*kept).clone());
            target.check(&name, arguments).await?
        };
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        let params = CallToolRequestParams::new(name.clone()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let answer = target.exchange(request, &name, &self.inner.calls.limits, client).await?;
        let result = match answer {
            ServerResult::CallToolResult(result) => result,
            ServerResult::CustomResult(CustomResult(result)) => target.lenient(&name, result)?,
            other => return Err(target.unexpected(&name, &other)),
        };
        let mut outcome = CallOutcome::bounded(result, &self.inner.calls.limits);
        outcome.violations = target.verify(&name, &outcome).await;
        Ok(outcome)
    }

    pub(crate) async fn approve(
        &self,
        proposed: Proposed,
        recording: &mut Recording,
    ) -> Result<Rule, CallError> {
        let (server, tool) = (proposed.server.clone(), proposed.name.clone());
        let answer = self.inner.calls.approval.decide(proposed).await;
        recording.ruled(|| answer.as_ref().map_or_else(|denied| Rule::Denied(denied.by), Rule::clone));
        answer.map_err(|Denied { by, reason }| CallError::Denied { server, tool, by, reason })
    }
}
