//! Headings, lists, quotes and tables.

use std::str::FromStr;

use super::{Converter, List};
use crate::html::MAX_OPEN;
use crate::html::table::Table;
use crate::html::token::Tag;
use crate::html::writer::Level;

impl Converter {
    pub(super) fn start_heading(&mut self, level: usize) {
        self.block(2);
        if self.markdown && !self.in_cell() && self.inlines.is_empty() {
            self.out.heading(level);
        }
    }

    pub(super) fn start_list(&mut self, tag: &Tag) {
        self.block(if self.lists.is_empty() { 2 } else { 1 });
        if self.lists.len() == MAX_OPEN {
            self.hidden_lists += 1;
            return;
        }
        let start = integer(tag, "start").unwrap_or(1);
        let number = (tag.name == b"ol").then_some(start);
        self.lists.push(List { number, depth: self.out.depth() });
    }

    pub(super) fn start_item(&mut self, tag: &Tag) {
        self.end_item();
        if self.in_cell() || self.in_link() {
            return;
        }
        let mark = match self.lists.last_mut().and_then(|list| list.number.as_mut()) {
            Some(number) => {
                *number = integer(tag, "value").unwrap_or(*number);
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            None => "- ".to_owned(),
        };
        self.out.enter(Level::Item, &mark);
    }

    pub(super) fn end_item(&mut self) {
        self.block(1);
        let floor = self.lists.last().map_or(0, |list| list.depth);
        if let Some(depth) = self.out.last(Level::Item, floor) {
            self.out.leave_to(depth);
        }
    }

    pub(super) fn end_list(&mut self) {
        if self.hidden_lists > 0 {
            self.hidden_lists -= 1;
            self.block(1);
            return;
        }
        let Some(list) = self.lists.pop() else { return };
        self.block(if self.lists.is_empty() { 2 } else { 1 });
        self.out.leave_to(list.depth);
    }

    pub(super) fn start_quote(&mut self) {
        self.block(2);
        if !self.in_cell() && self.inlines.is_empty() {
            self.out.enter(Level::Quote, "> ");
        }
    }

    pub(super) fn end_quote(&mut self) {
        self.block(2);
        let floor = self.lists.last().map_or(0, |list| list.depth);
        if let Some(depth) = self.out.last(Level::Quote, floor) {
            self.out.leave_to(depth);
        }
    }

    pub(super) fn start_table(&mut self, is_data: bool) {
        self.block(2);
        if self.tables.len() == MAX_OPEN {
            self.hidden_tables += 1;
        } else {
            self.tables.push(Table::new(is_data));
        }
    }

    pub(super) fn end_table(&mut self) {
        self.end_row();
        if self.hidden_tables > 0 {
            self.hidden_tables -= 1;
        } else {
            self.tables.pop();
        }
        self.block(2);
    }

    /// Starts or ends a group of rows, which cells do not span beyond.
    pub(super) fn end_rows(&mut self) {
        self.end_row();
        if let Some(table) = self.tables.last_mut() {
            table.end_rows();
        }
        self.block(1);
    }

    pub(super) fn start_row(&mut self) {
        self.end_row();
        if let Some(table) = self.tables.last_mut() {
            table.in_row = true;
        }
    }

    pub(super) fn start_cell(&mut self, tag: &Tag) {
        self.end_verbatim();
        self.close_above(0);
        let Some(table) = self.tables.last_mut() else { return };
        if !table.is_data {
            self.out.space();
            return;
        }
        if table.cells == 0 {
            self.out.break_line(1);
        }
        let covered = table.start_cell(span(tag, "colspan"), span(tag, "rowspan"));
        for _ in 0..=covered {
            self.out.space();
            self.out.word("|");
        }
        self.out.space();
    }

    pub(super) fn end_row(&mut self) {
        if self.tables.is_empty() {
            return;
        }
        self.end_verbatim();
        self.close_above(0);
        let Some(table) = self.tables.last_mut() else { return };
        let in_row = std::mem::take(&mut table.in_row);
        if table.cells == 0 && in_row && table.is_covered() {
            self.out.break_line(1);
        } else if table.cells == 0 {
            return self.out.break_line(1);
        }
        table.rows += 1;
        let (cells, covered) = table.end_row();
        for _ in 0..=covered {
            self.out.space();
            self.out.word("|");
        }
        if table.rows == 1 && self.markdown {
            self.out.break_line(1);
            self.out.word(&format!("|{}", "---|".repeat(cells)));
        }
        self.out.break_line(1);
    }
}

/// Returns how many columns or rows a cell spans.
fn span(tag: &Tag, name: &str) -> usize {
    integer(tag, name).unwrap_or(1).clamp(1, MAX_SPAN)
}

fn integer<T: FromStr>(tag: &Tag, name: &str) -> Option<T> {
    tag.attribute(name)?.trim().parse().ok()
}

/// The maximum span of a cell, which is also the browsers' limit for columns.
const MAX_SPAN: usize = 1_000;
