//! Resources, prompts, completions and subscriptions, with the checks and limits of calls.
#![expect(deprecated, reason = "subscriptions are made otherwise in a later version of MCP")]

use std::sync::Arc;

use rmcp::model::{
    ClientRequest, CompleteRequest, CompleteRequestParams, CompletionInfo, GetPromptRequest,
    GetPromptRequestParams, GetPromptResult, ReadResourceRequest, ReadResourceRequestParams,
    ReadResourceResult, ServerCapabilities, ServerResult, SubscribeRequest, SubscribeRequestParams,
    UnsubscribeRequest, UnsubscribeRequestParams,
};
use serde_json::Value;

use super::Hub;
use crate::{
    CallError, DeniedBy, PromptRequest, ReadRequest, Use,
    approval::Proposed,
    audit::{Recording, Rule},
    call::{CallSettings, ClientSide, Target},
    connection::Hold,
    outcome::{bounded_contents, bounded_prompt, bounded_values},
    spelling,
};

impl Hub {
    /// Reads a resource.
    ///
    /// Only a request [`with_approval`](ReadRequest::with_approval), as a [`Gateway`](crate::Gateway) makes it, needs
    /// [`Approval`](crate::Approval). `alwaysAllow` applies to tools only.
    /// Limits, cancellation and records work as in [`call`](Self::call). Content that is too large is cut and marked.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub async fn read_resource(&self, request: ReadRequest) -> Result<ReadResourceResult, CallError> {
        self.read_for(request, ClientSide::default()).await
    }

    pub(crate) async fn read_for(
        &self,
        request: ReadRequest,
        client: ClientSide,
    ) -> Result<ReadResourceResult, CallError> {
        let ReadRequest { server, uri, caller, with_approval } = request;
        let CallSettings { audit, limits, .. } = &self.inner.calls;
        let mut recording =
            Recording::new(audit.as_ref(), Use::Resource, &caller, (&server, &uri), &Value::Null);
        let reading = async {
            let mut target = Target::find(&self.inner.servers, &server)?;
            recording.found(target.server(), &uri);
            target.supports("resources", |offers| offers.resources.is_some())?;
            if !with_approval {
                recording.ruled(|| Rule::Free);
            } else {
                let proposed = Proposed {
                    server: target.server().clone(),
                    what: Use::Resource,
                    name: uri.as_str().into(),
                    tool: None,
                    arguments: Arc::new(Value::Null),
                    caller,
                    has_changed: false,
                };
                self.approve(proposed, &mut recording).await?;
                let again = target.again_for(&self.inner.servers, &uri);
                target = again.inspect_err(|_| recording.ruled(|| Rule::Denied(DeniedBy::Change)))?;
            }
            let params = ReadResourceRequestParams::new(uri.clone());
            let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
            match target.exchange(request, &uri, limits, client).await? {
                ServerResult::ReadResourceResult(result) => Ok(bounded_contents(result, limits)),
                other => Err(target.unexpected(&uri, &other)),
            }
        };
        let result = reading.await;
        recording.end(result.as_ref().map(|_| false).map_err(CallError::code));
        result
    }

    /// Gets a prompt.
    ///
    /// This needs no approval, because a prompt alone has no effect.
    /// Limits, cancellation and records work as in [`call`](Self::call). Content that is too large is cut and marked.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub async fn get_prompt(&self, request: PromptRequest) -> Result<GetPromptResult, CallError> {
        self.get_for(request, ClientSide::default()).await
    }

    pub(crate) async fn get_for(
        &self,
        request: PromptRequest,
        client: ClientSide,
    ) -> Result<GetPromptResult, CallError> {
        let PromptRequest { server, prompt, arguments, caller } = request;
        let CallSettings { audit, limits, .. } = &self.inner.calls;
        let arguments = Value::Object(arguments);
        let mut recording =
            Recording::new(audit.as_ref(), Use::Prompt, &caller, (&server, &prompt), &arguments);
        let getting = async {
            let target = Target::find(&self.inner.servers, &server)?;
            target.supports("prompts", |offers| offers.prompts.is_some())?;
            let prompts = target.catalog.prompts();
            let Some(found) = spelling::find(prompts, |prompt| &prompt.name, &prompt) else {
                return Err(target.unknown("prompt", &prompt, || prompts.iter().map(|prompt| &*prompt.name)));
            };
            let name = found.name.clone();
            recording.found(target.server(), &name);
            recording.ruled(|| Rule::Free);
            let mut params = GetPromptRequestParams::new(name.clone());
            // Also without arguments: servers with optional arguments may require an object.
            params.arguments = arguments.as_object().cloned();
            let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
            match target.exchange(request, &name, limits, client).await? {
                ServerResult::GetPromptResult(result) => Ok(bounded_prompt(result, limits)),
                other => Err(target.unexpected(&name, &other)),
            }
        };
        let result = getting.await;
        recording.end(result.as_ref().map(|_| false).map_err(CallError::code));
        result
    }

    /// Requests completions for an argument of a prompt or a resource template. This is not recorded.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub async fn complete(
        &self,
        server: &str,
        request: CompleteRequestParams,
    ) -> Result<CompletionInfo, CallError> {
        let target = Target::find(&self.inner.servers, server)?;
        target.supports("completions", |offers| offers.completions.is_some())?;
        let request = ClientRequest::CompleteRequest(CompleteRequest::new(request));
        let (name, limits) = ("completion/complete", &self.inner.calls.limits);
        match target.exchange(request, name, limits, ClientSide::default()).await? {
            ServerResult::CompleteResult(result) => Ok(bounded_values(result.completion, limits)),
            other => Err(target.unexpected(name, &other)),
        }
    }

    /// Subscribes to changes of a resource, which [`resource_updated`](crate::ClientHandlers::resource_updated) reports.
    ///
    /// A server may have 1,000 subscriptions. After a reconnect they are made again. A subscription that the server then
    /// refuses is removed and added to the [`troubles`](Self::troubles). The same applies to a refusal by a server
    /// without a handshake, which arrives after this method has returned.
    /// Changes that happen while the server is not connected are not reported. A server without a handshake reports changes
    /// on a stream: when the hub has opened it again, the resource counts as changed.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call), and [`CallError::NotSent`] where the server has too many subscriptions.
    pub async fn subscribe(&self, server: &str, uri: &str) -> Result<(), CallError> {
        // The hold keeps the subscription until the program's own entry exists, even if a client releases the same resource.
        self.hold(server, uri).await?.keep();
        Ok(())
    }

    /// Subscribes for a client of a gateway, until the result is dropped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the subscription.
    pub(crate) async fn hold(&self, server: &str, uri: &str) -> Result<Hold, CallError> {
        let target = self.subscribable(server)?;
        // Before the request is sent: otherwise the release of another client's hold could cancel this subscription.
        let hold = target.connection.subscriptions().hold(uri).ok_or_else(|| CallError::NotSent {
            server: target.server().clone(),
            name: uri.into(),
            why: "too many of its resources are subscribed to".to_owned(),
        })?;
        target.subscribe(uri, self).await.inspect_err(|error| {
            if matches!(error, CallError::Refused { .. }) {
                hold.refused();
            }
        })?;
        Ok(hold)
    }

    /// Returns whether a connected server supports subscriptions to resources.
    pub(crate) fn takes_subscriptions(&self) -> bool {
        let all = self.inner.servers.all();
        all.iter().any(|connection| self.subscribable(connection.name().as_str()).is_ok())
    }

    /// Cancels a subscription of the program. Subscriptions of a gateway's clients to the same resource stay.
    ///
    /// If it fails, the subscription is not made again at the next connection.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub async fn unsubscribe(&self, server: &str, uri: &str) -> Result<(), CallError> {
        let is_held = Target::connection(&self.inner.servers, server)?.subscriptions().remove(uri);
        let target = self.subscribable(server)?;
        if is_held {
            return Ok(());
        }
        let params = UnsubscribeRequestParams::new(uri);
        target.change(uri, ClientRequest::UnsubscribeRequest(UnsubscribeRequest::new(params)), self).await?;
        // A client may have subscribed before the server cancelled the subscription.
        if target.connection.subscriptions().is_held(uri)
            && let Err(error) = target.subscribe(uri, self).await
        {
            tracing::debug!(%error, "a client's subscription was not made again");
        }
        Ok(())
    }

    /// Returns the server, if it is connected and supports subscriptions to resources.
    pub(super) fn subscribable(&self, server: &str) -> Result<Target, CallError> {
        let target = Target::find(&self.inner.servers, server)?;
        target.supports("resources that can be subscribed to", |offers| {
            offers.resources.as_ref().is_some_and(|resources| resources.subscribe == Some(true))
        })?;
        Ok(target)
    }
}

impl Target {
    async fn subscribe(&self, uri: &str, hub: &Hub) -> Result<(), CallError> {
        let request = SubscribeRequest::new(SubscribeRequestParams::new(uri));
        self.change(uri, ClientRequest::SubscribeRequest(request), hub).await
    }

    async fn change(&self, uri: &str, request: ClientRequest, hub: &Hub) -> Result<(), CallError> {
        // Without a handshake, a subscription is a stream that the connection keeps open.
        if !self.live.is_stateless() {
            self.exchange(request, uri, &hub.inner.calls.limits, ClientSide::default()).await?;
        }
        Ok(())
    }

    fn supports(
        &self,
        what: &'static str,
        offers: impl Fn(&ServerCapabilities) -> bool,
    ) -> Result<(), CallError> {
        if self.live.info.as_ref().is_some_and(|info| offers(&info.capabilities)) {
            return Ok(());
        }
        Err(CallError::Unsupported { server: self.server().clone(), what })
    }
}
