//! Converts the HTML of kernels, mostly tables: tables to Markdown, and the text around them.

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

/// Returns the visible text.
pub(super) fn read(html: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut reader = Reader::default();
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => reader.start(&tag),
            Token::EndTag(tag) => reader.end(&tag.name),
            Token::String(text) if reader.hidden.is_none() => {
                reader.text.push_str(&String::from_utf8_lossy(&text));
            }
            _ => {}
        }
    }
    reader.end_table();
    reader.end_line();
    reader.out.trim().to_owned()
}

#[derive(Debug, Default)]
struct Reader {
    out: String,
    /// The text of the current line or cell.
    text: String,
    /// The open invisible element.
    hidden: Option<Vec<u8>>,
    table: Option<Table>,
}

#[derive(Debug, Default)]
struct Table {
    rows: Vec<Vec<String>>,
    /// The current cell, with the number of further columns that it spans.
    cell: Option<usize>,
}

impl Reader {
    fn start(&mut self, tag: &StartTag<()>) {
        if self.hidden.is_some() {
            return;
        }
        match &tag.name[..] {
            b"script" | b"style" | b"svg" if !tag.self_closing => self.hidden = Some(tag.name.to_vec()),
            b"table" => {
                self.end_table();
                self.end_line();
                self.table = Some(Table::default());
            }
            b"tr" => {
                self.end_cell();
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            b"td" | b"th" => {
                self.end_cell();
                let span = tag
                    .attributes
                    .get(&b"colspan"[..])
                    .and_then(|span| String::from_utf8_lossy(&span.value).parse().ok());
                if let Some(table) = &mut self.table {
                    table.cell = Some(span.unwrap_or(1_usize).clamp(1, MAX_COLUMNS) - 1);
                }
            }
            name => self.end_block(name),
        }
    }

    fn end(&mut self, name: &[u8]) {
        if self.hidden.as_deref() == Some(name) {
            self.hidden = None;
        }
        match name {
            b"table" => self.end_table(),
            b"tr" | b"td" | b"th" => self.end_cell(),
            _ => self.end_block(name),
        }
    }

    fn end_block(&mut self, name: &[u8]) {
        if !BLOCKS.contains(&name) {
            return;
        }
        if self.table.is_some() {
            self.text.push(' ');
        } else {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let line = folded(&std::mem::take(&mut self.text));
        if !line.is_empty() {
            self.out.push_str(&line);
            self.out.push('\n');
        }
    }

    fn end_cell(&mut self) {
        let Some(table) = &mut self.table else { return };
        let text = folded(&std::mem::take(&mut self.text)).replace('|', "\\|");
        if let Some(span) = table.cell.take() {
            if table.rows.is_empty() {
                table.rows.push(Vec::new());
            }
            if let Some(row) = table.rows.last_mut().filter(|row| row.len() < MAX_COLUMNS) {
                row.push(text);
                row.extend(std::iter::repeat_n(String::new(), span));
            }
        } else if !text.is_empty() {
            // A caption, or text outside of cells.
            self.out.push_str(&text);
            self.out.push('\n');
        }
    }

    fn end_table(&mut self) {
        self.end_cell();
        let Some(table) = self.table.take() else { return };
        let rows = table.rows.iter().filter(|row| !row.is_empty());
        for (number, row) in rows.enumerate() {
            self.out.push_str(&format!("| {} |\n", row.join(" | ")));
            if number == 0 {
                self.out.push_str(&format!("|{}\n", "---|".repeat(row.len())));
            }
        }
        self.out.push('\n');
    }
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const BLOCKS: &[&[u8]] = &[
    b"p", b"div", b"br", b"li", b"ul", b"ol", b"dl", b"dt", b"dd", b"h1", b"h2", b"h3", b"h4", b"h5", b"h6",
    b"pre", b"hr", b"caption", b"details", b"summary", b"section",
];

const MAX_COLUMNS: usize = 1_000;
