//! Random edits of random texts: the value is as expected, and the rest of the text stays.

use jsonc_parser::tokens::Token;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::document::Document;
use super::super::{Edit, splice};
use crate::{Patterns, ServerConfig, Stdio};

/// A text built from choices; missing choices count as 0.
struct Text {
    choices: std::vec::IntoIter<u8>,
    text: String,
    end_of_line: &'static str,
    unit: &'static str,
    comments: usize,
    level: usize,
    /// Whether it is JSON without comments and trailing commas.
    strict: bool,
}

impl Text {
    fn of(choices: Vec<u8>) -> Self {
        let mut text = Self {
            choices: choices.into_iter(),
            text: String::new(),
            end_of_line: "\n",
            unit: "  ",
            comments: 0,
            level: 0,
            strict: false,
        };
        text.end_of_line = ["\n", "\r\n"][text.choose(2)];
        text.unit = ["  ", "\t", "    "][text.choose(3)];
        text.strict = text.choose(4) == 1;
        text.space();
        text.object(&["$schema", "mcpServers", "servers"]);
        text.space();
        text
    }

    fn choose(&mut self, of: usize) -> usize {
        usize::from(self.choices.next().unwrap_or_default()) % of
    }

    fn line(&mut self) {
        self.text.push_str(self.end_of_line);
        self.text.push_str(&self.unit.repeat(self.level));
    }

    fn space(&mut self) {
        match self.choose(if self.strict { 5 } else { 8 }) {
            0 | 1 => {}
            2 => self.text.push(' '),
            3 => self.line(),
            4 => self.text.push_str("\t \u{c}"),
            _ => self.comment(),
        }
    }

    fn comment(&mut self) {
        self.comments += 1;
        let number = self.comments;
        match self.choose(3) {
            0 => self.text.push_str(&format!("/* {number} */")),
            1 => self.text.push_str(&format!(" /* {number}{} \" , */", self.end_of_line)),
            _ => {
                self.text.push_str(&format!("// {number} [{{"));
                self.line();
            }
        }
    }

    /// Members with space between all their parts, mostly a line each.
    fn items(&mut self, open: char, close: char, count: usize, mut item: impl FnMut(&mut Self, usize)) {
        let lines = self.choose(3) > 0;
        self.text.push(open);
        self.level += 1;
        self.space();
        for index in 0..count {
            if lines {
                self.line();
            }
            item(self, index);
            self.space();
            if index + 1 < count || !self.strict && self.choose(3) == 0 {
                self.text.push(',');
                self.space();
            }
        }
        self.level -= 1;
        if lines {
            self.line();
        }
        self.text.push(close);
    }

    fn object(&mut self, keys: &[&str]) {
        let count = self.choose(keys.len() + 1);
        let first = self.choose(keys.len());
        self.items('{', '}', count, |text, index| {
            let key = keys[(first + index) % keys.len()];
            text.text.push_str(&format!("\"{key}\""));
            text.space();
            text.text.push(':');
            text.space();
            match key {
                "mcpServers" | "servers" => text.object(&["a", "b", "a"]),
                "a" | "b" => {
                    text.object(&["command", "disabled", "alwaysAllow", "disabledTools", "enabledTools"]);
                }
                "alwaysAllow" | "disabledTools" | "enabledTools" => text.names(),
                "disabled" => text.text.push_str("false"),
                _ => text.text.push_str("\"\\u00e4 { // \""),
            }
        });
    }

    fn names(&mut self) {
        let count = self.choose(4);
        self.items('[', ']', count, |text, _| {
            let name = ["\"s\"", "\"t\"", "\"u_*\""][text.choose(3)];
            text.text.push_str(name);
        });
    }
}

fn value(text: &str) -> Value {
    let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &crate::syntax::options());
    parsed.unwrap().value.map_or(Value::Null, Into::into)
}

fn comments(text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let comments = document.tokens().iter().filter_map(|token| match &token.token {
        Token::CommentLine(comment) | Token::CommentBlock(comment) => Some((*comment).to_owned()),
        _ => None,
    });
    comments.collect()
}

/// Returns the comments inside a server.
fn comments_of_server(text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let Ok(entry) = document.entry("a") else { return Vec::new() };
    let mut inside = comments(&format!("{{{}}}", entry.member_text()));
    inside.extend(comments_of_server(&splice::apply(text, entry.remove())));
    inside
}

/// Returns the expected value.
fn expected(edit: &Edit, text: &str) -> Value {
    let mut value = value(text);
    // The last of duplicates counts. Maps are sorted, so this is the order of the text.
    let mut sections = ["mcpServers", "servers"];
    sections.sort_by_key(|key| std::cmp::Reverse(text.rfind(&format!("\"{key}\""))));
    let section = sections.into_iter().find(|key| value[*key]["a"].is_object());
    let server = section.map(|key| &mut value[key]["a"]);
    let names = |server: &mut Value, list: &str, tool: &str, has: bool| {
        let mut names: Vec<Value> = server[list].as_array().cloned().unwrap_or_default();
        let fits = |name: &Value| Patterns::from_iter([name.as_str().unwrap()]).matches(tool);
        if has && !names.iter().any(fits) {
            names.push(tool.into());
        } else if has {
            return;
        } else {
            names.retain(|name| name != tool);
        }
        if has || server.get(list).is_some() {
            server[list] = names.into();
        }
    };
    match (edit, server) {
        (Edit::Disabled(disabled), Some(server)) => server["disabled"] = (*disabled).into(),
        (Edit::Timeout(timeout), Some(server)) => server["timeout"] = timeout.as_secs().into(),
        (Edit::AlwaysAllow { tool, allowed }, Some(server)) => names(server, "alwaysAllow", tool, *allowed),
        (Edit::ToolEnabled { tool, enabled }, Some(server)) => {
            let fits = |name: &Value| Patterns::from_iter([name.as_str().unwrap()]).matches(tool);
            let allowed = server.get("enabledTools").and_then(Value::as_array);
            if !enabled && allowed.is_some_and(|allowed| !allowed.iter().any(fits)) {
                return value;
            }
            names(server, "disabledTools", tool, !enabled);
            if *enabled && server.get("enabledTools").is_some() {
                names(server, "enabledTools", tool, true);
            }
        }
        (Edit::Remove, Some(_)) => {
            for section in sections {
                value.get_mut(section).and_then(Value::as_object_mut).map(|servers| servers.remove("a"));
            }
        }
        (Edit::Add(_), None) => {
            let section = sections.into_iter().find(|key| value.get(key).is_some());
            value[section.unwrap_or("mcpServers")]["a"] = json!({"command": "x", "args": ["y"]});
        }
        _ => panic!("{edit:?} should be refused"),
    }
    value
}

fn edits() -> impl Strategy<Value = Edit> {
    let tool = || prop_oneof!["s", "t", "u_1", "new"].prop_map(String::from);
    let mut stdio = Stdio::new("x");
    stdio.args = vec!["y".into()];
    prop_oneof![
        any::<bool>().prop_map(Edit::Disabled),
        (1..3600_u64).prop_map(|seconds| Edit::Timeout(std::time::Duration::from_secs(seconds))),
        (tool(), any::<bool>()).prop_map(|(tool, allowed)| Edit::AlwaysAllow { tool, allowed }),
        (tool(), any::<bool>()).prop_map(|(tool, enabled)| Edit::ToolEnabled { tool, enabled }),
        Just(Edit::Add(Box::new(ServerConfig::new(stdio)))),
        Just(Edit::Remove),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_changes_only_its_value(
        choices in prop::collection::vec(any::<u8>(), 0..300),
        edit in edits(),
    ) {
        let Text { text, strict, .. } = Text::of(choices);
        let Ok(after) = edit.apply("a", &text, "mcpServers") else { return Ok(()) };
        prop_assert_eq!(value(&after), expected(&edit, &text), "{}\n-----\n{}", text, after);
        if strict {
            prop_assert!(serde_json::from_str::<Value>(&after).is_ok() || text.contains('\u{c}'), "{}\n-----\n{}", text, after);
        }
        let document = Document::parse(&text).unwrap();
        let removed = if matches!(edit, Edit::Remove) { comments_of_server(&text) } else { Vec::new() };
        let left: Vec<_> = comments(&text).into_iter().filter(|comment| !removed.contains(comment)).collect();
        prop_assert_eq!(comments(&after).into_iter().filter(|comment| !removed.contains(comment)).collect::<Vec<_>>(), left);
        for splice in edit.splices(&document, "a", "mcpServers").unwrap() {
            let gone = &text[splice.range.clone()];
            let about = ["false", "\"s\"", "\"t\"", "\"new\"", "null"];
            let rest = about.iter().fold(gone.to_owned(), |gone, about| gone.replacen(about, "", 1));
            let is_server = matches!(edit, Edit::Remove);
            prop_assert!(is_server || rest.trim().trim_matches(',').is_empty(), "{:?} is gone of\n{}", gone, text);
        }
    }
}
