//! Prompts, messages of the model, results of tools, and results of turns.

use agentwire_protocol::{
    Block, Content,
    content::{ToolResult, ToolUse},
    message::{Assistant, TurnResult, User},
};
use serde_json::Value;

use super::{Reader, UNKNOWN, Way, control::value};
use crate::item::{Kind, Outcome};
use crate::part::{Look, Part, Place};

impl Reader<'_> {
    pub(super) fn assistant(&mut self, message: &Assistant) {
        let parent = message.parent_tool_use_id.as_ref().map(ToString::to_string);
        self.agent(message.agent_id.as_deref(), parent.as_deref());
        if parent.is_none() {
            self.open_turn("");
            self.facts.take_model(&message.message.model);
        }
        let mut first = None;
        let content = Place::new(self.line, "/message/content");
        for (position, block) in message.message.content.iter().enumerate() {
            let item = self.block(block, &content.at(position), first);
            first = first.or(Some(item));
            self.items[item].about.clone_from(&parent);
        }
        let first = first.unwrap_or_else(|| self.push(Kind::Text, "an empty message"));
        self.items[first].about.clone_from(&parent);
        if let Some(error) = &message.error {
            self.items[first].outcome = Some(Outcome::bad(error.as_str()));
        }
        self.streamed_into(message.message.id.as_str(), first);
    }

    /// Reads one block of a message. The first block shows the frame.
    fn block(&mut self, block: &Block, place: &Place, first: Option<usize>) -> usize {
        let (kind, title) = match block {
            Block::Text(_) => (Kind::Text, "Assistant"),
            Block::Thinking(_) => (Kind::Thinking, "Thinking"),
            Block::ToolUse(tool) => (Kind::Tool, &*tool.name),
            Block::Unknown(_) => (Kind::Unknown, block.kind()),
            other => (Kind::Text, other.kind()),
        };
        let item = if first.is_some() { self.push_without(kind, title) } else { self.push(kind, title) };
        if first.is_some() {
            self.mention(item);
        }
        match block {
            Block::Text(text) => self.part(item, Part::new(Look::Prose, "", &text.text, place.key("text"))),
            Block::Thinking(thought) => {
                self.part(item, Part::new(Look::Thought, "", &thought.thinking, place.key("thinking")));
            }
            Block::ToolUse(tool) => self.tool_use(item, tool, place),
            Block::Unknown(unknown) => {
                self.items[item].badges.push(UNKNOWN);
                self.part(item, Part::new(Look::Code, "block", unknown.raw.as_str(), place.clone()));
            }
            // For blocks of the API's own tools the kind is shown; the frame has the rest.
            _ => {}
        }
        item
    }

    fn tool_use(&mut self, item: usize, tool: &ToolUse, place: &Place) {
        let input = value(&tool.input);
        self.items[item].parts = Part::of_value("input", &input, &place.key("input"));
        self.items[item].outcome = Some(Outcome::open("no result"));
        self.tools.insert(tool.id.to_string(), (item, input));
    }

    pub(super) fn user(&mut self, way: Way, user: &User) {
        let parent = user.parent_tool_use_id.as_ref().map(ToString::to_string);
        self.agent(user.agent_id.as_deref(), parent.as_deref());
        let results: Vec<(usize, &ToolResult)> = match &user.message.content {
            Content::Blocks(blocks) if way == Way::In => {
                let blocks = blocks.iter().enumerate();
                blocks.filter_map(|(at, block)| Some((at, block.as_tool_result()?))).collect()
            }
            _ => Vec::new(),
        };
        if !results.is_empty() {
            return self.tool_results(&results);
        }
        if way == Way::Out {
            let text = user.message.content.clone().into_text();
            self.in_turn &= !self.stored;
            self.open_turn(&text);
        }
        let title = match (way, &parent, user.is_replay) {
            (Way::Out, ..) => "Prompt",
            (Way::In, Some(_), _) => "Prompt of the agent",
            (Way::In, None, Some(true)) => "Prompt, replayed by the CLI",
            (Way::In, None, _) => "Written by the CLI as the user",
        };
        let kind = if way == Way::Out || parent.is_some() { Kind::Prompt } else { Kind::System };
        let item = self.push(kind, title);
        self.items[item].about = parent;
        for part in content_parts(&user.message.content, &Place::new(self.line, "/message/content")) {
            self.part(item, part);
        }
    }

    /// Reads results of tools; the first of them shows the frame.
    fn tool_results(&mut self, results: &[(usize, &ToolResult)]) {
        let mut shown = false;
        for (position, result) in results {
            let known = self.tools.get(&result.tool_use_id.to_string()).map(|(item, _)| *item);
            let item = match (known, shown) {
                (Some(item), false) => {
                    self.add(item);
                    item
                }
                (None, false) => self.push(Kind::Tool, NO_TOOL_USE),
                (Some(item), true) => item,
                (None, true) => self.push_without(Kind::Tool, NO_TOOL_USE),
            };
            if shown {
                self.mention(item);
            }
            shown = true;
            let failed = result.is_error == Some(true);
            self.items[item].outcome = Some(if failed { Outcome::bad("error") } else { Outcome::good("ok") });
            let content = Place::new(self.line, format!("/message/content/{position}/content"));
            let value = result.content.as_ref().map(value).unwrap_or_default();
            for part in result_parts(&value, &content) {
                self.part(item, part);
            }
        }
    }

    pub(super) fn result(&mut self, result: &TurnResult) {
        self.open_turn("");
        self.in_turn = false;
        let item = self.push(Kind::Result, format!("Result: {}", result.subtype.as_str()));
        self.items[item].outcome = Some(match (result.is_error, &result.terminal_reason) {
            (true, Some(reason)) => Outcome::bad(reason.as_str()),
            (true, None) => Outcome::bad("error"),
            (false, Some(reason)) if reason.as_str() != "completed" => Outcome::plain(reason.as_str()),
            (false, _) => Outcome::good("completed"),
        });
        self.items[item].note = crate::facts::result_note(result);
        let place = Place::new(self.line, "");
        if let Some(text) = &result.result {
            self.part(item, Part::new(Look::Prose, "", text, place.key("result")));
        }
        for (at, error) in result.errors.iter().enumerate() {
            self.part(item, Part::new(Look::Code, "error", error, place.key("errors").at(at)));
        }
        if let Some(output) = &result.structured_output {
            let label = "structured output";
            self.part(item, Part::new(Look::Code, label, output.as_str(), place.key("structured_output")));
        }
        self.facts.take_result(result);
        let now = self.now;
        if let Some(turn) = self.turns.last_mut() {
            (turn.to, turn.result) = (now, Some(item));
        }
    }

    pub(super) fn part(&mut self, item: usize, part: Part) {
        let empty = part.text.is_empty();
        if !empty {
            self.items[item].parts.push(part);
        }
    }

    /// Learns which tool use an agent belongs to.
    pub(super) fn agent(&mut self, agent: Option<&str>, tool_use: Option<&str>) {
        if let (Some(agent), Some(tool_use)) = (agent, tool_use) {
            self.agents.entry(agent.to_owned()).or_insert_with(|| tool_use.to_owned());
        }
    }
}

fn content_parts(content: &Content, place: &Place) -> Vec<Part> {
    match content {
        Content::Text(text) => vec![Part::new(Look::Prose, "", text, place.clone())],
        Content::Blocks(blocks) => {
            blocks.iter().enumerate().map(|(at, block)| block_part(block, &place.at(at))).collect()
        }
        _ => Vec::new(),
    }
}

fn block_part(block: &Block, place: &Place) -> Part {
    match block {
        Block::Text(text) => Part::new(Look::Prose, "", &text.text, place.key("text")),
        other => Part::new(Look::Code, "block", other.kind(), place.clone()),
    }
}

/// Returns the parts of a tool's result: texts unchanged, other blocks by their kind.
pub(super) fn result_parts(value: &Value, place: &Place) -> Vec<Part> {
    let Value::Array(blocks) = value else { return Part::of_value("result", value, place) };
    let part = |(at, block): (usize, &Value)| match (&block["text"], &block["type"]) {
        (Value::String(text), _) => Part::new(Look::Code, "result", text, place.at(at).key("text")),
        (_, Value::String(kind)) => Part::new(Look::Code, "result", &format!("({kind})"), place.at(at)),
        _ => Part::new(Look::Code, "result", &block.to_string(), place.at(at)),
    };
    blocks.iter().enumerate().map(part).collect()
}

const NO_TOOL_USE: &str = "a result of no known tool use";
