//! A `tools/call` as the CLI writes it, read in one pass over text that is known to be JSON.

use std::{ops::Range, sync::Arc};

use agentwire_protocol::{RawJson, ToolUseId};
use rmcp::model::{NumberOrString, ProgressToken};

use super::scan::{Fields, plain};

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
        let Some(Envelope { id, params }) = envelope(text) else { return Err(message) };
        let (id, name) = (place(text, id), place(text, params.name));
        let input = params.input.map(|input| place(text, input));
        let Meta { tool_use_id, progress } = params.meta;
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

struct Envelope<'a> {
    id: &'a str,
    params: Params<'a>,
}

struct Params<'a> {
    name: &'a str,
    input: Option<&'a str>,
    meta: Meta,
}

#[derive(Default)]
struct Meta {
    tool_use_id: Option<ToolUseId>,
    progress: Option<ProgressToken>,
}

/// Any other field makes it a message of another form: `result` and `error` do.
fn envelope(text: &str) -> Option<Envelope<'_>> {
    let (mut jsonrpc, mut id, mut method, mut params) = (None, None, None, None);
    for field in Fields::of(text)? {
        let (key, value) = field?;
        let seen = match key {
            "jsonrpc" => jsonrpc.replace(value),
            "id" => id.replace(value),
            "method" => method.replace(value),
            "params" => params.replace(value),
            _ => return None,
        };
        if seen.is_some() {
            return None;
        }
    }
    let id = id.filter(|id| super::is_id(id))?;
    let is_call = jsonrpc? == r#""2.0""# && method? == r#""tools/call""#;
    is_call.then_some(Envelope { id, params: self::params(params?)? })
}

fn params(text: &str) -> Option<Params<'_>> {
    let (mut name, mut input, mut meta) = (None, None, None);
    for field in Fields::of(text)? {
        let (key, value) = field?;
        let seen = match key {
            "name" => name.replace(value),
            "arguments" => input.replace(value),
            "_meta" => meta.replace(value),
            _ => continue,
        };
        if seen.is_some() {
            return None;
        }
    }
    let input = match input {
        None | Some("null") => None,
        Some(input) => Some(input.starts_with('{').then_some(input)?),
    };
    let meta = match meta {
        None | Some("null") => Meta::default(),
        Some(meta) => self::meta(meta)?,
    };
    Some(Params { name: plain(name?)?, input, meta })
}

fn meta(text: &str) -> Option<Meta> {
    let mut meta = Meta::default();
    for field in Fields::of(text)? {
        let (key, value) = field?;
        match key {
            TOOL_USE_ID => meta.tool_use_id = Some(plain(value)?.into()),
            PROGRESS_TOKEN => meta.progress = Some(token(value)?),
            // Newer versions of MCP say there which version a request is of: `rmcp` knows what that means.
            key if key.starts_with(OF_MCP) => return None,
            _ => {}
        }
    }
    Some(meta)
}

fn token(value: &str) -> Option<ProgressToken> {
    Some(ProgressToken(match plain(value) {
        Some(text) => NumberOrString::String(Arc::from(text)),
        None => NumberOrString::Number(value.parse().ok()?),
    }))
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
            r#""_meta":{"progressToken":true}"#,
            r#""_meta":{"progress\u0054oken":1}"#,
        ] {
            assert!(read(&with(usual, params)).is_none(), "{params}");
        }
        for message in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call", "params":{"name":"a"}}"#,
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
