//! JSON-RPC envelopes: classifies messages, and writes requests, results and errors. Ids keep their JSON text.

use agentwire_protocol::{RawJson, control::McpMessageReply, decode::decode};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

/// The kind of a message.
#[derive(Debug)]
pub(crate) enum Kind<'a> {
    Request {
        id: RawJson,
        method: Box<str>,
        params: Option<&'a RawValue>,
    },
    Notification {
        method: Box<str>,
        params: Option<&'a RawValue>,
    },
    /// Answers a request that the server sent. The id is `null` if there is none.
    Response {
        id: RawJson,
    },
}

/// The error of a JSON-RPC response, sent or received.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl RpcError {
    pub(crate) fn new(code: i32, message: String) -> Self {
        Self { code: code.into(), message }
    }

    pub(crate) fn invalid(message: String) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// The parameters do not have the shape that the method takes.
    pub(crate) fn unfit(method: &str) -> Self {
        Self::invalid(format!("the parameters do not fit `{method}`"))
    }

    /// The server does not have the method.
    pub(crate) fn unoffered(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, format!("the server does not offer `{method}`"))
    }

    /// Writes the response to the request with this id.
    pub(crate) fn response(&self, id: &RawJson) -> RawJson {
        error(id, self.code, &self.message)
    }
}

/// A message that is not JSON-RPC 2.0; `id` is `null` if the message has none.
#[derive(Debug)]
pub(crate) struct Malformed {
    pub(crate) id: RawJson,
    pub(crate) why: &'static str,
}

/// Classifies a message.
pub(crate) fn read(message: &RawJson) -> Result<Kind<'_>, Malformed> {
    let Some(fields) = fields(message) else {
        return Err(Malformed { id: null(), why: "a message must be an object with each field once" });
    };
    let id = fields.id.map(|id| RawJson::from(id.to_owned()));
    let malformed = |why| Malformed { id: id.clone().unwrap_or_else(null), why };
    if text(fields.jsonrpc).as_deref() != Some("2.0") {
        return Err(malformed("`jsonrpc` must be \"2.0\""));
    }
    if id.as_ref().is_some_and(|id| !is_id(id.as_str())) {
        return Err(malformed("`id` must be a string or a number"));
    }
    let answers = fields.result.is_some() || fields.error.is_some();
    let method = match fields.method {
        None if answers => return Ok(Kind::Response { id: id.unwrap_or_else(null) }),
        None => return Err(malformed("it is neither a request nor a response")),
        Some(_) if answers => return Err(malformed("it is both a request and a response")),
        Some(method) => text(Some(method)).ok_or_else(|| malformed("`method` must be a string"))?,
    };
    Ok(match id {
        Some(id) => Kind::Request { id, method, params: fields.params },
        None => Kind::Notification { method, params: fields.params },
    })
}

/// Returns the method of a message, if it has one.
pub(crate) fn method(message: &RawJson) -> Option<Box<str>> {
    fields(message).and_then(|fields| text(fields.method))
}

/// Returns parameters as `T`, or `None` if there are none or they do not fit.
pub(crate) fn params<T: DeserializeOwned>(params: Option<&RawValue>) -> Option<T> {
    decode(params?.get()).ok()
}

/// Returns the id of a message, or `null` if it has none.
#[cfg(any(feature = "rmcp", test))]
pub(crate) fn id(message: &RawJson) -> RawJson {
    fields(message).and_then(|fields| fields.id).map_or_else(null, |id| RawJson::from(id.to_owned()))
}

/// Returns whether a message is a response with this id. Numbers may be written differently.
pub(crate) fn answers(message: &RawJson, id: &RawJson) -> bool {
    let value = |id: &RawJson| {
        let value = id.decode().unwrap_or(Value::Null);
        value.as_f64().map_or(value, Value::from)
    };
    let is_same = |answered: &RawJson| answered.as_str() == id.as_str() || value(answered) == value(id);
    matches!(read(message), Ok(Kind::Response { id }) if is_same(&id))
}

/// Lists the known names, for the error about an unknown one.
pub(crate) fn known<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if known.is_empty() { "there is none".to_owned() } else { known.join(", ") }
}

/// Writes an error response.
pub(crate) fn error(id: &RawJson, code: impl Into<i64>, message: &str) -> RawJson {
    let code: i64 = code.into();
    let (id, error) = (id.as_raw_value(), json!({"code": code, "message": message}));
    write(&Answer { jsonrpc: "2.0", id, result: None::<()>, error: Some(error) })
}

/// Writes a result.
pub(crate) fn result(id: &RawJson, result: impl Serialize) -> RawJson {
    write(&Answer { jsonrpc: "2.0", id: id.as_raw_value(), result: Some(result), error: None })
}

/// Writes a request.
pub(crate) fn request(id: &str, method: &str, params: impl Serialize) -> RawJson {
    write(&Call { jsonrpc: "2.0", id: Some(id), method, params: Some(params) })
}

/// Writes a notification.
pub(crate) fn notification(method: &str, params: Option<Value>) -> RawJson {
    write(&Call { jsonrpc: "2.0", id: None, method, params })
}

/// Wraps an answer as the `response` of a control response.
pub(crate) fn carried(answer: RawJson) -> RawJson {
    write(&McpMessageReply::new(answer))
}

/// Acknowledges a notification or a response: the CLI accepts any object.
pub(crate) fn acknowledged() -> RawJson {
    carried(result(&write(&0), serde_json::Map::new()))
}

/// The message can't be read, or its handler failed.
pub(crate) const INTERNAL_ERROR: i32 = -32603;
/// The method does not exist.
const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters do not fit the method.
const INVALID_PARAMS: i32 = -32602;
/// No resource has this URI (MCP's own code).
pub(crate) const RESOURCE_NOT_FOUND: i32 = -32002;
/// The request was cancelled, so the CLI ignores this answer.
pub(crate) const CANCELLED: i32 = -32800;

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Reads the fields of an object; serde alone would accept a list too.
fn fields(message: &RawJson) -> Option<Fields<'_>> {
    let is_object = message.as_str().starts_with('{');
    is_object.then(|| serde_json::from_str(message.as_str()).ok()).flatten()
}

/// Reads a field that is present, even if it is `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The answer to a request of ours.
#[derive(Debug, Deserialize)]
pub(crate) struct Response<T> {
    pub(crate) result: Option<T>,
    pub(crate) error: Option<RpcError>,
}

#[derive(Serialize)]
struct Answer<'a, T> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

#[derive(Serialize)]
struct Call<'a, T> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<T>,
}

fn text(field: Option<&RawValue>) -> Option<Box<str>> {
    serde_json::from_str(field?.get()).ok()
}

fn is_id(id: &str) -> bool {
    id.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit())
}

pub(crate) fn null() -> RawJson {
    RawValue::NULL.to_owned().into()
}

/// Writes a value of strings, numbers and JSON, which can't fail.
fn write<T: Serialize>(value: &T) -> RawJson {
    RawJson::encode(value).unwrap_or_else(|_| null())
}

#[cfg(test)]
mod tests {
    use agentwire_protocol::RawJson;

    use super::{Kind, acknowledged, error, read};

    fn check(message: &str, expected: &str) {
        let kind = match read(&RawJson::parse(message).unwrap()) {
            Ok(Kind::Request { id, method, .. }) => format!("request {id} {method}"),
            Ok(Kind::Notification { method, .. }) => format!("notification {method}"),
            Ok(Kind::Response { id }) => format!("response {id}"),
            Err(malformed) => format!("{}: {}", malformed.id, malformed.why),
        };
        assert_eq!(kind, expected, "{message}");
    }

    #[test]
    fn each_message_has_one_kind_or_is_malformed() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1 ping");
        check(r#"{"method":"p\u0069ng","id":"a\"b","jsonrpc":"2.0","x":1}"#, r#"request "a\"b" ping"#);
        check(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#, "notification notifications/x");
        check(r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "response 1");
        check(r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, "null: `id` must be a string or a number");
        check(r#"{"jsonrpc":"2.0","id":2.5,"method":"x"}"#, "request 2.5 x");
        check(r#"{"jsonrpc":"1.0","id":7,"method":"x"}"#, r#"7: `jsonrpc` must be "2.0""#);
        check(r#"{"id":7,"method":"x"}"#, r#"7: `jsonrpc` must be "2.0""#);
        check(r#"{"jsonrpc":"2.0","id":7,"method":5}"#, "7: `method` must be a string");
        check(r#"{"jsonrpc":"2.0","id":[7],"method":"x"}"#, "[7]: `id` must be a string or a number");
        check(r#"{"jsonrpc":"2.0","id":7}"#, "7: it is neither a request nor a response");
        check(
            r#"{"jsonrpc":"2.0","id":7,"method":"x","result":1}"#,
            "7: it is both a request and a response",
        );
        check(r#"["2.0",1,"ping"]"#, "null: a message must be an object with each field once");
        check(r#"{"id":1,"id":2}"#, "null: a message must be an object with each field once");
    }

    #[test]
    fn answers_are_written_in_the_form_of_json_rpc() {
        let id = RawJson::parse("1.0").unwrap();
        let expected = r#"{"jsonrpc":"2.0","id":1.0,"error":{"code":-32603,"message":"no"}}"#;
        assert_eq!(error(&id, -32603, "no").as_str(), expected);
        assert_eq!(acknowledged().as_str(), r#"{"mcp_response":{"jsonrpc":"2.0","id":0,"result":{}}}"#);
    }
}
