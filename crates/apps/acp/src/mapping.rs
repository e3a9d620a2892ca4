//! Messages of the CLI as session updates of the Agent Client Protocol. No I/O.

mod content;
mod plan;
mod result;
mod stored;
mod stream;
mod system;
#[cfg(test)]
mod tests;
mod tool;

use std::collections::{BTreeSet, HashMap};

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Cost, Meta, SessionUpdate, ToolCall, ToolCallId, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, UsageUpdate,
};
use agentwire::{
    Block, Message, RawJson,
    protocol::{
        ToolUseId, Uuid,
        message::{ApiMessage, Assistant, StreamEvent, TurnResult, User},
        usage::Usage,
    },
};
use serde_json::{Value, json};

use crate::features::Features;
use plan::Plan;
use stream::Streamed;

pub(crate) use content::{chunk, text};
pub(crate) use system::{available_commands, with_own_name};
pub(crate) use tool::described;

/// The state of the mapping for one session.
#[derive(Debug)]
pub(crate) struct Mapping {
    features: Features,
    /// The tool calls without a result.
    open: HashMap<ToolUseId, OpenCall>,
    plan: Plan,
    streamed: Streamed,
    /// The tokens in the context after the last answer of the main conversation.
    context_tokens: u64,
    /// The model of that answer.
    model: Box<str>,
    compactions: u64,
    /// The messages that the last compaction kept, and which the CLI sends again.
    kept: Vec<Uuid>,
    /// The MCP servers that had failed at the start of the last turn.
    failed_servers: BTreeSet<Box<str>>,
}

/// A tool call without a result.
#[derive(Debug)]
struct OpenCall {
    name: String,
    input: Value,
    parent: Option<ToolUseId>,
    /// Whether the complete call has arrived, not only the start of its stream.
    is_whole: bool,
}

impl Mapping {
    /// Returns the mapping for a client with these features.
    pub(crate) fn new(features: Features) -> Self {
        Self {
            features,
            open: HashMap::new(),
            plan: Plan::default(),
            streamed: Streamed::default(),
            context_tokens: 0,
            model: Box::default(),
            compactions: 0,
            kept: Vec::new(),
            failed_servers: BTreeSet::new(),
        }
    }

    /// Returns the updates that show this message.
    ///
    /// Messages without an update are `command_lifecycle` messages, hook runs, updates on background tasks and other
    /// messages that the protocol can't express; docs/acp.md lists them.
    pub(crate) fn updates(&mut self, message: &Message) -> Vec<SessionUpdate> {
        match message {
            Message::StreamEvent(event) => self.stream_event(event),
            Message::Assistant(answer) => self.answer(answer),
            Message::User(user) => self.user(user),
            Message::ToolProgress(progress) => {
                let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
                let running = progress.parent_tool_use_id.iter().filter(|id| self.is_open(id));
                running.map(|id| update(id, fields.clone())).collect()
            }
            Message::Result(result) => {
                let mut updates = self.end_turn();
                updates.extend(self.usage(result));
                updates
            }
            Message::System(system) => self.system(system),
            Message::ConversationReset(_) => {
                self.context_tokens = 0;
                self.plan.clear().into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether the client knows this call, and it has no result.
    fn is_open(&self, id: &ToolUseId) -> bool {
        self.open.get(id).is_some_and(|call| !plan::is_plan_tool(&call.name))
    }

    fn stream_event(&mut self, event: &StreamEvent) -> Vec<SessionUpdate> {
        // Only whole messages of subagents are shown.
        if event.parent_tool_use_id.is_some() {
            return Vec::new();
        }
        if event.abandoned_blocks.is_some() {
            return self.fail(|_, call| !call.is_whole);
        }
        match self.streamed.take(&event.event) {
            Some(stream::Fragment::Update(update)) => vec![*update],
            Some(stream::Fragment::Tool(tool)) if !plan::is_plan_tool(&tool.name) => {
                self.call(&tool.id, &tool.name, None, None)
            }
            Some(stream::Fragment::Tool(_)) | None => Vec::new(),
        }
    }

    fn answer(&mut self, answer: &Assistant) -> Vec<SessionUpdate> {
        if answer.uuid.as_ref().is_some_and(|id| self.kept.contains(id)) {
            return Vec::new();
        }
        let parent = answer.parent_tool_use_id.as_ref();
        if parent.is_none()
            && let Some(usage) = &answer.message.usage
            && *answer.message.model != *SYNTHETIC
        {
            self.context_tokens = tokens(usage);
            self.model.clone_from(&answer.message.model);
        }
        self.blocks(&answer.message, parent)
    }

    /// Returns the updates for an answer, without the texts that were streamed.
    fn blocks(&mut self, answer: &ApiMessage, parent: Option<&ToolUseId>) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        for block in &answer.content {
            match block {
                Block::Text(text) if parent.is_none() => {
                    let rest = stream::rest(&mut self.streamed.text, &text.text);
                    updates.extend(chunk(rest, Some(&answer.id)).map(SessionUpdate::AgentMessageChunk));
                }
                Block::Thinking(thinking) if parent.is_none() => {
                    let rest = stream::rest(&mut self.streamed.thinking, &thinking.thinking);
                    updates.extend(chunk(rest, Some(&answer.id)).map(SessionUpdate::AgentThoughtChunk));
                }
                other => updates.extend(self.block(other, parent)),
            }
        }
        updates
    }

    /// Returns the updates for a tool call, or for the result of a tool that the API runs.
    fn block(&mut self, block: &Block, parent: Option<&ToolUseId>) -> Vec<SessionUpdate> {
        match block {
            Block::ToolUse(tool) => self.call(&tool.id, &tool.name, Some(value(&tool.input)), parent),
            other => match content::server_block(other) {
                Some(content::ServerBlock::Call { id, name, input }) => {
                    self.call(&id, &name, Some(input), parent)
                }
                Some(content::ServerBlock::Result { id, content }) if self.is_open(&id) => {
                    self.open.remove(&id);
                    let fields =
                        ToolCallUpdateFields::new().status(ToolCallStatus::Completed).raw_output(content);
                    vec![update(&id, fields)]
                }
                Some(content::ServerBlock::Result { .. }) | None => Vec::new(),
            },
        }
    }

    /// Returns the update for a tool call: a new call, or the complete input of an announced call. A call that begins
    /// to stream has no input yet.
    fn call(
        &mut self,
        id: &ToolUseId,
        name: &str,
        input: Option<Value>,
        parent: Option<&ToolUseId>,
    ) -> Vec<SessionUpdate> {
        let call = OpenCall {
            name: name.to_owned(),
            is_whole: input.is_some(),
            input: input.unwrap_or_else(|| json!({})),
            parent: parent.cloned(),
        };
        if plan::is_plan_tool(name) {
            let update = self.plan.called(name, &call.input);
            self.open.insert(id.clone(), call);
            return update.into_iter().collect();
        }
        let is_terminal = self.features.shows_terminal(name);
        let shown = described(name, &call.input, is_terminal.then_some(id), &self.features.cwd);
        let input = call.input.clone();
        let update = if self.open.insert(id.clone(), call).is_some() {
            let fields = ToolCallUpdateFields::new()
                .title(shown.title)
                .kind(shown.kind)
                .content(shown.content)
                .locations(shown.locations)
                .raw_input(input);
            SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call_id(id), fields).meta(meta(parent, None)))
        } else {
            let terminal = is_terminal.then(|| json!({"terminal_info": {"terminal_id": id.as_str()}}));
            let call = ToolCall::new(call_id(id), shown.title)
                .name(name)
                .kind(shown.kind)
                .content(shown.content)
                .locations(shown.locations)
                .raw_input(input)
                .meta(meta(parent, terminal));
            SessionUpdate::ToolCall(call)
        };
        vec![update]
    }

    /// Returns the updates for the tool results in a message. Its texts are the client's own prompts, or notes for the
    /// model.
    fn user(&mut self, user: &User) -> Vec<SessionUpdate> {
        let results: Vec<_> =
            user.message.content.blocks().iter().filter_map(Block::as_tool_result).collect();
        // The details belong to the message, which then has one result.
        let details = user.tool_use_result.as_ref().filter(|_| results.len() == 1).map(value);
        results.into_iter().flat_map(|result| self.result(result, details.as_ref())).collect()
    }

    /// Ends the calls of a turn that is over.
    ///
    /// An agent whose own call has ended works in the background: its calls outlive the turn.
    pub(crate) fn end_turn(&mut self) -> Vec<SessionUpdate> {
        self.fail(|mapping, call| mapping.chain(call).last().is_some_and(|top| top.parent.is_none()))
    }

    /// Ends the calls of the agent that this call started, after the CLI has reported the end of the agent: the calls
    /// of an interrupted agent get no results.
    fn end_agent(&mut self, agent: &ToolUseId) -> Vec<SessionUpdate> {
        self.fail(|mapping, call| mapping.chain(call).any(|inner| inner.parent.as_ref() == Some(agent)))
    }

    /// Ends the calls of a session that is over, also those of agents in the background.
    pub(crate) fn end_session(&mut self) -> Vec<SessionUpdate> {
        self.fail(|_, _| true)
    }

    /// Returns an open call, and the open calls of the agents around it, from the inside out.
    fn chain<'a>(&'a self, call: &'a OpenCall) -> impl Iterator<Item = &'a OpenCall> {
        std::iter::successors(Some(call), move |call| self.open.get(call.parent.as_ref()?)).take(DEPTH)
    }

    /// Ends calls that get no result.
    fn fail(&mut self, which: impl Fn(&Self, &OpenCall) -> bool) -> Vec<SessionUpdate> {
        let failed = self.open.iter().filter(|(_, call)| which(self, call));
        let mut failed: Vec<_> = failed.map(|(id, _)| id.clone()).collect();
        failed.sort_unstable();
        let updates = failed.iter().filter_map(|id| {
            let call = self.open.remove(id).filter(|call| !plan::is_plan_tool(&call.name))?;
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            // Zed shows a command as running until its terminal has an exit.
            let exit = self.features.shows_terminal(&call.name).then(|| result::terminal_exit(id, None));
            Some(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call_id(id), fields).meta(exit)))
        });
        updates.collect()
    }

    /// Returns the tokens and the cost, if the window of the model is known.
    fn usage(&self, result: &TurnResult) -> Option<SessionUpdate> {
        // The usage of the session also has the models of earlier turns.
        let models = result.model_usage_since_last_result.as_ref().unwrap_or(&result.model_usage);
        // A key may have a suffix, as in `claude-opus-4-8[1m]`.
        let is_main = |name: &str| models.len() == 1 || name.split('[').next() == Some(&*self.model);
        let windows =
            models.iter().filter(|(name, _)| is_main(name)).filter_map(|(_, model)| model.context_window);
        let cost = Cost::new(result.total_cost_usd, "USD");
        let usage = UsageUpdate::new(self.context_tokens, windows.max()?).cost(cost);
        Some(SessionUpdate::UsageUpdate(usage))
    }
}

/// Returns a chunk of text as an update of the agent's message.
pub(super) fn message(text: impl Into<String>) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(ContentChunk::new(ContentBlock::from(text.into())))
}

/// Returns a text as an update of the agent's thoughts, which are not part of its answer.
fn thought(text: String) -> SessionUpdate {
    SessionUpdate::AgentThoughtChunk(ContentChunk::new(ContentBlock::from(text)))
}

/// Returns the id of a tool call.
pub(crate) fn call_id(id: &ToolUseId) -> ToolCallId {
    ToolCallId::new(id.as_str())
}

/// Returns the update of a tool call.
fn update(id: &ToolUseId, fields: ToolCallUpdateFields) -> SessionUpdate {
    SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call_id(id), fields))
}

/// Returns the metadata of a tool call: the call that started its subagent, and the terminal by Zed's convention.
fn meta(parent: Option<&ToolUseId>, terminal: Option<Value>) -> Option<Meta> {
    let mut meta = match terminal {
        Some(Value::Object(terminal)) => terminal,
        _ => Meta::new(),
    };
    if let Some(parent) = parent {
        meta.insert("claudeCode".to_owned(), json!({"parentToolUseId": parent.as_str()}));
    }
    (!meta.is_empty()).then_some(meta)
}

/// Returns free-form JSON as a value; as its text if it is nested too deeply.
pub(crate) fn value(json: &RawJson) -> Value {
    json.decode().unwrap_or_else(|_| json.as_str().into())
}

/// Returns the tokens that an answer leaves in the context.
fn tokens(usage: &Usage) -> u64 {
    let cached = usage.cache_creation_input_tokens.unwrap_or(0) + usage.cache_read_input_tokens.unwrap_or(0);
    usage.input_tokens + cached + usage.output_tokens
}

/// The model of the CLI's own messages, which use no tokens.
const SYNTHETIC: &str = "<synthetic>";
/// How deep agents may start agents.
const DEPTH: usize = 16;
