//! A [`Server`](super::Server) in one session: answers the methods of MCP that it offers.

use std::{
    future::{Future, ready},
    sync::Arc,
};

use agentwire_control::panics::catch_panic;
use agentwire_protocol::{RawJson, ToolUseId};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json, value::RawValue};
use tokio_util::sync::CancellationToken;

use super::{
    Client, Parts,
    resources_and_prompts::ReadableResource,
    running::{UnstartedHandler, run},
};
use crate::{
    Outbox, ResponseFuture, ServerInstance, Tool, ToolContext, ToolOutput,
    failure::note_panic,
    rpc::{self, Kind, RpcError},
};

/// A server in one session.
pub(super) struct ServerSession {
    server: Arc<Parts>,
    client: Arc<Client>,
}

/// The result of a request, or a JSON-RPC error.
pub(super) type Outcome = Result<RawJson, RpcError>;

impl ServerSession {
    pub(super) fn new(server: Arc<Parts>, outbox: Outbox) -> Self {
        Self { server, client: Client::new(outbox) }
    }

    /// Returns the handler of a request.
    fn handler(&self, method: &str, params: Option<&RawValue>) -> Result<UnstartedHandler, RpcError> {
        let Parts { tools, resources, prompts, .. } = &*self.server;
        match method {
            "initialize" => Ok(done(&self.initialize(&decode(method, params)?))),
            "ping" => Ok(done(&json!({}))),
            "tools/list" => Ok(done(&json!({"tools": list(tools, |tool| Some(&tool.listed))}))),
            "tools/call" => self.call_tool(decode(method, params)?),
            "resources/list" if !resources.is_empty() => {
                let resources = list(resources, |resource| match resource {
                    ReadableResource::One(resource, _) => Some(&resource.0),
                    ReadableResource::Template(..) => None,
                });
                Ok(done(&json!({"resources": resources})))
            }
            "resources/templates/list" if !resources.is_empty() => {
                let templates = list(resources, |resource| match resource {
                    ReadableResource::Template(template, _) => Some(&template.0),
                    ReadableResource::One(..) => None,
                });
                Ok(done(&json!({"resourceTemplates": templates})))
            }
            "resources/read" => self.read_resource(decode(method, params)?),
            "prompts/list" if !prompts.is_empty() => {
                Ok(done(&json!({"prompts": list(prompts, |prompt| Some(&prompt.listed.0))})))
            }
            "prompts/get" => self.get_prompt(decode(method, params)?),
            _ => Err(RpcError::unoffered(method)),
        }
    }

    fn initialize(&self, InitializeParams { protocol_version }: &InitializeParams) -> Value {
        let version = VERSIONS.iter().find(|version| *version == protocol_version).unwrap_or(&VERSIONS[0]);
        let Parts { info, instructions, .. } = &*self.server;
        let mut result = json!({
            "protocolVersion": version, "capabilities": self.server.capabilities(), "serverInfo": info,
        });
        if let Some(instructions) = instructions {
            result["instructions"] = instructions.as_str().into();
        }
        result
    }

    fn call_tool(&self, CallTool { name, arguments, meta }: CallTool) -> Result<UnstartedHandler, RpcError> {
        let input = arguments.unwrap_or_else(RawJson::empty_object);
        if !input.as_str().starts_with('{') {
            return Err(RpcError::unfit("tools/call"));
        }
        let tools = &self.server.tools;
        let Some(tool) = tools.iter().find(|tool| tool.name() == name) else {
            let known = rpc::known(tools.iter().map(Tool::name));
            return Err(RpcError::invalid(format!("no tool is called `{name}`; known: {known}")));
        };
        let Meta { tool_use_id, progress_token: progress } = meta.unwrap_or_default();
        let tool_use_id: Option<ToolUseId> = tool_use_id.as_ref().and_then(Value::as_str).map(Into::into);
        let (cancelled, run) = (CancellationToken::new(), Arc::clone(&tool.run));
        let (control, client) = (self.client.outbox.control().clone(), Arc::clone(&self.client));
        let context = ToolContext { cancelled: cancelled.clone(), tool_use_id, control, client, progress };
        let handler = async move {
            let output = caught(async { run(input, context).await }).await;
            let output =
                output.unwrap_or_else(|panic| ToolOutput::error(format!("the tool panicked: {panic}")));
            encode(&output)
        };
        Ok((Box::pin(handler), cancelled))
    }

    fn read_resource(&self, ReadResource { uri }: ReadResource) -> Result<UnstartedHandler, RpcError> {
        let found = self.server.resources.iter().filter_map(|found| Some((found, found.reads(&uri)?)));
        // A resource comes before the templates, as in the reference SDK; of several, the first one counts.
        let is_template = |found: &&ReadableResource| matches!(found, ReadableResource::Template(..));
        let Some((_, read)) = found.min_by_key(|(found, _)| is_template(found)) else {
            return Err(RpcError::new(rpc::RESOURCE_NOT_FOUND, format!("there is no `{uri}`")));
        };
        let read = Arc::clone(read);
        Ok(detached(async move {
            let mut body = read(uri.clone()).await?;
            body.0.entry("uri").or_insert(Value::String(uri));
            Ok(json!({"contents": [body]}))
        }))
    }

    fn get_prompt(&self, GetPrompt { name, arguments }: GetPrompt) -> Result<UnstartedHandler, RpcError> {
        let prompts = &self.server.prompts;
        let Some(prompt) = prompts.iter().find(|prompt| prompt.listed.name() == name) else {
            let known = rpc::known(prompts.iter().map(|prompt| prompt.listed.name()));
            return Err(RpcError::invalid(format!("no prompt is called `{name}`; known: {known}")));
        };
        let arguments = arguments.unwrap_or_default();
        let missing = prompt.listed.required().filter(|argument| !arguments.contains_key(*argument));
        let missing: Vec<_> = missing.map(|argument| format!("`{argument}`")).collect();
        if !missing.is_empty() {
            return Err(RpcError::invalid(format!("the prompt `{name}` needs {}", missing.join(", "))));
        }
        let get = Arc::clone(&prompt.get);
        Ok(detached(async move { get(arguments).await }))
    }
}

/// Closes the client, because handlers may outlive the session and hold it.
impl Drop for ServerSession {
    fn drop(&mut self) {
        self.client.close();
    }
}

impl ServerInstance for ServerSession {
    fn handle(&self, message: RawJson) -> ResponseFuture {
        let (id, method, params) = match rpc::read(&message) {
            Ok(Kind::Request { id, method, params }) => (id, method, params),
            Ok(Kind::Response { id }) => {
                self.client.answer(&id, &message);
                return Box::pin(ready(None));
            }
            // The bridge ends a cancelled request by dropping its future; no other notification matters here.
            Ok(Kind::Notification { .. }) | Err(_) => return Box::pin(ready(None)),
        };
        let handler = self.handler(&method, params);
        Box::pin(async move {
            let outcome = match handler {
                Ok(handler) => run(handler).await,
                Err(error) => Err(error),
            };
            Some(match outcome {
                Ok(result) => rpc::result(&id, result),
                Err(error) => error.response(&id),
            })
        })
    }
}

/// Decodes the parameters of a request.
fn decode<T: DeserializeOwned>(method: &str, params: Option<&RawValue>) -> Result<T, RpcError> {
    rpc::params(params).ok_or_else(|| RpcError::unfit(method))
}

/// Returns the JSON objects of those items that have one.
fn list<T>(items: &[T], listed: impl Fn(&T) -> Option<&Map<String, Value>>) -> Value {
    items.iter().filter_map(listed).cloned().map(Value::Object).collect()
}

/// Returns a handler that answers at once.
fn done(result: &Value) -> UnstartedHandler {
    (Box::pin(ready(encode(result))), CancellationToken::new())
}

/// Wraps the handler of a resource or prompt. Its failure is a JSON-RPC error, since these have no error results.
fn detached<T: serde::Serialize>(
    handler: impl Future<Output = Result<T, String>> + Send + 'static,
) -> UnstartedHandler {
    let handler = async move {
        let output = caught(handler).await.unwrap_or_else(|panic| Err(format!("it panicked: {panic}")));
        encode(&output.map_err(|why| RpcError::new(rpc::INTERNAL_ERROR, why))?)
    };
    (Box::pin(handler), CancellationToken::new())
}

/// Runs a handler, and reports a panic to the observer.
async fn caught<T>(handler: impl Future<Output = T>) -> Result<T, String> {
    catch_panic(handler).await.inspect_err(|panic| note_panic(panic))
}

fn encode(result: &impl serde::Serialize) -> Outcome {
    RawJson::encode(result)
        .map_err(|error| RpcError::new(rpc::INTERNAL_ERROR, format!("the answer can't be written: {error}")))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InitializeParams {
    protocol_version: String,
}

#[derive(Deserialize)]
struct CallTool {
    name: String,
    arguments: Option<RawJson>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    #[serde(rename = "claudecode/toolUseId")]
    tool_use_id: Option<Value>,
    progress_token: Option<Value>,
}

#[derive(Deserialize)]
struct ReadResource {
    uri: String,
}

#[derive(Deserialize)]
struct GetPrompt {
    name: String,
    arguments: Option<Map<String, Value>>,
}

/// The versions of MCP that the server speaks, the preferred one first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
