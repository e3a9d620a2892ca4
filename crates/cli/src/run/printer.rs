//! The messages of a session as text for a terminal.

use std::io::{self, IsTerminal as _};

use agentwire::protocol::{
    System,
    message::{Event, Informational, InformationalLevel},
};
use agentwire::{Block, Message};

use crate::failure::Failure;
use crate::output::{Color, for_terminal, line, note, paint, write};

/// Prints messages, each kind on lines of its own.
#[derive(Debug, Default)]
pub(super) struct Printer {
    is_inside_line: bool,
    /// The text of the main conversation that has streamed since its last message.
    streamed: String,
}

impl Printer {
    /// Prints a message, without text that was printed as it streamed.
    pub(super) fn print(&mut self, message: &Message) -> Result<(), Failure> {
        match message {
            // Text of subagents is part of their result.
            Message::StreamEvent(event) if event.parent_tool_use_id.is_none() => {
                if let Some(text) = event.text_delta() {
                    self.text(text)?;
                    self.streamed.push_str(text);
                } else if matches!(event.event, Event::MessageStart(_)) {
                    // An answer that was cut off gets no message.
                    self.streamed.clear();
                    self.end_line()?;
                }
            }
            Message::Assistant(message) => {
                for block in &message.message.content {
                    match block {
                        // The failure of the turn has the text of an error.
                        Block::Text(text)
                            if message.parent_tool_use_id.is_none() && message.error.is_none() =>
                        {
                            self.unstreamed(&text.text)?;
                        }
                        Block::ToolUse(tool) => {
                            let (name, input) =
                                (for_terminal(&tool.name, &io::stdout()), short(tool.input.as_str()));
                            self.aside(&format!("[{name} {input}]"))?;
                        }
                        _ => {}
                    }
                }
            }
            Message::System(System::ApiRetry(retry)) => {
                self.end_line()?;
                let (attempt, retries) = (retry.attempt, retry.max_retries);
                let error = for_terminal(retry.error.as_str(), &io::stderr());
                note(format_args!("(the request failed: {error}; sent again, {attempt} of {retries})"));
            }
            Message::System(System::Informational(news)) if is_for_people(news) => {
                self.end_line()?;
                note(for_terminal(&news.content, &io::stderr()));
            }
            Message::Result(result) => {
                let session = result.session_id.as_deref().unwrap_or("unknown");
                let session = for_terminal(session, &io::stdout());
                self.aside(&format!("[${:.4}, session {session}]", result.total_cost_usd))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Prints the text of a message unless it has streamed: the output of commands of the CLI does not.
    fn unstreamed(&mut self, text: &str) -> Result<(), Failure> {
        if std::mem::take(&mut self.streamed) == text {
            return Ok(());
        }
        self.end_line()?;
        self.text(text)
    }

    fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.is_inside_line = !text.ends_with('\n');
        write(for_terminal(text, &io::stdout()).as_bytes())
    }

    fn aside(&mut self, text: &str) -> Result<(), Failure> {
        self.end_line()?;
        line(paint(text, Color::Dim))
    }

    /// Ends the line of a text that has streamed.
    pub(super) fn end_line(&mut self) -> Result<(), Failure> {
        if std::mem::take(&mut self.is_inside_line) { write(b"\n") } else { Ok(()) }
    }
}

/// Returns whether a user needs the line. The outcome of a prompt is also in the result of the turn.
fn is_for_people(news: &Informational) -> bool {
    let is_repeated = news.prompt_submit_outcome.is_some();
    news.level != InformationalLevel::Info && news.is_meta != Some(true) && !is_repeated
}

/// Shortens a tool's input for a terminal. Other readers get all of it.
fn short(input: &str) -> String {
    let input = for_terminal(input, &io::stdout());
    let length = input.chars().count();
    if !io::stdout().is_terminal() || length <= WIDTH {
        return input.into_owned();
    }
    format!("{}… {} more characters", input.chars().take(WIDTH).collect::<String>(), length - WIDTH)
}

/// The characters of a tool's input that a terminal shows.
const WIDTH: usize = 300;
