//! A configuration file as text and syntax tree.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::errors::ParseError;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy};

use super::container::{Container, Style};
use super::entry::Json;
use super::error::EditRefusal;
use super::splice::Splice;
use crate::{file, syntax};

/// A text and its syntax tree.
pub(super) struct Document<'t> {
    pub(super) text: &'t str,
    /// The tokens including comments, in the order of the text.
    tokens: Vec<TokenAndRange<'t>>,
    root: Option<Value<'t>>,
}

impl<'t> Document<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self, EditRefusal> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed =
            jsonc_parser::parse_to_ast(text, &collect, &syntax::options()).map_err(|error| broken(&error))?;
        Ok(Self { text, tokens: parsed.tokens.unwrap_or_default(), root: parsed.value })
    }

    /// Returns the root object; `None` if the file is empty or has only comments.
    fn root(&self) -> Result<Option<Members<'_>>, EditRefusal> {
        self.root.as_ref().map(|root| self.members(root, "the file")).transpose()
    }

    /// Returns the place of the servers.
    pub(super) fn section(&self) -> Result<Section<'_>, EditRefusal> {
        let Some(root) = self.root()? else { return Ok(Section::Empty) };
        if let Some(servers) = self.sections()?.pop() {
            return Ok(Section::Servers(servers));
        }
        let null = SECTIONS.iter().find_map(|key| root.member(key));
        Ok(null.map_or(Section::Missing(root), Section::Null))
    }

    /// Returns the members of a server.
    pub(super) fn server(&self, server: &str) -> Result<Members<'_>, EditRefusal> {
        let entry = self.entry(server)?;
        self.members(entry.value, &syntax::key(&entry.of, server))
    }

    /// Returns the member of the section that is a server.
    pub(super) fn entry(&self, server: &str) -> Result<Member<'_>, EditRefusal> {
        // If a name is duplicated, the last server counts, as for other keys.
        let mut found = self.sections()?.into_iter().rev().filter_map(|section| section.member(server));
        found.next().ok_or_else(|| EditRefusal::NoServer { server: server.into() })
    }

    pub(super) fn has_server(&self, server: &str) -> Result<bool, EditRefusal> {
        Ok(self.sections()?.iter().any(|section| section.find(server).is_some()))
    }

    /// Returns whether the file uses the long name for streamable HTTP, which Roo requires.
    pub(super) fn has_streamable_http(&self) -> bool {
        self.tokens
            .iter()
            .any(|token| matches!(&token.token, Token::String(text) if text == "streamable-http"))
    }

    /// Writes a value into a file that had none.
    pub(super) fn whole(&self, value: &Json) -> Splice {
        let style = Style::of(self);
        let value = value.lines("", &style.unit, style.end_of_line);
        let end = self.text.trim_end().len();
        let gap = if end == 0 { "" } else { style.end_of_line };
        Splice { range: end..self.text.len(), with: format!("{gap}{value}{}", style.end_of_line) }
    }

    /// Returns the tokens from a place on.
    pub(super) fn tokens_from(&self, at: usize) -> &[TokenAndRange<'t>] {
        let first = self.tokens.partition_point(|token| token.range.start < at);
        &self.tokens[first..]
    }

    pub(super) fn tokens(&self) -> &[TokenAndRange<'t>] {
        &self.tokens
    }

    /// Returns the sections of servers in the order of the text.
    fn sections(&self) -> Result<Vec<Members<'_>>, EditRefusal> {
        let Some(root) = self.root()? else { return Ok(Vec::new()) };
        let found = SECTIONS.iter().filter_map(|key| root.member(key).map(|member| (key, member)));
        let mut found: Vec<_> = found.filter(|(_, member)| !member.is_null()).collect();
        found.sort_by_key(|(_, member)| member.index);
        found.into_iter().map(|(key, member)| self.members(member.value, key)).collect()
    }

    fn members<'d>(&'d self, value: &'d Value<'t>, at: &str) -> Result<Members<'d>, EditRefusal> {
        let Value::Object(object) = value else {
            return Err(EditRefusal::Unexpected { at: at.into(), expected: "an object" });
        };
        Ok(Members { document: self, object, at: at.into() })
    }
}

/// The place of the servers in a file.
pub(super) enum Section<'d> {
    /// The object of all servers.
    Servers(Members<'d>),
    /// A `null` in its place.
    Null(Member<'d>),
    /// There is only the root object.
    Missing(Members<'d>),
    /// There is no root object.
    Empty,
}

/// The members of an object.
pub(super) struct Members<'d> {
    document: &'d Document<'d>,
    object: &'d Object<'d>,
    /// The path: keys joined by dots.
    pub(super) at: String,
}

impl<'d> Members<'d> {
    /// Returns the value of a key.
    pub(super) fn find(&self, key: &str) -> Option<&'d Value<'d>> {
        self.member(key).map(|member| member.value)
    }

    /// Returns a member by its key. If the key is duplicated, the last one counts.
    pub(super) fn member(&self, key: &str) -> Option<Member<'d>> {
        let index = self.object.properties.iter().rposition(|member| member.name.as_str() == key)?;
        let value = &self.object.properties[index].value;
        Some(Member { document: self.document, object: self.object, of: self.at.clone(), index, value })
    }

    /// Adds a member after the others.
    pub(super) fn append(&self, key: &str, value: &Json) -> Vec<Splice> {
        container(self.document, self.object).append(Some(key), value)
    }
}

/// A member of an object.
pub(super) struct Member<'d> {
    document: &'d Document<'d>,
    object: &'d Object<'d>,
    of: String,
    index: usize,
    pub(super) value: &'d Value<'d>,
}

impl Member<'_> {
    /// Returns its value as it is written.
    pub(super) fn text(&self) -> &str {
        self.value.text(self.document.text)
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, Value::NullKeyword(_))
    }

    /// Returns the whole member as it is written.
    #[cfg(test)]
    pub(super) fn member_text(&self) -> &str {
        self.object.properties[self.index].text(self.document.text)
    }

    /// Replaces the value.
    pub(super) fn replace(&self, with: String) -> Splice {
        let Range { start, end } = self.value.range();
        Splice { range: start..end, with }
    }

    /// Removes key and value.
    pub(super) fn remove(self) -> Vec<Splice> {
        container(self.document, self.object).remove(self.index)
    }
}

fn container<'d>(document: &'d Document<'d>, object: &Object<'_>) -> Container<'d> {
    Container::new(document, object.range, object.properties.iter().map(|member| member.range))
}

fn broken(error: &ParseError) -> EditRefusal {
    let why = file::lower(&error.kind().to_string());
    EditRefusal::Broken { line: error.line_display(), column: error.column_display(), why }
}

/// The keys of the sections of servers.
const SECTIONS: [&str; 2] = ["mcpServers", "servers"];
