//! Calls in the XML form.

use serde_json::{Deserializer, Map, Value};

use super::{Step, TextCall, Why};

/// Reads at the start of a line.
pub(super) fn step(text: &str) -> Step {
    let Some(kind) = KINDS.iter().find(|kind| opens(text, kind.name).is_some()) else {
        return Step::line(text);
    };
    let mut reader = Reader { text, at: kind.name.len() + 2, fields: Vec::new(), arguments: None };
    let call = reader.element(kind);
    let length = match &call {
        // A missing field is detected at the end tag, so the element was read completely.
        Ok(_) | Err(Why::Missing(_)) => reader.at,
        // The next end tag may be inside the arguments, so text after it may be data.
        Err(_) => text.len(),
    };
    Step { found: vec![(0..length, call)], length }
}

/// Returns the text after the start tag.
fn opens<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')
}

/// Returns the text after the end tag.
fn closes<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.strip_prefix("</")?.strip_prefix(name)?.strip_prefix('>')
}

struct Kind {
    name: &'static str,
    fields: &'static [&'static str],
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    fields: Vec<(&'static str, String)>,
    arguments: Option<Map<String, Value>>,
}

impl<'a> Reader<'a> {
    fn element(&mut self, kind: &Kind) -> Result<TextCall, Why> {
        loop {
            self.skip_space();
            if let Some(rest) = closes(self.rest(), kind.name) {
                self.at = self.text.len() - rest.len();
                return self.call(kind);
            }
            let Some(field) = kind.fields.iter().find(|field| opens(self.rest(), field).is_some()) else {
                return Err(self.stray(kind));
            };
            self.at += field.len() + 2;
            if self.fields.iter().any(|(name, _)| name == field)
                || (*field == ARGUMENTS && self.arguments.is_some())
            {
                return Err(Why::Repeated(field));
            }
            match *field {
                ARGUMENTS => self.arguments = Some(self.object()?),
                field => {
                    let value = self.value(field)?;
                    self.fields.push((field, value));
                }
            }
        }
    }

    fn call(&mut self, kind: &Kind) -> Result<TextCall, Why> {
        let mut field = |name: &'static str| {
            let found = self.fields.iter_mut().find(|(field, value)| *field == name && !value.is_empty());
            found.map(|(_, value)| std::mem::take(value)).ok_or(Why::Missing(name))
        };
        let server = field(SERVER)?;
        if kind.fields.contains(&URI) {
            return Ok(TextCall::Resource { server, uri: field(URI)? });
        }
        let tool = field(TOOL)?;
        Ok(TextCall::Tool {
            server: Some(server),
            tool,
            arguments: self.arguments.take().unwrap_or_default(),
        })
    }

    /// Reads the text of a field and its end tag.
    fn value(&mut self, field: &'static str) -> Result<String, Why> {
        let rest = self.rest();
        let Some(end) = rest.find('<') else { return Err(Why::Unfinished) };
        match closes(&rest[end..], field) {
            Some(after) => {
                self.at = self.text.len() - after.len();
                Ok(unescaped(rest[..end].trim()))
            }
            None if starts(&format!("</{field}>"), &rest[end..]) => Err(Why::Unfinished),
            None => Err(Why::Unclosed(field)),
        }
    }

    /// Reads the arguments and their end tag.
    fn object(&mut self) -> Result<Map<String, Value>, Why> {
        self.skip_space();
        let mut object = Map::new();
        if !self.rest().starts_with("</") {
            let mut objects = Deserializer::from_str(self.rest()).into_iter::<Map<String, Value>>();
            object = match objects.next() {
                None => return Err(Why::Unfinished),
                Some(Ok(object)) => object,
                Some(Err(error)) if error.is_eof() => return Err(Why::Unfinished),
                Some(Err(error)) if error.is_data() => return Err(Why::NotA(ARGUMENTS, "JSON object")),
                Some(Err(error)) => return Err(Why::Json(error.to_string())),
            };
            self.at += objects.byte_offset();
            self.skip_space();
        }
        match closes(self.rest(), ARGUMENTS) {
            Some(after) => {
                self.at = self.text.len() - after.len();
                Ok(object)
            }
            None if starts("</arguments>", self.rest()) => Err(Why::Unfinished),
            None => Err(Why::Unclosed(ARGUMENTS)),
        }
    }

    /// Returns the error for text in place of a field or the end tag.
    fn stray(&self, kind: &Kind) -> Why {
        let rest = self.rest();
        let tags = kind.fields.iter().map(|field| format!("<{field}>")).chain([format!("</{}>", kind.name)]);
        if { tags }.any(|tag| starts(&tag, rest)) {
            return Why::Unfinished;
        }
        let line = rest.lines().next().unwrap_or_default();
        Why::Stray(line.chars().take(SHOWN).collect())
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
}

/// Returns whether the text may be the start of a tag that is not complete yet.
fn starts(tag: &str, text: &str) -> bool {
    tag.starts_with(text)
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        let (entity, char) = entity.copied().unwrap_or(("&", '&'));
        plain.push(char);
        rest = &rest[entity.len()..];
    }
    plain + rest
}

const SERVER: &str = "server_name";
const TOOL: &str = "tool_name";
const ARGUMENTS: &str = "arguments";
const URI: &str = "uri";
const KINDS: &[Kind] = &[
    Kind { name: "use_mcp_tool", fields: &[SERVER, TOOL, ARGUMENTS] },
    Kind { name: "access_mcp_resource", fields: &[SERVER, URI] },
];
const ENTITIES: &[(&str, char)] =
    &[("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&apos;", '\''), ("&amp;", '&')];
/// The limit of unexpected text in an error, in characters.
const SHOWN: usize = 60;
