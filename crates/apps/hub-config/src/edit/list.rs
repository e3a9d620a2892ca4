//! Lists of tools: adds and removes names, and leaves patterns to the user.

use jsonc_parser::ast::{Array, Value};
use jsonc_parser::common::Ranged as _;

use super::container::Container;
use super::document::{Document, Members};
use super::entry::Json;
use super::error::EditRefusal;
use super::splice::Splice;
use crate::{Patterns, syntax};

/// A list of names and patterns of tools, which may be missing.
pub(super) struct List<'d> {
    document: &'d Document<'d>,
    server: Members<'d>,
    key: &'static str,
    array: Option<&'d Array<'d>>,
    /// The patterns in the order of the text.
    patterns: Vec<&'d str>,
}

impl<'d> List<'d> {
    pub(super) fn of(
        document: &'d Document<'d>,
        server: &str,
        key: &'static str,
    ) -> Result<Self, EditRefusal> {
        let server = document.server(server)?;
        let unexpected =
            || EditRefusal::Unexpected { at: syntax::key(&server.at, key), expected: "a list of names" };
        let array = match server.find(key) {
            // `null` counts as missing.
            None | Some(Value::NullKeyword(_)) => None,
            Some(value) => Some(value.as_array().ok_or_else(unexpected)?),
        };
        let elements = array.iter().flat_map(|array| &array.elements);
        let names = elements.map(|name| name.as_string_lit().map(|name| &*name.value));
        let patterns = names.collect::<Option<_>>().ok_or_else(unexpected)?;
        Ok(Self { document, server, key, array, patterns })
    }

    pub(super) fn is_there(&self) -> bool {
        self.array.is_some()
    }

    pub(super) fn has(&self, tool: &str) -> bool {
        self.patterns.iter().any(|pattern| self.fits(pattern, tool))
    }

    /// Adds a tool unless the list matches it.
    pub(super) fn have(&self, tool: &str) -> Result<Vec<Splice>, EditRefusal> {
        if self.has(tool) {
            return Ok(Vec::new());
        }
        // Otherwise a server could name a tool `*` and get permission for others.
        if tool.contains('*') {
            return Err(EditRefusal::Wildcard { tool: tool.into() });
        }
        if let Some(array) = self.array {
            return Ok(self.container(array).append(None, &Json::string(tool)));
        }
        let list = Json::Strings(vec![tool.into()]);
        Ok(match self.server.member(self.key) {
            Some(null) => vec![null.replace(list.inline(true))],
            None => self.server.append(self.key, &list),
        })
    }

    /// Removes the last entry of a tool.
    pub(super) fn lack(&self, tool: &str) -> Result<Vec<Splice>, EditRefusal> {
        let names = |pattern: &str| pattern == tool || (!pattern.contains('*') && self.fits(pattern, tool));
        if let Some(pattern) =
            self.patterns.iter().find(|pattern| !names(pattern) && self.fits(pattern, tool))
        {
            let pattern = (*pattern).to_owned();
            return Err(EditRefusal::Pattern { list: self.key, pattern, tool: tool.into() });
        }
        let named = self.patterns.iter().rposition(|pattern| names(pattern));
        Ok(self.array.zip(named).map_or_else(Vec::new, |(array, index)| self.container(array).remove(index)))
    }

    /// Returns whether a pattern matches the tool, by the rules of this list.
    fn fits(&self, pattern: &str, tool: &str) -> bool {
        let pattern = Patterns::from_iter([pattern]);
        if self.key == "disabledTools" { pattern.matches_loosely(tool) } else { pattern.matches(tool) }
    }

    fn container(&self, array: &Array<'_>) -> Container<'d> {
        Container::new(self.document, array.range, array.elements.iter().map(|name| name.range()))
    }
}
