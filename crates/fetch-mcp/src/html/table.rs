//! Tables that hold data, and those that only arrange a page.

use html5gum::Token;

/// Looks through a page: for each of its tables, whether it is shown as one.
///
/// A table with another one in it is a layout; so is one without header cells that holds paragraphs, or has one column.
pub(super) fn kinds(tokens: impl Iterator<Item = Token>) -> Vec<bool> {
    let mut tables: Vec<Seen> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for token in tokens {
        match token {
            Token::StartTag(tag) if *tag.name == *b"table" => {
                if let Some(outer) = open.last() {
                    tables[*outer].nests = true;
                }
                open.push(tables.len());
                tables.push(Seen::default());
            }
            Token::StartTag(tag) => {
                if let Some(table) = open.last() {
                    tables[*table].see(&tag.name);
                }
            }
            Token::EndTag(tag) if *tag.name == *b"table" => drop(open.pop()),
            _ => {}
        }
    }
    tables.iter().map(Seen::is_data).collect()
}

#[derive(Debug, Default)]
struct Seen {
    nests: bool,
    headed: bool,
    blocks: bool,
    columns: usize,
    in_row: usize,
}

impl Seen {
    fn see(&mut self, name: &[u8]) {
        match name {
            b"tr" => self.in_row = 0,
            b"td" | b"th" => {
                self.headed |= name == b"th";
                self.in_row += 1;
                self.columns = self.columns.max(self.in_row);
            }
            b"p" | b"div" | b"ul" | b"ol" | b"dl" | b"pre" | b"blockquote" | b"form" | b"h1" | b"h2"
            | b"h3" | b"h4" => {
                self.blocks = true;
            }
            _ => {}
        }
    }

    fn is_data(&self) -> bool {
        !self.nests && (self.headed || (!self.blocks && self.columns > 1))
    }
}

/// Where the converter is in a table.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) is_data: bool,
    pub(super) rows: usize,
    pub(super) cells: usize,
}
