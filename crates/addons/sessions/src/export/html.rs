//! Export as one HTML page without scripts or external resources.

use std::io::{self, Write};

use super::item::{Item, ToolResult};
use super::json::indented;
use super::picture::Picture;
use super::{Document, cleaned};

/// A writer of HTML.
pub(super) struct Html<'a> {
    out: &'a mut dyn Write,
    pictures: bool,
}

impl<'a> Html<'a> {
    pub(super) fn new(out: &'a mut dyn Write, pictures: bool) -> Self {
        Self { out, pictures }
    }

    fn paragraph(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "<p dir=\"auto\">{}</p>", escaped(text))
    }

    fn code(&mut self, text: &str, failed: bool) -> io::Result<()> {
        // A browser drops a line break directly after `<pre>`, so one is added.
        let class = if failed { " class=\"failed\"" } else { "" };
        writeln!(self.out, "<pre{class}>\n{}</pre>", escaped(text))
    }

    fn folded(&mut self, summary: &str, inside: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        writeln!(self.out, "<details><summary>{}</summary>", escaped(summary))?;
        inside(self)?;
        writeln!(self.out, "</details>")
    }

    fn picture(&mut self, picture: &Picture) -> io::Result<()> {
        let note = escaped(&picture.note);
        match picture.address.as_ref().filter(|_| self.pictures) {
            Some(address) => writeln!(self.out, "<p><img alt=\"{note}\" src=\"{}\"></p>", escaped(address)),
            None => writeln!(self.out, "<p>[{note}]</p>"),
        }
    }

    fn result(&mut self, result: &ToolResult) -> io::Result<()> {
        self.folded(if result.failed { "Result (failed)" } else { "Result" }, |page| {
            for item in &result.items {
                match item {
                    Item::Text(text) => page.code(text, result.failed)?,
                    item => page.item(item)?,
                }
            }
            Ok(())
        })
    }
}

impl Document for Html<'_> {
    fn start(&mut self, title: &str) -> io::Result<()> {
        let title = escaped(title);
        write!(self.out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")?;
        writeln!(self.out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">")?;
        writeln!(self.out, "<meta name=\"viewport\" content=\"width=device-width\">")?;
        writeln!(
            self.out,
            "<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>"
        )
    }

    fn speaker(&mut self, speaker: &str) -> io::Result<()> {
        writeln!(self.out, "<h2>{speaker}</h2>")
    }

    fn item(&mut self, item: &Item) -> io::Result<()> {
        match item {
            Item::Text(text) => self.paragraph(text),
            Item::Thinking(text) => self.folded("Thinking", |page| page.paragraph(text)),
            Item::Tool { name, input, result } => {
                let name = format!("Tool {name}");
                self.folded(&name, |page| page.code(&indented(input.as_str()), false))?;
                result.as_ref().map_or(Ok(()), |result| self.result(result))
            }
            Item::Result(result) => self.result(result),
            Item::Picture(picture) => self.picture(picture),
            Item::Note(note) => self.paragraph(&format!("[{note}]")),
            Item::Other { kind, json } => {
                self.folded(kind, |page| page.code(&indented(json.as_str()), false))
            }
        }
    }

    fn end(&mut self) -> io::Result<()> {
        writeln!(self.out, "</body>\n</html>")?;
        self.out.flush()
    }
}

/// Escapes text for HTML and for attributes, and replaces characters that HTML forbids.
pub(super) fn escaped(text: &str) -> String {
    let text = cleaned(text);
    let mut shown = String::with_capacity(text.len() + text.len() / 8);
    for char in text.chars() {
        match char {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            char => shown.push(char),
        }
    }
    shown
}

/// Forbids loading and scripts, and allows only the style with this hash, which a test computes.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'sha256-aAhNZr6u2AYVLOdEiWHoZxsN3IJLFCOq19LuOiHWZcc='; base-uri 'none'; form-action 'none'";

const STYLE: &str = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}h1,h2,p,summary{overflow-wrap:anywhere}h2{font-size:1rem;margin:2rem 0 .5rem;border-top:1px solid #8888;padding-top:1rem}p{white-space:pre-wrap}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem;padding:.5rem;border-left:3px solid #8888}.failed{border-color:#c33}img{max-width:100%}";
