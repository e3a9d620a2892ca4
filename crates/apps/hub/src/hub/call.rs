//! Calls a tool of a server: checked, approved, bounded and recorded.

use std::sync::Arc;

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, CustomResult, ServerResult};
use serde_json::{Map, Value};

use super::Hub;
use crate::{
    CallError, CallOutcome, CallRequest, DeniedBy, Use,
    approval::{Approved, Denied, Proposed},
    audit::{Recording, Rule},
    call::{Ears, Place},
};

impl Hub {
    /// Calls a tool.
    ///
    /// Nobody is asked, and nothing is sent, before it is clear that server and tool are there and may be used, and that
    /// the arguments fit the tool's schema.
    /// Then the configuration (`alwaysAllow`) allows the call, or the [`Approval`](crate::Approval) is asked;
    /// after that, server and tool are looked at again, as minutes may have passed: they must be the same, and still be enabled.
    /// The server is given the time that is configured *now*: a change counts for calls that are under way, too.
    /// Each progress that it reports, and each question that it asks the user, gives it that time anew, up to
    /// [`CallLimits::longest`](crate::CallLimits::longest).
    ///
    /// When the future is dropped, or the time is over, the server is told (`notifications/cancelled`).
    /// Calls run at the same time, and in no order.
    ///
    /// # Errors
    ///
    /// [`CallError`] says who refused, and what there is instead.
    /// That the tool itself failed is an outcome: [`CallOutcome::is_error`].
    /// So is what it did not promise: [`CallOutcome::violations`].
    pub async fn call(&self, request: CallRequest) -> Result<CallOutcome, CallError> {
        let CallRequest { server, tool, arguments, caller, asked, on_progress } = request;
        let ears = Ears { asked, on_progress };
        let audit = self.calls().audit.as_ref();
        let mut recording = Recording::new(audit, Use::Tool, &caller, (&server, &tool), &arguments);
        let outcome = self.call_recorded((&server, &tool), arguments, caller, ears, &mut recording).await;
        recording.end(outcome.as_ref().map(|outcome| outcome.is_error));
        outcome
    }

    async fn call_recorded(
        &self,
        (server, tool): (&str, &str),
        arguments: Value,
        caller: Arc<str>,
        ears: Ears,
        recording: &mut Recording,
    ) -> Result<CallOutcome, CallError> {
        let mut place = Place::find(self.servers(), server)?;
        let name = place.tool(tool)?.name.clone();
        recording.found(place.server(), &name);
        place.needs_no_task(&name)?;
        let arguments = place.check(&name, arguments)?;
        let config = Arc::clone(&place.config);
        let pattern = config.always_allow.matching(&name);
        let has_changed = pattern.is_some() && !place.connection.allowed().has(place.tool(&name)?);
        let arguments = if let Some(pattern) = pattern.filter(|_| !has_changed) {
            recording.ruled(|| Rule::Configuration(pattern.into()));
            arguments
        } else if self.calls().approval.is_allowed() {
            recording.ruled(|| Rule::Program);
            arguments
        } else {
            let (tool, arguments) = (place.tool(&name)?.clone(), Arc::new(arguments));
            let proposed = Proposed {
                server: place.server().clone(),
                what: Use::Tool,
                name: name.as_ref().into(),
                tool: Some(tool.clone()),
                arguments: Arc::clone(&arguments),
                caller,
                has_changed,
            };
            let approved = self.approve(proposed, recording).await?;
            let mut changed = |_: &CallError| recording.ruled(|| Rule::Denied(DeniedBy::Change));
            place = place.again(self.servers(), &config, &tool).inspect_err(&mut changed)?;
            if approved == Approved::Always {
                place.connection.allowed().accept(&tool);
                self.remember(place.server(), &name).await;
                place = place.again(self.servers(), &config, &tool).inspect_err(&mut changed)?;
            }
            // A handler that has kept them is done with them only by and by.
            let arguments = Arc::try_unwrap(arguments).unwrap_or_else(|kept| (*kept).clone());
            place.check(&name, arguments)?
        };
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        let params = CallToolRequestParams::new(name.clone()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let answer = place.exchange(request, &name, &self.calls().limits, ears).await?;
        let result = match answer {
            ServerResult::CallToolResult(result) => result,
            ServerResult::CustomResult(CustomResult(result)) => place.lenient(&name, result)?,
            other => return Err(place.unexpected(&name, &other)),
        };
        let mut outcome = CallOutcome::bounded(result, &self.calls().limits);
        outcome.violations = place.verify(&name, &outcome);
        Ok(outcome)
    }

    pub(crate) async fn approve(
        &self,
        proposed: Proposed,
        recording: &mut Recording,
    ) -> Result<Approved, CallError> {
        let (server, tool) = (proposed.server.clone(), proposed.name.clone());
        let answer = self.calls().approval.decide(proposed).await;
        recording.decided(&answer);
        answer.map_err(|Denied { by, reason }| CallError::Denied { server, tool, by, reason })
    }
}
