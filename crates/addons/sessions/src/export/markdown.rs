//! Export as Markdown, with all content escaped.

use std::io::{self, Write};

use super::html;
use super::item::{Item, ToolResult};
use super::json::indented;
use super::picture::Picture;
use super::{Document, cleaned};

/// A writer of Markdown.
pub(super) struct Markdown<'a> {
    out: &'a mut dyn Write,
    pictures: bool,
}

impl<'a> Markdown<'a> {
    pub(super) fn new(out: &'a mut dyn Write, pictures: bool) -> Self {
        Self { out, pictures }
    }

    fn folded(&mut self, summary: &str, inside: &str) -> io::Result<()> {
        // In HTML, Markdown's escapes would be shown literally.
        let summary = html::escaped(&summary.replace(['\n', '\r'], " "));
        writeln!(self.out, "<details>\n<summary>{summary}</summary>\n\n{inside}\n\n</details>\n")
    }

    fn picture(&mut self, picture: &Picture) -> io::Result<()> {
        let note = inline(&picture.note);
        match picture.address.as_ref().filter(|_| self.pictures) {
            Some(address) => writeln!(self.out, "![{note}]({address})\n"),
            None => writeln!(self.out, "\\[{note}\\]\n"),
        }
    }

    fn result(&mut self, result: &ToolResult) -> io::Result<()> {
        writeln!(self.out, "{}\n", if result.failed { "Result (failed):" } else { "Result:" })?;
        for item in &result.items {
            match item {
                Item::Text(text) => writeln!(self.out, "{}\n", fenced("", &cleaned(text)))?,
                item => self.item(item)?,
            }
        }
        Ok(())
    }
}

impl Document for Markdown<'_> {
    fn start(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.out, "# {}\n", inline(title))
    }

    fn speaker(&mut self, speaker: &str) -> io::Result<()> {
        writeln!(self.out, "## {speaker}\n")
    }

    fn item(&mut self, item: &Item) -> io::Result<()> {
        match item {
            Item::Text(text) => writeln!(self.out, "{}\n", lines(text)),
            Item::Thinking(text) => self.folded("Thinking", &lines(text)),
            Item::Tool { name, input, result } => {
                writeln!(self.out, "**Tool {}**\n\n{}\n", inline(name), json(input.as_str()))?;
                result.as_ref().map_or(Ok(()), |result| self.result(result))
            }
            Item::Result(result) => self.result(result),
            Item::Picture(picture) => self.picture(picture),
            Item::Note(note) => writeln!(self.out, "\\[{}\\]\n", inline(note)),
            Item::Other { kind, json: value } => self.folded(kind, &json(value.as_str())),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Escapes a text of several lines.
fn lines(text: &str) -> String {
    let text = cleaned(text);
    let mut shown = String::with_capacity(text.len() + text.len() / 8);
    let mut lines = text.trim_matches('\n').split('\n').map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
        let words = line.trim_start();
        for char in line[..line.len() - words.len()].chars() {
            // Leading spaces would turn the line into a code block.
            shown.push_str(if char == '\t' { "&nbsp;&nbsp;&nbsp;&nbsp;" } else { "&nbsp;" });
        }
        escape_start(words, &mut shown);
        // A backslash preserves the line break within a paragraph.
        if !words.is_empty() && lines.peek().is_some_and(|next| !next.is_empty()) {
            shown.push('\\');
        }
        if lines.peek().is_some() {
            shown.push('\n');
        }
    }
    shown
}

/// Escapes a text for one line.
fn inline(text: &str) -> String {
    let mut shown = String::new();
    escape_start(cleaned(text).replace(['\n', '\t'], " ").trim(), &mut shown);
    shown
}

/// Escapes a line, including a start that would make it a list item or an underline.
fn escape_start(line: &str, shown: &mut String) {
    let digits = line.len() - line.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    shown.push_str(number);
    if rest.starts_with(['-', '+', '=', ':']) || (digits > 0 && rest.starts_with(['.', ')'])) {
        shown.push('\\');
    }
    for char in rest.chars() {
        match char {
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '!' | '$' | '@' => {
                shown.push('\\');
                shown.push(char);
            }
            char => shown.push(char),
        }
    }
}

fn json(json: &str) -> String {
    fenced("json", &cleaned(&indented(json)))
}

/// Returns a code block with a fence longer than any run of backticks in the text.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let text = text.strip_suffix('\n').unwrap_or(text);
    format!("{fence}{language}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::{fenced, inline, lines};

    #[test]
    fn markup_in_a_text_is_escaped() {
        for (text, shown) in [
            ("# a\n## b", "\\# a\\\n\\#\\# b"),
            ("a\n===\n---", "a\\\n\\===\\\n\\---"),
            ("1. a\n2) b\n3 c\n- d\n+ e\n* f", "1\\. a\\\n2\\) b\\\n3 c\\\n\\- d\\\n\\+ e\\\n\\* f"),
            ("    code\n\tcode", "&nbsp;&nbsp;&nbsp;&nbsp;code\\\n&nbsp;&nbsp;&nbsp;&nbsp;code"),
            ("a\n\n> b\n", "a\n\n&gt; b"),
            ("</details><script>", "&lt;/details&gt;&lt;script&gt;"),
            ("[a](http://b) ![c](d) &amp;", "\\[a\\](http://b) \\!\\[c\\](d) &amp;amp;"),
            ("```\n~~~", "\\`\\`\\`\\\n\\~\\~\\~"),
            ("a  \nb\rc\r\nd\\", "a\\\nb\\\nc\\\nd\\\\"),
            ("a\u{1b}[1m\u{0}", "a\u{fffd}\\[1m\u{fffd}"),
            ("|a|\n|:-|", "\\|a\\|\\\n\\|:-\\|"),
        ] {
            assert_eq!(lines(text), shown, "{text:?}");
        }
        assert_eq!(inline(" a\n# b"), "a \\# b");
    }

    #[test]
    fn a_fence_is_longer_than_what_is_in_it() {
        assert_eq!(fenced("", "a\n````\nb\n"), "`````\na\n````\nb\n`````");
        assert_eq!(fenced("json", ""), "```json\n\n```");
    }
}
