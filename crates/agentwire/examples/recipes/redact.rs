//! Recipe `redact`: the model does not get to see secrets in what tools say.

use std::{cmp::Reverse, future::ready, sync::Arc};

use agentwire::{
    RawJson,
    hooks::Hooks,
    protocol::{
        DecodeError,
        hook::{HookReply, PostToolBatch, PostToolBatchInput, PostToolUse},
    },
};
use serde_json::Value;

/// Takes these texts, such as keys that your program knows, out of the outputs of all tools before the model gets them.
///
/// The output of a tool that *fails* can't be changed: where it holds a secret, the turn is ended before the model is
/// asked again.
/// The secret stays in the conversation all the same, so begin a new session then: the next prompt would send it.
///
/// Not covered: a secret that is told otherwise (base64, in two halves, in a picture), files of long outputs that the
/// CLI saves, and what a tool does with the secret itself.
/// A failing `PostToolUse` hook can't keep an output back; then the look at the whole batch ends the turn.
pub(crate) fn outputs<I>(hooks: Hooks, secrets: I) -> Hooks
where
    I: IntoIterator,
    I::Item: Into<String>,
{
    // An empty text is everywhere.
    let mut secrets: Vec<String> =
        secrets.into_iter().map(Into::into).filter(|secret| !secret.is_empty()).collect();
    // One may be a part of another, of which nothing is to be left.
    secrets.sort_by_key(|secret| Reverse(secret.len()));
    let secrets: Arc<[String]> = secrets.into();
    let of_batches = Arc::clone(&secrets);
    hooks
        .on(PostToolUse, move |input, _cx| ready(reply(&input.tool_response, &secrets)))
        .on(PostToolBatch, move |input, _cx| ready(judge(&input, &of_batches)))
}

/// An error ends the turn too.
fn judge(input: &PostToolBatchInput, secrets: &[String]) -> Result<HookReply<PostToolBatch>, DecodeError> {
    for output in input.tool_calls.iter().filter_map(|call| call.tool_response.as_ref()) {
        if clean(&mut output.decode()?, secrets) {
            return Ok(HookReply::block("the output of a tool holds a secret that could not be taken out"));
        }
    }
    Ok(HookReply::proceed())
}

/// The changed output has the tool's own shape: the CLI passes over any other without a word.
pub(super) fn reply(output: &RawJson, secrets: &[String]) -> Result<HookReply<PostToolUse>, String> {
    let mut value = output.decode().map_err(|error| error.to_string())?;
    if !clean(&mut value, secrets) {
        return Ok(HookReply::proceed());
    }
    RawJson::encode(&value).map(HookReply::replace_output).map_err(|error| error.to_string())
}

/// Takes the secrets out, in the tool's own shape; whether there were any.
fn clean(value: &mut Value, secrets: &[String]) -> bool {
    match value {
        Value::String(text) => clean_text(text, secrets),
        Value::Array(items) => items.iter_mut().fold(false, |found, item| clean(item, secrets) | found),
        Value::Object(fields) => {
            let mut found = false;
            let taken = std::mem::take(fields).into_iter().map(|(mut name, mut field)| {
                found |= clean_text(&mut name, secrets) | clean(&mut field, secrets);
                (name, field)
            });
            *fields = taken.collect();
            found
        }
        Value::Number(number) => {
            let found = clean_text(&mut number.to_string(), secrets);
            if found {
                // Another type would not be the tool's own shape.
                *value = Value::from(0);
            }
            found
        }
        _ => false,
    }
}

fn clean_text(text: &mut String, secrets: &[String]) -> bool {
    let found = secrets.iter().filter(|secret| text.contains(&***secret)).collect::<Vec<_>>();
    for secret in &found {
        *text = text.replace(&***secret, PUT_INSTEAD);
    }
    !found.is_empty()
}

const PUT_INSTEAD: &str = "[redacted]";
