//! Tools and a prompt that ask something before they answer.

use rmcp::{ErrorData, model::InputResponses};
use serde_json::{Value, json};

/// The input in a repeated request.
#[derive(Clone, Copy)]
pub(super) struct Answers<'a> {
    pub(super) given: Option<&'a InputResponses>,
    pub(super) state: Option<&'a str>,
}

/// Returns the result that asks the next questions of this tool or prompt, until all are answered.
pub(super) fn next(name: &str, arguments: &Value, answers: Answers<'_>) -> Result<Option<Value>, ErrorData> {
    let rounds = rounds(name, arguments);
    let round = match answers.state {
        None => 0,
        Some(state) => (0..rounds.len())
            .find(|round| state == state_of(*round))
            .ok_or_else(|| ErrorData::invalid_params("this `requestState` was not given out", None))?,
    };
    let Some(questions) = rounds.get(round) else { return Ok(None) };
    // An answer is an object; anything else counts as missing.
    let is_answered =
        |key: &String| answers.given.and_then(|given| given.get(key)).is_some_and(Value::is_object);
    let next = match questions.as_object() {
        Some(questions) if questions.keys().all(is_answered) => round + 1,
        _ => round,
    };
    Ok(rounds.get(next).map(|questions| {
        json!({"resultType": "input_required", "inputRequests": questions, "requestState": state_of(next)})
    }))
}

fn state_of(round: usize) -> String {
    format!("round-{round}")
}

/// Returns the requests of each round, by their keys.
fn rounds(name: &str, arguments: &Value) -> Vec<Value> {
    let text =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    let user_name = || form("What is your name?", text("name"));
    match name {
        "test_sampling" => vec![json!({"sample": sample(arguments["prompt"].as_str().unwrap_or_default())})],
        "test_elicitation" => {
            let schema = json!({
                "type": "object",
                "properties": {
                    "username": {"type": "string", "description": "User's response"},
                    "email": {"type": "string", "description": "User's email address"},
                },
                "required": ["username", "email"],
            });
            vec![json!({"user": form(arguments["message"].as_str().unwrap_or_default(), schema)})]
        }
        "test_elicitation_sep1034_defaults" => vec![json!({"defaults": form("Defaults", defaults())})],
        "test_elicitation_sep1330_enums" => vec![json!({"enums": form("Choices", enums())})],
        "test_input_required_result_elicitation" => vec![json!({"user_name": user_name()})],
        "test_streaming_elicitation" => vec![json!({"value": form("Provide a value", text("value"))})],
        "test_input_required_result_sampling" => {
            vec![json!({"capital_question": sample("What is the capital of France?")})]
        }
        "test_input_required_result_list_roots" => vec![json!({"client_roots": roots()})],
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            let schema =
                json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
            vec![json!({"confirm": form("Please confirm", schema)})]
        }
        // The hub handles clients without the capability.
        "test_input_required_result_multiple_inputs" | "test_input_required_result_capabilities" => {
            let greeting = sample("Generate a greeting");
            vec![json!({"user_name": user_name(), "greeting": greeting, "client_roots": roots()})]
        }
        "test_input_required_result_multi_round" => vec![
            json!({"step1": form("Step 1: What is your name?", text("name"))}),
            json!({"step2": form("Step 2: What is your favorite color?", text("color"))}),
        ],
        "test_input_required_result_prompt" => {
            vec![json!({"user_context": form("What context should the prompt use?", text("context"))})]
        }
        _ => Vec::new(),
    }
}

fn form(message: &str, schema: Value) -> Value {
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

fn sample(text: &str) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}})
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

/// Returns a field of each kind, with a default.
fn defaults() -> Value {
    json!({"type": "object", "properties": {
        "name": {"type": "string", "description": "User name", "default": "John Doe"},
        "age": {"type": "integer", "description": "User age", "default": 30},
        "score": {"type": "number", "description": "User score", "default": 95.5},
        "status": {"type": "string", "description": "User status", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "description": "Verification status", "default": true},
    }})
}

/// Returns a choice of each kind.
fn enums() -> Value {
    let titled = |first: &str, second: &str, third: &str| {
        json!([
            {"const": "value1", "title": first}, {"const": "value2", "title": second}, {"const": "value3", "title": third},
        ])
    };
    json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": titled("First Option", "Second Option", "Third Option")},
        "legacyEnum": {
            "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {
            "type": "array", "items": {"anyOf": titled("First Choice", "Second Choice", "Third Choice")},
        },
    }})
}
