//! A reply as a stream of server-sent events, with gates, pauses and cuts in the middle.

use std::{io, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{Stream, stream};
use serde_json::{Value, json};

use super::{
    message::{Message, Piece, usage},
    script::Reply,
    server::Shared,
};

/// A step in sending a body.
#[derive(Debug)]
pub(super) enum Step {
    Send(Bytes),
    Pause(Duration),
    Hold(String),
    /// The connection breaks.
    Cut,
}

/// Returns all steps of a streamed reply.
pub(super) fn steps(message: &Message<'_>, reply: &Reply) -> Vec<Step> {
    let chunks = chunks(reply);
    let pieces: Vec<Vec<&str>> = message.blocks.iter().map(|block| split(block.body(), chunks)).collect();
    let half = pieces.iter().flatten().count().div_ceil(2);
    let mut stage = Stage { steps: Vec::new(), reply, half, deltas: 0 };
    stage.send("message_start", json!({"message": message.announcement()}));
    if half == 0 && stage.middle() {
        return stage.steps;
    }
    for (index, (block, pieces)) in message.blocks.iter().zip(&pieces).enumerate() {
        stage.send("content_block_start", json!({"index": index, "content_block": opening(block)}));
        for piece in pieces {
            if stage.delta(index, delta(block, piece)) {
                return stage.steps;
            }
        }
        if let Piece::Thinking { signature, .. } = block {
            let delta = json!({"type": "signature_delta", "signature": signature});
            stage.send("content_block_delta", json!({"index": index, "delta": delta}));
        }
        stage.send("content_block_stop", json!({"index": index}));
    }
    let mut delta = json!({"stop_reason": message.stop_reason, "stop_sequence": null});
    if let Some(details) = message.stop_details {
        delta["stop_details"] = json!(details);
    }
    let usage = usage(&message.usage, message.usage.output_tokens);
    stage.send("message_delta", json!({"delta": delta, "usage": usage}));
    stage.send("message_stop", json!({}));
    stage.steps
}

/// Returns the steps of a body without a stream. If the reply is cut, the rest is not sent.
pub(super) fn whole(body: Vec<u8>, reply: &Reply) -> Vec<Step> {
    let body = Bytes::from(body);
    let half = body.len() / 2;
    let mut steps = vec![Step::Send(body.slice(..half))];
    steps.extend(reply.hold.clone().map(Step::Hold));
    steps.push(if reply.cut { Step::Cut } else { Step::Send(body.slice(half..)) });
    steps
}

/// Plays the steps, as the body of a response.
pub(super) fn play(steps: Vec<Step>, shared: Arc<Shared>) -> impl Stream<Item = io::Result<Bytes>> + Send {
    stream::unfold((steps.into_iter(), shared), async |(mut steps, shared)| {
        loop {
            match steps.next()? {
                Step::Send(bytes) => return Some((Ok(bytes), (steps, shared))),
                Step::Pause(time) => tokio::time::sleep(time).await,
                Step::Hold(gate) => {
                    // Yielding lets the server flush earlier events before the gate is reached.
                    tokio::task::yield_now().await;
                    shared.gates.pass(&gate).await;
                }
                Step::Cut => {
                    tokio::task::yield_now().await;
                    let error =
                        io::Error::new(io::ErrorKind::ConnectionAborted, "the script cuts the reply here");
                    return Some((Err(error), (Vec::new().into_iter(), shared)));
                }
            }
        }
    })
}

/// The steps so far, and where the middle is.
struct Stage<'a> {
    steps: Vec<Step>,
    reply: &'a Reply,
    /// How many deltas come before the middle.
    half: usize,
    deltas: usize,
}

impl Stage<'_> {
    fn send(&mut self, kind: &str, mut event: Value) {
        event["type"] = kind.into();
        self.steps.push(Step::Send(format!("event: {kind}\ndata: {event}\n\n").into()));
    }

    /// Adds one delta and, if it is the last one before the middle, the middle. Returns whether the stream ends here.
    fn delta(&mut self, index: usize, delta: Value) -> bool {
        if self.deltas > 0 && self.reply.pause_ms > 0 {
            self.steps.push(Step::Pause(Duration::from_millis(self.reply.pause_ms)));
        }
        self.send("content_block_delta", json!({"index": index, "delta": delta}));
        self.deltas += 1;
        self.deltas == self.half && self.middle()
    }

    /// Adds the events of the middle. Returns whether the stream ends here.
    fn middle(&mut self) -> bool {
        self.steps.extend(self.reply.hold.clone().map(Step::Hold));
        if self.reply.error_event {
            let message = self.reply.error_message.as_deref().unwrap_or("scripted failure in the stream");
            let error = json!({"type": "overloaded_error", "message": message});
            self.send("error", json!({"error": error}));
        }
        if self.reply.cut {
            self.steps.push(Step::Cut);
        }
        self.reply.cut || self.reply.error_event
    }
}

fn chunks(reply: &Reply) -> usize {
    reply.chunks.unwrap_or(if reply.has_middle() { 2 } else { 1 })
}

fn opening(block: &Piece<'_>) -> Value {
    match block {
        Piece::Text { .. } => json!({"type": "text", "text": ""}),
        Piece::Thinking { .. } => json!({"type": "thinking", "thinking": "", "signature": ""}),
        Piece::ToolUse { id, name, .. } => json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
    }
}

fn delta(block: &Piece<'_>, piece: &str) -> Value {
    match block {
        Piece::Text { .. } => json!({"type": "text_delta", "text": piece}),
        Piece::Thinking { .. } => json!({"type": "thinking_delta", "thinking": piece}),
        Piece::ToolUse { .. } => json!({"type": "input_json_delta", "partial_json": piece}),
    }
}

/// Splits a text into at most this many pieces of about the same length, and at least one.
fn split(text: &str, pieces: usize) -> Vec<&str> {
    let pieces = pieces.min(text.len()).max(1);
    let mut parts = Vec::new();
    let mut start = 0;
    for piece in 1..=pieces {
        let mut end = text.len() * piece / pieces;
        while !text.is_char_boundary(end) {
            end += 1;
        }
        if end > start || text.is_empty() {
            parts.push(text.get(start..end).unwrap_or_default());
            start = end;
        }
    }
    parts
}
