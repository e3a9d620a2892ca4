//! The tool calls of one message.

use agentwire_hub::{
    CallRequest, Hub, Offers, ReadRequest,
    llm::{self, TextCall},
};
use futures_util::{StreamExt, stream::FuturesUnordered};
use serde_json::{Map, Value, json};

use crate::Step;

/// The context of calls.
pub(crate) struct Calls<'a> {
    pub(crate) hub: &'a Hub,
    pub(crate) offers: &'a Offers,
    pub(crate) step: &'a mut (dyn FnMut(Step) + Send + 'a),
}

/// A call by the model, or the name of an invalid one, and why.
pub(crate) type Call = Result<TextCall, (String, String)>;

/// The result of a call.
pub(crate) struct Done {
    pub(crate) name: String,
    /// Content blocks of the API.
    pub(crate) content: Vec<Value>,
    pub(crate) failed: bool,
    /// Whether this program wrote the content, and not a server.
    pub(crate) is_ours: bool,
}

impl Calls<'_> {
    /// Makes all calls concurrently; the results are in the order of the calls.
    pub(crate) async fn make(self, wanted: Vec<Call>) -> Vec<Done> {
        let (hub, offers) = (self.hub, self.offers);
        let mut done: Vec<Option<Done>> = wanted.iter().map(|_| None).collect();
        let mut running: FuturesUnordered<_> = FuturesUnordered::new();
        for (at, call) in wanted.into_iter().enumerate() {
            if call.is_ok() {
                (self.step)(Step::Calls { name: shown(&call) });
            }
            running.push(async move { (at, made(hub, offers, call).await) });
        }
        while let Some((at, one)) = running.next().await {
            (self.step)(Step::Called { name: one.name.clone(), failed: one.failed });
            done[at] = Some(one);
        }
        done.into_iter().flatten().collect()
    }
}

/// Returns the name of a call for display.
fn shown(call: &Call) -> String {
    match call {
        Ok(TextCall::Tool { server: Some(server), tool, .. }) => format!("{server}/{tool}"),
        Ok(TextCall::Tool { tool: name, .. } | TextCall::Resource { uri: name, .. }) | Err((name, _)) => {
            name.clone()
        }
        Ok(_) => "a call".to_owned(),
    }
}

async fn made(hub: &Hub, offers: &Offers, call: Call) -> Done {
    let (name, is_ours) = (shown(&call), call.is_err());
    let made = match call {
        Err((_, why)) => Err(why),
        Ok(TextCall::Resource { server, uri }) => {
            let read = hub.read_resource(ReadRequest::new(server, uri).caller(CALLER).with_approval()).await;
            let made = read.map(|read| (llm::messages_contents(&read.contents), false));
            made.map_err(|error| error.to_string())
        }
        Ok(TextCall::Tool { server, tool, arguments }) => called(hub, offers, server, tool, arguments).await,
        Ok(_) => Err("this form is not known here".to_owned()),
    };
    let (content, failed) = made.unwrap_or_else(|why| (vec![json!({"type": "text", "text": why})], true));
    Done { name, content, failed, is_ours }
}

/// Returns a tool's result, or why it was not called.
async fn called(
    hub: &Hub,
    offers: &Offers,
    server: Option<String>,
    tool: String,
    arguments: Map<String, Value>,
) -> Result<(Vec<Value>, bool), String> {
    let (server, tool) = match server {
        // `Hub::call` treats `-` and `_` as equal in both names.
        Some(server) => (server, tool),
        None => {
            let named = offers.names().spelt(&tool).map_err(|error| error.to_string())?;
            (named.server.to_string(), named.item.to_string())
        }
    };
    let request = CallRequest::new(server, tool).arguments(arguments).caller(CALLER);
    match hub.call(request).await {
        Ok(outcome) => Ok((llm::messages_content(&outcome), outcome.is_error)),
        Err(error) => Err(error.to_string()),
    }
}

/// The caller's name in the hub's records.
const CALLER: &str = "agentwire-chat";
