//! Distinguishes tables of data from layout tables.

use super::MAX_OPEN;
use super::token::{Token, tokens};
use crate::deadline::Deadline;

/// Returns for each table of a page whether it contains data; `None` if the deadline is over.
///
/// A table that contains another is a layout table, and so is one without header cells that has paragraphs or one
/// column.
pub(super) fn kinds(page: &str, deadline: &mut Deadline) -> Option<Vec<bool>> {
    let mut kinds = Vec::new();
    let mut open: Vec<(usize, Seen)> = Vec::new();
    // The number of open tables below the tracked ones.
    let mut deeper = 0_usize;
    for token in tokens(page) {
        if deadline.is_over() {
            return None;
        }
        match token {
            Token::Start(tag) if tag.name == b"table" => {
                if let Some((_, outer)) = open.last_mut() {
                    outer.nests = true;
                }
                if open.len() == MAX_OPEN {
                    deeper += 1;
                } else {
                    open.push((kinds.len(), Seen::default()));
                }
                kinds.push(false);
            }
            Token::Start(tag) => {
                if let Some((_, table)) = open.last_mut() {
                    table.see(&tag.name);
                }
            }
            Token::End(name) if name == b"table" => {
                if deeper > 0 {
                    deeper -= 1;
                } else if let Some((number, table)) = open.pop() {
                    kinds[number] = table.is_data();
                }
            }
            _ => {}
        }
    }
    for (number, table) in open {
        kinds[number] = table.is_data();
    }
    Some(kinds)
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

/// The converter's position in a table.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) is_data: bool,
    pub(super) rows: usize,
    /// The cells of the row so far, including covered ones.
    pub(super) cells: usize,
    /// Whether a row was started, which may have no cells.
    pub(super) in_row: bool,
    /// How many rows, from the current one on, an earlier cell still covers in each column.
    covered: Vec<usize>,
}

impl Table {
    pub(super) fn new(is_data: bool) -> Self {
        Self { is_data, ..Self::default() }
    }

    /// Starts a cell that spans these columns and rows; returns the number of covered cells directly before it.
    pub(super) fn start_cell(&mut self, columns: usize, rows: usize) -> usize {
        let before = self.cells;
        while let Some(left) = self.covered.get_mut(self.cells).filter(|left| **left > 0) {
            *left -= 1;
            self.cells += 1;
        }
        let (start, end) = (self.cells, MAX_COLUMNS.min(self.cells + columns));
        if columns * rows > 1 && start < end {
            self.covered.resize(self.covered.len().max(end), 0);
            self.covered[start] = rows - 1;
            // The further columns of the cell are written as covered, also in its first row.
            self.covered[start + 1..end].fill(rows);
        }
        self.cells += 1;
        start - before
    }

    /// Returns whether an earlier cell covers a column of this row.
    pub(super) fn is_covered(&self) -> bool {
        self.covered.iter().any(|left| *left > 0)
    }

    /// Ends a group of rows.
    pub(super) fn end_rows(&mut self) {
        self.covered.clear();
    }

    /// Ends a row; returns the number of its cells, and how many covered ones among them are after its last cell.
    pub(super) fn end_row(&mut self) -> (usize, usize) {
        let end = self.covered.iter().rposition(|left| *left > 0).map_or(0, |last| last + 1);
        // Keeps the time linear: a row takes only as many steps as it has cells.
        self.covered.truncate(end);
        self.covered.iter_mut().skip(self.cells).for_each(|left| *left = left.saturating_sub(1));
        let cells = std::mem::take(&mut self.cells);
        (cells.max(end), end.saturating_sub(cells))
    }
}

/// Covered cells in further columns are not written.
const MAX_COLUMNS: usize = 1_000;
