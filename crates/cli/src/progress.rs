//! A line on the standard error that counts finished files, if the standard error is a terminal.

use std::io::{self, Write as _};

use crate::output::obeys_codes;

/// A count of finished files. The line is removed on drop.
#[derive(Debug)]
pub struct Progress {
    is_shown: bool,
    total: usize,
    done: usize,
}

impl Progress {
    /// Starts to count.
    pub fn new(total: usize) -> Self {
        Self { is_shown: obeys_codes(&io::stderr()), total, done: 0 }
    }

    /// Counts a file.
    pub fn advance(&mut self) {
        self.done += 1;
        self.show(&format!("{} of {} files", self.done, self.total));
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
