//! Output and line input on the terminal.

use std::{
    fmt::Display,
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    sync::{Mutex, PoisonError},
};

use agentwire_hub::llm::is_invisible;
use rustix::{
    io::ioctl_fionread,
    termios::{QueueSelector, tcflush},
};

/// Escapes control and invisible characters in text of a model or a server, which could hide or forge output.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.replace("\r\n", "\n").chars() {
        if is_invisible(char) { shown.extend(char.escape_unicode()) } else { shown.push(char) }
    }
    shown
}

/// Escapes a text for one line.
pub(crate) fn shown_line(text: &str) -> String {
    shown(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Writes a line to the standard error. A standard error that is full, or that nothing reads, does not end the chat.
pub(crate) fn note(text: impl Display) {
    let _ = io::stderr().lock().write_all(format!("{text}\n").as_bytes());
}

/// Reads a line of input, one question at a time; returns `None` at the end of the input.
///
/// The prompt is written without escaping.
pub(crate) async fn typed(prompt: String) -> io::Result<Option<String>> {
    read(prompt, false).await
}

/// As [`typed`], but discards what was typed on the terminal before the question is shown: it answers nothing.
/// Fails if the question can't be shown.
pub(crate) async fn answered(question: String) -> io::Result<Option<String>> {
    read(question, true).await
}

async fn read(prompt: String, is_question: bool) -> io::Result<Option<String>> {
    static ONE: Mutex<()> = Mutex::new(());
    let read = tokio::task::spawn_blocking(move || {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        if is_question && io::stdin().is_terminal() {
            let is_typed = ioctl_fionread(io::stdin())? > 0;
            tcflush(io::stdin(), QueueSelector::IFlush)?;
            if is_typed {
                note("[the lines that were typed before this question are discarded]");
            }
        }
        let written = io::stderr().lock().write_all(prompt.as_bytes());
        if is_question {
            written?;
        }
        let mut line = Vec::new();
        io::stdin().lock().read_until(b'\n', &mut line)?;
        // A terminal may send other bytes than UTF-8, which must not end the conversation.
        Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
    });
    read.await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::{shown, shown_line};

    #[test]
    fn control_and_invisible_characters_are_shown_as_escapes() {
        let text =
            "\u{1b}]52;c;x\u{7}\u{1b}[2J a\rb \u{9b}2K \u{202e}x\u{202c} \u{61c}\u{200b}\u{2028}\u{e0041}";
        assert_eq!(
            shown(text),
            "\\u{1b}]52;c;x\\u{7}\\u{1b}[2J a\\u{d}b \\u{9b}2K \\u{202e}x\\u{202c} \\u{61c}\\u{200b}\\u{2028}\\u{e0041}"
        );
        assert_eq!(shown("one\r\n\ttwo é 日本 👩‍👧"), "one\n\ttwo é 日本 👩‍👧");
        assert_eq!(shown_line("one\n\ttwo"), "one\\n\\ttwo");
    }
}
