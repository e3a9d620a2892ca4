//! A line on the standard error that counts finished items, if the standard error is a terminal.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::output::obeys_codes;

/// A count of finished items. The line is removed on drop.
#[derive(Debug)]
pub struct Progress {
    is_shown: bool,
    total: usize,
    items: &'static str,
    done: AtomicUsize,
}

impl Progress {
    /// Starts to count; `items` is a plural noun.
    pub fn new(total: usize, items: &'static str) -> Self {
        Self { is_shown: obeys_codes(&io::stderr()), total, items, done: AtomicUsize::new(0) }
    }

    /// Counts an item.
    pub fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.show(&format!("{done} of {} {}", self.total, self.items));
    }

    fn show(&self, text: &str) {
        if self.is_shown {
            // A terminal that can't be written to shows no progress.
            let _ = write!(io::stderr().lock(), "\r\u{1b}[K{text}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.show("");
    }
}
