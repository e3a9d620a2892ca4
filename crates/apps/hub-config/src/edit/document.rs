//! A configuration file as text and tree: where its servers are.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::errors::ParseError;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy};

use super::container::{Container, Style};
use super::entry::Json;
use super::error::Refusal;
use super::splice::Splice;
use crate::{file, syntax};

/// A text, and what it says.
pub(super) struct Document<'t> {
    pub(super) text: &'t str,
    /// The tokens, comments among them, in the order of the text.
    tokens: Vec<TokenAndRange<'t>>,
    root: Option<Value<'t>>,
}

impl<'t> Document<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self, Refusal> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed =
            jsonc_parser::parse_to_ast(text, &collect, &syntax::options()).map_err(|error| broken(&error))?;
        Ok(Self { text, tokens: parsed.tokens.unwrap_or_default(), root: parsed.value })
    }

    /// The object that the file is; `None` where it is empty, or only comments.
    pub(super) fn root(&self) -> Result<Option<Members<'_>>, Refusal> {
        self.root.as_ref().map(|root| self.members(root, "the file")).transpose()
    }

    /// The object of all servers, or the place of it: a `null`.
    pub(super) fn section(&self) -> Result<Option<Result<Members<'_>, Member<'_>>>, Refusal> {
        if let Some(section) = self.sections()?.pop() {
            return Ok(Some(Ok(section)));
        }
        let Some(root) = self.root()? else { return Ok(None) };
        Ok(SECTIONS.iter().find_map(|key| root.member(key)).map(Err))
    }

    /// What is under the name of a server.
    pub(super) fn server(&self, server: &str) -> Result<Members<'_>, Refusal> {
        let entry = self.entry(server)?;
        self.members(entry.value, &syntax::key(&entry.of, server))
    }

    /// The member that a server is.
    pub(super) fn entry(&self, server: &str) -> Result<Member<'_>, Refusal> {
        // Of two the last one counts, as for other keys.
        let mut found = self.sections()?.into_iter().rev().filter_map(|section| section.member(server));
        found.next().ok_or_else(|| Refusal::NoServer { server: server.into() })
    }

    pub(super) fn has_server(&self, server: &str) -> Result<bool, Refusal> {
        Ok(self.sections()?.iter().any(|section| section.find(server).is_some()))
    }

    /// Whether the file calls streamable HTTP by its long name, as Roo must have it.
    pub(super) fn says_streamable_http(&self) -> bool {
        self.tokens
            .iter()
            .any(|token| matches!(&token.token, Token::String(text) if text == "streamable-http"))
    }

    /// A file that had no value gets this one.
    pub(super) fn whole(&self, value: &Json) -> Splice {
        let style = Style::of(self);
        let value = value.lines("", &style.unit, style.end_of_line);
        let end = self.text.trim_end().len();
        let gap = if end == 0 { "" } else { style.end_of_line };
        let start = if end == 0 { 0 } else { end };
        Splice { range: start..self.text.len(), with: format!("{gap}{value}{}", style.end_of_line) }
    }

    /// The first token at or behind a place.
    pub(super) fn tokens_from(&self, at: usize) -> &[TokenAndRange<'t>] {
        let first = self.tokens.partition_point(|token| token.range.start < at);
        &self.tokens[first..]
    }

    pub(super) fn tokens(&self) -> &[TokenAndRange<'t>] {
        &self.tokens
    }

    /// The objects of servers, in the order of the text.
    fn sections(&self) -> Result<Vec<Members<'_>>, Refusal> {
        let Some(root) = self.root()? else { return Ok(Vec::new()) };
        let found = SECTIONS.iter().filter_map(|key| root.member(key).map(|member| (key, member)));
        let mut found: Vec<_> = found.filter(|(_, member)| !member.is_null()).collect();
        found.sort_by_key(|(_, member)| member.index);
        found.into_iter().map(|(key, member)| self.members(member.value, key)).collect()
    }

    fn members<'d>(&'d self, value: &'d Value<'t>, at: &str) -> Result<Members<'d>, Refusal> {
        let Value::Object(object) = value else {
            return Err(Refusal::Unexpected { at: at.into(), expected: "an object" });
        };
        Ok(Members { document: self, object, at: at.into() })
    }
}

/// The members of an object.
pub(super) struct Members<'d> {
    document: &'d Document<'d>,
    object: &'d Object<'d>,
    /// Where it is: keys, divided by points.
    pub(super) at: String,
}

impl<'d> Members<'d> {
    /// What a key has.
    pub(super) fn find(&self, key: &str) -> Option<&'d Value<'d>> {
        self.member(key).map(|member| member.value)
    }

    /// A member by its key; where that stands twice, the last one counts.
    pub(super) fn member(&self, key: &str) -> Option<Member<'d>> {
        let index = self.object.properties.iter().rposition(|member| member.name.as_str() == key)?;
        let value = &self.object.properties[index].value;
        Some(Member { document: self.document, object: self.object, of: self.at.clone(), index, value })
    }

    /// A member more, behind the others.
    pub(super) fn append(&self, key: &str, value: &Json) -> Vec<Splice> {
        container(self.document, self.object).append(Some(key), value)
    }
}

/// One member of an object.
pub(super) struct Member<'d> {
    document: &'d Document<'d>,
    object: &'d Object<'d>,
    of: String,
    index: usize,
    pub(super) value: &'d Value<'d>,
}

impl Member<'_> {
    /// Its value as it is written.
    pub(super) fn text(&self) -> &str {
        self.value.text(self.document.text)
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, Value::NullKeyword(_))
    }

    /// All of it as it is written.
    #[cfg(test)]
    pub(super) fn member_text(&self) -> &str {
        self.object.properties[self.index].text(self.document.text)
    }

    /// Another value.
    pub(super) fn replace(&self, with: String) -> Splice {
        let Range { start, end } = self.value.range();
        Splice { range: start..end, with }
    }

    /// Neither key nor value.
    pub(super) fn remove(self) -> Vec<Splice> {
        container(self.document, self.object).remove(self.index)
    }
}

fn container<'d>(document: &'d Document<'d>, object: &Object<'_>) -> Container<'d> {
    Container::new(document, object.range, object.properties.iter().map(|member| member.range))
}

fn broken(error: &ParseError) -> Refusal {
    let why = file::lower(&error.kind().to_string());
    Refusal::Broken { line: error.line_display(), column: error.column_display(), why }
}

/// The keys under which a file has its servers.
const SECTIONS: [&str; 2] = ["mcpServers", "servers"];
