//! Makes the calls of a message, and builds the reply.

use agentwire_hub::{
    Offers,
    llm::{self, Misread, TextCall, Why},
};
use serde_json::{Map, Value, json};

use crate::{
    ApiError, Form, Step,
    api::Reply,
    calls::{Call, Calls, Done},
};

/// Returns the text of a message.
pub(crate) fn text(content: &[Value]) -> String {
    let blocks = content.iter().filter(|block| block["type"] == "text");
    blocks.filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Returns the tool that reads resources, if there are any; its name can't clash with a server's tool.
pub(crate) fn reader(offers: &Offers) -> Option<Value> {
    let has_resources =
        |server: &llm::DescribedServer| !server.resources.is_empty() || !server.templates.is_empty();
    offers.described().iter().any(has_resources).then(|| {
        json!({
            "name": READER,
            "description": "Reads a resource of an MCP server.",
            "input_schema": {
                "type": "object",
                "properties": {
                    "server": {"type": "string", "description": "the server that lists it"},
                    "uri": {"type": "string"},
                },
                "required": ["server", "uri"],
            },
        })
    })
}

/// Makes the calls of a message (`tool_use`) concurrently, and returns the results in order, with the images of failed
/// calls at the end; `None` without calls.
pub(crate) async fn native(reply: &Reply, calls: Calls<'_>) -> Option<Vec<Value>> {
    let uses: Vec<_> = reply.content.iter().filter(|block| block["type"] == "tool_use").collect();
    if uses.is_empty() {
        return None;
    }
    let is_cut = is_cut(reply.stop_reason.as_deref());
    let wanted = uses.iter().map(|block| match is_cut {
        true => Err((named(block), CUT.to_owned())),
        false => native_call(block),
    });
    let done = calls.make(wanted.collect()).await;
    let (mut results, mut images) = (Vec::new(), Vec::new());
    for (block, Done { mut content, failed, .. }) in uses.iter().zip(done) {
        if failed {
            // The API accepts only texts in the result of a failed call, and requires at least one.
            let before = images.len();
            images.extend(content.extract_if(.., |part| part["type"] != "text"));
            if images.len() > before {
                content.push(json!({"type": "text", "text": "(its images follow the results)"}));
            }
        }
        results.push(json!({
            "type": "tool_result",
            "tool_use_id": block["id"],
            "content": content,
            "is_error": failed,
        }));
    }
    results.extend(images);
    Some(results)
}

/// Makes the calls in a text, and reports invalid ones; returns `None` if the text contains no calls.
pub(crate) async fn from_text(
    text: &str,
    form: Form,
    stop_reason: Option<&str>,
    calls: Calls<'_>,
) -> Option<Vec<Value>> {
    let findings = llm::read(text, form);
    if findings.is_empty() {
        return None;
    }
    let is_cut = is_cut(stop_reason);
    let wanted = findings.into_iter().map(|finding| match finding.call {
        Ok(_) | Err(Misread { why: Why::Unfinished, .. }) if is_cut => {
            Err(("a call".to_owned(), CUT.to_owned()))
        }
        Ok(call) => Ok(call),
        Err(misread) => {
            (calls.step)(Step::Misread(misread.to_string()));
            Err(("a call".to_owned(), misread.advice()))
        }
    });
    let wanted: Vec<_> = wanted.collect();
    let done = calls.make(wanted).await;
    let answers = done.into_iter().enumerate().flat_map(|(at, Done { name, content, failed, is_ours })| {
        let what = if failed { "Error" } else { "Result" };
        let head = json!({"type": "text", "text": format!("{what} of call {} ({name}):", at + 1)});
        [head].into_iter().chain(content.into_iter().map(move |block| quoted(block, is_ours)))
    });
    Some(answers.collect())
}

/// Replaces the results that the model has not answered by an error; returns `false` if there are none.
pub(crate) fn drop_results(messages: &mut [Value], why: &ApiError) -> bool {
    let last_reply = messages.iter().rposition(|message| message["role"] == "assistant");
    let after = last_reply.and_then(|at| messages.get_mut(at + 1));
    let Some(results) = after.and_then(|message| message["content"].as_array_mut()) else { return false };
    let error = json!({"type": "text", "text": format!(
        "The results of your calls can't be shown: {why}. The calls may have had their effect. Ask for less, such as a smaller image."
    )});
    // Each native call needs a result.
    results.retain(|block| block["type"] == "tool_result");
    for result in results.iter_mut() {
        result["content"] = json!([error]);
        result["is_error"] = json!(true);
    }
    if results.is_empty() {
        results.push(error);
    }
    true
}

/// Quotes the text of a block, so that a result can't be mistaken for the user's words.
fn quoted(block: Value, is_ours: bool) -> Value {
    match block["text"].as_str() {
        Some(text) if !is_ours => json!({"type": "text", "text": llm::quoted(text)}),
        _ => block,
    }
}

fn native_call(block: &Value) -> Call {
    let arguments = match &block["input"] {
        Value::Object(arguments) => arguments.clone(),
        Value::Null => Map::new(),
        _ => return Err((named(block), "the input is not a JSON object".to_owned())),
    };
    let text = |key: &str| arguments.get(key).and_then(Value::as_str).map(str::to_owned);
    match &*named(block) {
        READER => match (text("server"), text("uri")) {
            (Some(server), Some(uri)) => Ok(TextCall::Resource { server, uri }),
            _ => Err((READER.to_owned(), "`server` and `uri` are needed".to_owned())),
        },
        name => Ok(TextCall::Tool { server: None, tool: name.to_owned(), arguments }),
    }
}

/// Returns whether the reply is truncated, so that a call in it may be incomplete.
fn is_cut(stop_reason: Option<&str>) -> bool {
    matches!(stop_reason, Some("max_tokens" | "model_context_window_exceeded"))
}

fn named(block: &Value) -> String {
    block["name"].as_str().unwrap_or_default().to_owned()
}

const READER: &str = "read_resource";
const CUT: &str =
    "The call was not made: your message was cut, as it was too long. Call again, with less beside it.";
