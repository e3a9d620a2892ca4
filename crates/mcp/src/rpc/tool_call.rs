//! A `tools/call` as the CLI writes it, read in one pass.

use std::{borrow::Cow, fmt, ops::Range, sync::Arc};

use agentwire_protocol::{RawJson, ToolUseId};
use rmcp::model::{NumberOrString, ProgressToken};
use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// A `tools/call` of the usual form.
///
/// The text stays where it is; what is needed of it is known by its place.
#[derive(Debug)]
pub(crate) struct ToolCall {
    message: RawJson,
    id: Range<usize>,
    name: Range<usize>,
    input: Option<Range<usize>>,
    /// The tool use, where the CLI tells it.
    pub(crate) tool_use_id: Option<ToolUseId>,
    /// What progress is told under, where the CLI wants it.
    pub(crate) progress: Option<ProgressToken>,
}

impl ToolCall {
    /// Reads a message; one that is something else, or has another form, comes back as it is.
    ///
    /// Whoever reads it then decides what it is: nothing is refused here.
    pub(crate) fn read(message: RawJson) -> Result<Self, RawJson> {
        let text = message.as_str();
        // A list would be taken for an object too.
        let is_object = text.starts_with('{');
        let Some(read) = is_object.then(|| serde_json::from_str::<Message<'_>>(text).ok()).flatten() else {
            return Err(message);
        };
        let Params { name: Cow::Borrowed(name), arguments, meta } = read.params else { return Err(message) };
        let id = read.id.get();
        let is_input = |input: &RawValue| input.get().starts_with('{');
        if &*read.jsonrpc != "2.0" || !super::is_id(id) || !arguments.is_none_or(is_input) {
            return Err(message);
        }
        let (id, name) = (place(text, id), place(text, name));
        let input = arguments.map(|input| place(text, input.get()));
        let Meta { tool_use_id, progress } = meta.unwrap_or_default();
        Ok(Self { message, id, name, input, tool_use_id, progress })
    }

    /// The message that it was read from.
    pub(crate) fn into_message(self) -> RawJson {
        self.message
    }

    /// The id, as JSON.
    pub(crate) fn id(&self) -> &str {
        &self.message.as_str()[self.id.clone()]
    }

    /// The same by itself.
    pub(crate) fn raw_id(&self) -> RawJson {
        RawJson::from(super::borrowed(self.id()).to_owned())
    }

    /// The name of the tool.
    pub(crate) fn name(&self) -> &str {
        &self.message.as_str()[self.name.clone()]
    }

    /// The input, as the text of an object; `None` where there is none.
    pub(crate) fn input(&self) -> Option<&str> {
        self.input.clone().map(|input| &self.message.as_str()[input])
    }
}

/// Where `part` lies in the text that it is a part of.
fn place(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

/// Any other field makes it a message of another form: `result` and `error` do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(rename = "method")]
    _method: Method,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
enum Method {
    #[serde(rename = "tools/call")]
    Call,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(rename = "_meta", default)]
    meta: Option<Meta>,
}

#[derive(Default)]
struct Meta {
    tool_use_id: Option<ToolUseId>,
    progress: Option<ProgressToken>,
}

impl<'de> Deserialize<'de> for Meta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MetaVisitor)
    }
}

struct MetaVisitor;

impl<'de> Visitor<'de> for MetaVisitor {
    type Value = Meta;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Meta, A::Error> {
        let mut meta = Meta::default();
        while let Some(Key(key)) = map.next_key()? {
            match &*key {
                TOOL_USE_ID => meta.tool_use_id = Some(map.next_value()?),
                PROGRESS_TOKEN => meta.progress = Some(map.next_value::<Token>()?.0),
                // Newer versions of MCP say there which version a request is of: `rmcp` knows what that means.
                key if key.starts_with(OF_MCP) => return Err(A::Error::custom("a request of a newer MCP")),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(meta)
    }
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// As `rmcp` reads one, without a value in between.
struct Token(ProgressToken);

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TokenVisitor)
    }
}

struct TokenVisitor;

impl Visitor<'_> for TokenVisitor {
    type Value = Token;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a whole number")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Token, E> {
        Ok(Token(ProgressToken(NumberOrString::Number(number))))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Token, E> {
        number.try_into().map_err(E::custom).and_then(|number| self.visit_i64(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Token, E> {
        Ok(Token(ProgressToken(NumberOrString::String(Arc::from(text)))))
    }
}

/// Where the CLI tells the tool use.
pub(crate) const TOOL_USE_ID: &str = "claudecode/toolUseId";
const PROGRESS_TOKEN: &str = "progressToken";
const OF_MCP: &str = "io.modelcontextprotocol/";

#[cfg(test)]
mod tests {
    use agentwire_protocol::RawJson;

    use super::ToolCall;

    fn read(message: &str) -> Option<ToolCall> {
        ToolCall::read(RawJson::parse(message).unwrap()).ok()
    }

    #[test]
    fn a_call_of_the_usual_form_is_read_where_it_lies() {
        let call = read(
            r#"{"method":"tools/call","params":{"name":"a b","arguments":{"n": 1},"_meta":{"claudecode/toolUseId":"toolu_1","x":[1],"progressToken":7}},"jsonrpc":"2.0","id":"é"}"#,
        )
        .unwrap();
        assert_eq!((call.id(), call.name(), call.input()), ("\"é\"", "a b", Some("{\"n\": 1}")));
        assert_eq!(call.tool_use_id.unwrap().as_str(), "toolu_1");
        assert_eq!(call.progress.unwrap().0.to_string(), "7");
        let call = read(r#"{"jsonrpc":"2.0","id":2.5,"method":"tools/call","params":{"name":""}}"#).unwrap();
        assert_eq!((call.id(), call.name(), call.input()), ("2.5", "", None));
        assert!(call.tool_use_id.is_none() && call.progress.is_none());
        let null = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":null}}"#;
        assert_eq!(read(null).unwrap().input(), None);
    }

    #[test]
    fn any_other_form_is_left_to_who_knows_it() {
        let with = |envelope: &str, params: &str| {
            format!(r#"{{"method":"tools/call",{envelope},"params":{{"name":"a",{params}}}}}"#)
        };
        let usual = r#""jsonrpc":"2.0","id":1"#;
        assert!(read(&with(usual, r#""arguments":{}"#)).is_some());
        for envelope in [
            r#""jsonrpc":"1.0","id":1"#,
            r#""jsonrpc":"2.0""#,
            r#""jsonrpc":"2.0","id":null"#,
            r#""jsonrpc":"2.0","id":[1]"#,
            r#""jsonrpc":"2.0","id":1,"id":1"#,
            r#""jsonrpc":"2.0","id":1,"result":{}"#,
            r#""jsonrpc":"2.0","id":1,"error":null"#,
        ] {
            assert!(read(&with(envelope, r#""arguments":{}"#)).is_none(), "{envelope}");
        }
        for params in [
            r#""arguments":[1]"#,
            r#""name":"b""#,
            r#""_meta":{"progressToken":1.5}"#,
            r#""_meta":{"progressToken":18446744073709551615}"#,
            r#""_meta":{"claudecode/toolUseId":5}"#,
            r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
            r#""_meta":[]"#,
        ] {
            assert!(read(&with(usual, params)).is_none(), "{params}");
        }
        for message in [
            r#"["2.0",1,"tools/call",{"name":"a"}]"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\u0062"}}"#,
            "1",
        ] {
            assert!(read(message).is_none(), "{message}");
        }
    }
}
