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
    reader.out.trim_matches('\n').to_owned()
}

#[derive(Debug, Default)]
struct Reader {
    out: String,
    /// The text of the current line or cell.
    text: String,
    /// The open invisible element.
    hidden: Option<Vec<u8>>,
    /// Whether a `<pre>` outside of a table is open.
    is_preformatted: bool,
    table: Option<Table>,
    /// How many empty cells were added, in all tables, since other cells span them.
    spanned: usize,
}

#[derive(Debug, Default)]
struct Table {
    rows: Vec<Vec<String>>,
    /// The current cell, with the number of columns and rows that it spans.
    cell: Option<(usize, usize)>,
    /// How many rows, from the current one on, an earlier cell still covers in each column.
    covered: Vec<usize>,
}

impl Table {
    /// Adds a cell after the covered cells; returns the number of these.
    fn push(&mut self, text: String, (columns, rows): (usize, usize)) -> usize {
        if self.rows.is_empty() {
            self.rows.push(Vec::new());
        }
        let Some(row) = self.rows.last_mut() else { return 0 };
        let before = row.len();
        while let Some(left) = self.covered.get_mut(row.len()).filter(|left| **left > 0) {
            *left -= 1;
            row.push(String::new());
        }
        let start = row.len();
        if start < MAX_COLUMNS {
            row.push(text);
            self.covered.resize(self.covered.len().max(start + columns), 0);
            self.covered[start] = rows - 1;
            // The further columns of the cell are filled as covered, also in its first row.
            self.covered[start + 1..start + columns].fill(rows);
        }
        start - before
    }

    /// Fills the covered columns after the last cell; returns the number of added cells.
    fn end_row(&mut self) -> usize {
        let end = self.covered.iter().rposition(|left| *left > 0).map_or(0, |last| last + 1);
        self.covered.truncate(end);
        let Some(row) = self.rows.last_mut() else { return 0 };
        let added = end.saturating_sub(row.len());
        self.covered.iter_mut().skip(row.len()).for_each(|left| *left = left.saturating_sub(1));
        row.resize(row.len().max(end), String::new());
        added
    }
}

impl Reader {
    fn start(&mut self, tag: &StartTag<()>) {
        if self.hidden.is_some() {
            return;
        }
        match &tag.name[..] {
            b"audio" | b"script" | b"style" | b"svg" | b"video" if !tag.self_closing => {
                self.hidden = Some(tag.name.to_vec());
            }
            b"table" => {
                self.end_table();
                self.end_line();
                self.table = Some(Table::default());
            }
            b"tr" => {
                self.end_row();
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            b"thead" | b"tbody" | b"tfoot" => {
                self.end_row();
                if let Some(table) = &mut self.table {
                    // No cell spans rows of two groups.
                    table.covered.clear();
                }
            }
            b"td" | b"th" => {
                self.end_cell();
                if let Some(table) = &mut self.table {
                    table.cell = Some((span(tag, b"colspan"), span(tag, b"rowspan")));
                }
            }
            name => {
                self.end_block(name);
                // A cell ends the elements in it, and its text is folded.
                self.is_preformatted |= name == b"pre" && self.table.is_none();
            }
        }
    }

    fn end(&mut self, name: &[u8]) {
        if self.hidden.as_deref() == Some(name) {
            self.hidden = None;
        }
        match name {
            b"table" => self.end_table(),
            b"tr" | b"td" | b"th" => self.end_cell(),
            _ => {
                self.end_block(name);
                self.is_preformatted &= name != b"pre" || self.table.is_some();
            }
        }
    }

    fn end_block(&mut self, name: &[u8]) {
        if !BLOCKS.contains(&name) {
            return;
        }
        if self.table.is_some() {
            self.text.push(' ');
        } else if self.is_preformatted && name == b"br" {
            self.text.push('\n');
        } else {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let text = std::mem::take(&mut self.text);
        let line = if self.is_preformatted {
            text.trim_end().trim_start_matches('\n').to_owned()
        } else {
            folded(&text)
        };
        if !line.is_empty() {
            self.out.push_str(&line);
            self.out.push('\n');
        }
    }

    fn end_cell(&mut self) {
        let Some(table) = &mut self.table else { return };
        let text = folded(&std::mem::take(&mut self.text)).replace('|', "\\|");
        if let Some(spans) = table.cell.take() {
            self.spanned += table.push(text, spans);
            // A few tags can span millions of cells.
            if self.spanned > MAX_SPANNED {
                table.covered.clear();
            }
        } else if !text.is_empty() {
            // A caption, or text outside of cells.
            self.out.push_str(&text);
            self.out.push('\n');
        }
    }

    fn end_row(&mut self) {
        self.end_cell();
        if let Some(table) = &mut self.table {
            self.spanned += table.end_row();
            if self.spanned > MAX_SPANNED {
                table.covered.clear();
            }
        }
    }

    fn end_table(&mut self) {
        self.end_row();
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

/// Returns how many rows or columns a cell spans.
fn span(tag: &StartTag<()>, name: &[u8]) -> usize {
    let value =
        tag.attributes.get(name).and_then(|span| String::from_utf8_lossy(&span.value).trim().parse().ok());
    value.unwrap_or(1).clamp(1, MAX_SPAN)
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const BLOCKS: &[&[u8]] = &[
    b"p", b"div", b"br", b"li", b"ul", b"ol", b"dl", b"dt", b"dd", b"h1", b"h2", b"h3", b"h4", b"h5", b"h6",
    b"pre", b"hr", b"caption", b"details", b"summary", b"section",
];

const MAX_COLUMNS: usize = 1_000;
const MAX_SPAN: usize = 1_000;
/// The maximum number of empty cells for spans; beyond it, spans are ignored.
const MAX_SPANNED: usize = 1_000_000;
