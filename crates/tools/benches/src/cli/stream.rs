//! A generated long session with partial messages, the same bytes in each run.
//!
//! The frames are those of `fixtures/sessions/2.1.330/partial-messages-with-thinking` and `tools-auto-allowed`, with
//! three differences:
//! deltas and tool results have the sizes of a real model and of real files, ids have different digits, and the objects
//! of the Messages API start with their `type`, as the API writes them.
//! The CLI keeps the order of keys that it receives; the scripted model of the recordings sorts them, so `type` comes last
//! there.

mod pen;
mod words;

use pen::{Pen, string};

/// Returns 64,000 messages with 93 % stream events, 43 MB in all, divided by `share`.
pub fn generate(share: usize) -> Vec<u8> {
    let mut pen = Pen::new();
    let mut answers = 0;
    let messages = (MESSAGES / share.max(1)).max(1);
    while pen.lines < messages {
        answer(&mut pen, answers);
        answers += 1;
    }
    pen.finish(messages)
}

/// Returns a short answer of the model as lines.
pub(super) fn short() -> Vec<u8> {
    let mut pen = Pen::new();
    pen.next_answer();
    start(&mut pen);
    text(&mut pen, 0, 6);
    end(&mut pen, r#""end_turn""#);
    let lines = pen.lines;
    pen.finish(lines)
}

/// Writes an answer of the model that ends with a tool use, and the tool's result.
fn answer(pen: &mut Pen, number: usize) {
    pen.next_answer();
    start(pen);
    let mut index = 0;
    if number.is_multiple_of(4) {
        thinking(pen);
        index += 1;
    }
    text(pen, index, 26);
    tool_use(pen, index + 1);
    end(pen, r#""tool_use""#);
    tool_result(pen);
}

fn start(pen: &mut Pen) {
    pen.frame("system", r#""subtype":"status","status":"requesting""#);
    let id = pen.answer_id();
    let message = pen.object(
        "message",
        &[("id", &id), ("role", r#""assistant""#), ("model", MODEL), ("content", "[]"), ("usage", USAGE)],
    );
    pen.event("message_start", &[("message", &message)], r#","ttft_ms":812"#);
}

fn end(pen: &mut Pen, reason: &str) {
    let delta = format!(r#"{{"stop_reason":{reason},"stop_sequence":null}}"#);
    pen.event("message_delta", &[("delta", &delta), ("usage", USAGE)], "");
    pen.event("message_stop", &[], "");
}

fn thinking(pen: &mut Pen) {
    let block = pen.object("thinking", &[("thinking", r#""""#), ("signature", r#""""#)]);
    pen.event("content_block_start", &[("index", "0"), ("content_block", &block)], DISPLAY);
    let mut whole = String::new();
    for _ in 0..24 {
        let piece = pen.words(60);
        let delta = pen.object("thinking_delta", &[("thinking", &string(&piece))]);
        pen.event("content_block_delta", &[("index", "0"), ("delta", &delta)], DISPLAY);
        whole.push_str(&piece);
    }
    pen.frame("system", r#""subtype":"thinking_tokens","estimated_tokens":360,"estimated_tokens_delta":360"#);
    let signature = string(&pen.digits(400));
    let delta = pen.object("signature_delta", &[("signature", &signature)]);
    pen.event("content_block_delta", &[("index", "0"), ("delta", &delta)], "");
    let block = pen.object("thinking", &[("thinking", &string(&whole)), ("signature", &signature)]);
    pen.assistant(&block);
    pen.event("content_block_stop", &[("index", "0")], "");
}

fn text(pen: &mut Pen, index: usize, pieces: usize) {
    let index = index.to_string();
    let block = pen.object("text", &[("text", r#""""#)]);
    pen.event("content_block_start", &[("index", &index), ("content_block", &block)], "");
    let mut whole = String::new();
    for _ in 0..pieces {
        let piece = pen.words(40);
        let delta = pen.object("text_delta", &[("text", &string(&piece))]);
        pen.event("content_block_delta", &[("index", &index), ("delta", &delta)], "");
        whole.push_str(&piece);
    }
    let block = pen.object("text", &[("text", &string(&whole))]);
    pen.assistant(&block);
    pen.event("content_block_stop", &[("index", &index)], "");
}

fn tool_use(pen: &mut Pen, index: usize) {
    let index = index.to_string();
    let id = pen.tool_use_id();
    let block = pen.object("tool_use", &[("id", &id), ("name", r#""Edit""#), ("input", "{}")]);
    pen.event("content_block_start", &[("index", &index), ("content_block", &block)], "");
    let mut text = String::new();
    for _ in 0..18 {
        text.push_str(&pen.words(60));
    }
    let input = format!(r#"{{"file_path":"/project/src/lib.rs","new_string":{}}}"#, string(&text));
    let mut rest = input.as_str();
    while !rest.is_empty() {
        let mut end = rest.len().min(40);
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        let delta = pen.object("input_json_delta", &[("partial_json", &string(piece))]);
        pen.event("content_block_delta", &[("index", &index), ("delta", &delta)], "");
    }
    let block = pen.object("tool_use", &[("id", &id), ("name", r#""Edit""#), ("input", &input)]);
    pen.assistant(&block);
    pen.event("content_block_stop", &[("index", &index)], "");
}

/// Writes the content of a file as a tool's result, once for the model and once for the host, as the CLI does.
fn tool_result(pen: &mut Pen) {
    let mut file = String::new();
    for _ in 0..FILE_LINES {
        file.push_str(&pen.words(70));
        file.push('\n');
    }
    let file = string(&file);
    let id = pen.tool_use_id();
    pen.user(
        &format!(r#"{{"tool_use_id":{id},"type":"tool_result","content":{file}}}"#),
        &format!(
            r#"{{"type":"text","file":{{"filePath":"/project/src/lib.rs","content":{file},"numLines":{FILE_LINES}}}}}"#
        ),
    );
}

/// The number of messages of the whole stream.
pub const MESSAGES: usize = 64_000;
const FILE_LINES: usize = 230;
const MODEL: &str = r#""claude-opus-5-5""#;
const USAGE: &str = r#"{"input_tokens":10,"cache_creation_input_tokens":2048,"cache_read_input_tokens":18432,"output_tokens":120,"service_tier":"standard"}"#;
const DISPLAY: &str = r#","thinking_display":"updates""#;

#[cfg(test)]
mod tests {
    use super::{MESSAGES, generate};

    #[test]
    fn stream_has_its_documented_size_and_share_of_events() {
        let stream = generate(1);
        let lines: Vec<&[u8]> = stream.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
        let events = lines.iter().filter(|line| line.starts_with(br#"{"type":"stream_event""#)).count();
        assert_eq!(lines.len(), MESSAGES);
        assert!(
            (92.5..93.5).contains(&(events as f64 * 100.0 / lines.len() as f64)),
            "{events} stream events"
        );
        assert!((42_000_000..44_000_000).contains(&stream.len()), "{} bytes", stream.len());
        assert_eq!(generate(1), stream);
    }
}
