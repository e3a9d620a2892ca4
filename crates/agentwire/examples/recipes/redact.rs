//! Recipe `redact`: removes secrets from tool outputs before the model sees them.

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

/// Removes these texts, such as keys that your program knows, from the outputs of all tools before the model gets them.
///
/// The output of a *failing* tool can't be changed: if it contains a secret, the turn ends before the model is called
/// again.
/// The secret stays in the conversation, so start a new session then: the next prompt would send it.
///
/// Not covered: an encoded secret (base64, split, in an image), files in which the CLI saves long outputs, and use of
/// the secret by the tool itself.
/// A failing `PostToolUse` hook can't withhold an output; then the check of the whole batch ends the turn.
pub(crate) fn outputs<I>(hooks: Hooks, secrets: I) -> Hooks
where
    I: IntoIterator,
    I::Item: Into<String>,
{
    // An empty text would match everywhere.
    let mut secrets: Vec<String> =
        secrets.into_iter().map(Into::into).filter(|secret| !secret.is_empty()).collect();
    // A secret may contain another one: replace the longer first, so that no part remains.
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

/// The changed output must have the tool's own shape: the CLI silently ignores any other.
pub(super) fn reply(output: &RawJson, secrets: &[String]) -> Result<HookReply<PostToolUse>, String> {
    let mut value = output.decode().map_err(|error| error.to_string())?;
    if !clean(&mut value, secrets) {
        return Ok(HookReply::proceed());
    }
    RawJson::encode(&value).map(HookReply::replace_output).map_err(|error| error.to_string())
}

/// Removes the secrets and keeps the shape; returns whether there were any.
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
                // Another type would change the shape.
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
