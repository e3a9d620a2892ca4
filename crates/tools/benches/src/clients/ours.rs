//! Our client: the whole stack with typed events and typed handlers.

use std::path::Path;

use crate::cli::{Plan, Tally, Workload};
use agentwire::{
    Incoming, Message, Options, Session,
    protocol::{
        Block, Content, RawJson, Uuid,
        message::{BlockDelta, Delta, Event},
    },
};

use super::answers::Failure;
use crate::{
    handlers::{hooks, permissions, servers},
    outcome::{Notes, Outcome},
};

/// Runs the client.
pub(super) async fn run(cli: &Path, plan: Plan) -> Result<Outcome, Failure> {
    let mut notes = Notes::start();
    let mut session = Session::builder().options(Options::new().path_to_claude_code_executable(cli));
    if matches!(plan.workload, Workload::Callback(_) | Workload::HookMany) {
        session = session.hooks(hooks()).permissions(permissions()).mcp_servers(servers());
    }
    let mut session = session.connect().await?;
    notes.prompt();
    for _ in 0..plan.prompts() {
        let mut turn = session.ask("Go.").await?;
        while let Some(incoming) = turn.next().await {
            let incoming = incoming?;
            notes.message(incoming.line().map_or(0, |line| line.len()));
            read(&incoming, &mut notes.tally)?;
            if let Some(stall) = plan.stall(notes.tally.messages) {
                super::stop_reading(stall).await;
            }
        }
        turn.result().ok_or("the turn has no result")?;
    }
    let outcome = notes.end();
    session.close().await?;
    Ok(outcome)
}

/// Reads a message as a program does that shows the conversation.
fn read(incoming: &Incoming, tally: &mut Tally) -> Result<(), Failure> {
    match incoming.message().ok_or("a line is not a message")? {
        Message::StreamEvent(event) => {
            id(event.uuid.as_ref(), tally);
            if let Event::ContentBlockDelta(BlockDelta { delta, .. }) = &event.event {
                match delta {
                    Delta::Text(delta) => tally.text(&delta.text),
                    Delta::Thinking(delta) => tally.text(&delta.thinking),
                    Delta::Signature(delta) => tally.text(&delta.signature),
                    Delta::InputJson(delta) => tally.text(&delta.partial_json),
                    other => return Err(format!("an unknown delta: {other:?}").into()),
                }
            }
        }
        Message::Assistant(message) => {
            id(message.uuid.as_ref(), tally);
            blocks(&message.message.content, tally);
        }
        Message::User(message) => {
            id(message.uuid.as_ref(), tally);
            content(&message.message.content, tally);
        }
        Message::Result(result) => {
            id(result.uuid.as_ref(), tally);
            tally.text(result.result.as_deref().unwrap_or_default());
        }
        other => id(other.uuid().as_ref(), tally),
    }
    Ok(())
}

fn id(uuid: Option<&Uuid>, tally: &mut Tally) {
    tally.text(uuid.map_or("", Uuid::as_str));
}

fn content(content: &Content, tally: &mut Tally) {
    match content {
        Content::Text(text) => tally.text(text),
        other => blocks(other.blocks(), tally),
    }
}

fn blocks(blocks: &[Block], tally: &mut Tally) {
    for block in blocks {
        match block {
            Block::Text(text) => tally.text(&text.text),
            Block::Thinking(thinking) => tally.text(&thinking.thinking),
            Block::ToolResult(result) => {
                tally.text(result.content.as_ref().map_or("", RawJson::as_str));
            }
            _ => {}
        }
    }
}
