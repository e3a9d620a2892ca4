//! An MCP server with recorded answers.

use std::{
    future::{pending, ready},
    sync::Arc,
};

use agentwire::{
    RawJson,
    mcp::{McpService, Outbox, ResponseFuture, ServerInstance},
};

use super::{super::play::Answer, book::Book};
use agentwire_testkit::{
    json::{Json, Value},
    recorded::{Recorded, Role},
};

/// An MCP server that returns the recorded answers of the server with its name.
#[derive(Clone, Debug)]
pub(super) struct RecordedServer {
    exchanges: Arc<Vec<Exchange>>,
    /// The list of its tools, if the handshake contained it, so that the CLI never requested it.
    listed: Option<Arc<str>>,
}

/// A recorded JSON-RPC request and its response.
#[derive(Debug)]
struct Exchange {
    method: Box<str>,
    id: Json,
    /// The JSON-RPC response, or the error in its place; `None` without an answer.
    response: Option<Result<RawJson, String>>,
}

impl RecordedServer {
    pub(super) fn new(name: &str, book: Arc<Book>) -> Self {
        let of_server = book
            .requests
            .iter()
            .filter(|(read, _)| read.json.text_at(&["request", "server_name"]) == Some(name));
        let exchanges = of_server.filter_map(|(read, _)| Exchange::new(read, &book)).collect();
        let manifest =
            book.initialize.as_ref().and_then(|request| request.at(&["sdkMcpServerManifests", name]));
        let listed = manifest.and_then(|manifest| manifest.field("toolsListResult"));
        Self { exchanges: Arc::new(exchanges), listed: listed.map(|listed| listed.to_string().into()) }
    }

    /// Returns the answer to a request; `None` if it was never answered in the recording.
    fn answer(&self, method: &str, id: &Json) -> Option<RawJson> {
        let of_method = || self.exchanges.iter().filter(|exchange| &*exchange.method == method);
        // The bridge requests the list of tools under an id of its own.
        let recorded = of_method().find(|exchange| exchange.id.same(id)).or_else(|| of_method().next());
        let Some(exchange) = recorded else {
            let listed = self.listed.as_ref().filter(|_| method == "tools/list").and_then(|listed| {
                RawJson::parse(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{listed}}}"#)).ok()
            });
            let unknown = || failure(id, "the recorded server was never asked this");
            return Some(listed.unwrap_or_else(unknown));
        };
        let response = exchange.response.as_ref()?;
        Some(response.as_ref().map_or_else(|why| failure(id, why), |response| renamed(response, id)))
    }
}

impl McpService for RecordedServer {
    fn open(&self, _: Outbox) -> Box<dyn ServerInstance> {
        Box::new(self.clone())
    }
}

impl ServerInstance for RecordedServer {
    fn handle(&self, message: RawJson) -> ResponseFuture {
        let message = Json::parse(message.as_str().as_bytes());
        let asked = message.as_ref().and_then(|json| Some((json.text_at(&["method"])?, json.field("id")?)));
        match asked.map(|(method, id)| self.answer(method, id)) {
            Some(None) => Box::pin(pending()),
            answer => Box::pin(ready(answer.flatten())),
        }
    }
}

impl Exchange {
    fn new(read: &Recorded, book: &Book) -> Option<Self> {
        let message = read.json.at(&["request", "message"])?;
        let (method, id) = (message.text_at(&["method"])?, message.field("id")?);
        let Role::Request { id: request, .. } = &read.role else { return None };
        let response =
            book.answer(request).map(|answer: Answer| answer.and_then(|answer| rpc_response(&answer)));
        Some(Self { method: method.into(), id: id.clone(), response })
    }
}

/// Returns the JSON-RPC response in an answer.
fn rpc_response(answer: &RawJson) -> Result<RawJson, String> {
    let text = answer.as_str();
    let response = Json::parse(text.as_bytes()).and_then(|json| {
        let response = json.field("mcp_response")?;
        text.get(response.span.clone()).map(str::to_owned)
    });
    let response = response.and_then(|response| RawJson::parse(response).ok());
    response.ok_or_else(|| "the recorded answer contains no JSON-RPC".to_owned())
}

/// Replaces the id of a response. All other bytes stay.
fn renamed(response: &RawJson, id: &Json) -> RawJson {
    let text = response.as_str();
    let read = Json::parse(text.as_bytes());
    let renamed = read.as_ref().and_then(|read| read.field("id")).and_then(|old| {
        let (before, behind) = (text.get(..old.span.start)?, text.get(old.span.end..)?);
        RawJson::parse(format!("{before}{id}{behind}")).ok()
    });
    renamed.unwrap_or_else(|| response.clone())
}

fn failure(id: &Json, why: &str) -> RawJson {
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":{}}}}}"#,
        Value::quoted(why)
    );
    RawJson::parse(text).unwrap_or_else(|_| RawJson::empty_object())
}
