//! The text that comes out: white space is folded, and every line has the marks of the lists and quotes that it is in.

/// Writes words and breaks; what is due is written only before the next word, so that nothing trails.
#[derive(Debug, Default)]
pub(super) struct Writer {
    out: String,
    /// The length from which on nothing more is wanted.
    limit: usize,
    /// Newlines that are due: one for a line, two for a paragraph.
    newlines: usize,
    space: bool,
    /// What every line starts with, and where each part of it begins.
    margin: String,
    parts: Vec<Part>,
    /// The quotes and items that are open below the last part, which are not shown.
    hidden: usize,
    /// The mark of a list's item, in place of the last part, for one line.
    bullet: Option<String>,
    /// The marks of a heading, for one line.
    heading: usize,
    /// Marks that open with the next word, such as `**`.
    opening: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Quote,
    Item,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    level: Level,
    start: usize,
}

impl Writer {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Whether the text has reached its limit.
    pub(super) fn is_full(&self) -> bool {
        self.out.len() > self.limit
    }

    /// Asks for a new line (1) or a new paragraph (2) before what comes next.
    pub(super) fn break_line(&mut self, newlines: usize) {
        self.space = false;
        // Right behind a list's mark the text follows on the same line.
        if self.bullet.is_none() || self.newlines == 0 {
            self.newlines = self.newlines.max(newlines);
        }
    }

    pub(super) fn space(&mut self) {
        self.space = true;
    }

    /// Whether anything stands on the line that is being written.
    pub(super) fn in_line(&self) -> bool {
        self.newlines == 0 && !self.out.is_empty() && !self.out.ends_with('\n')
    }

    /// Writes something without white space at its ends.
    pub(super) fn word(&mut self, word: &str) {
        self.begin();
        self.out.push_str(word);
    }

    /// Writes lines as they are, as many as fit.
    pub(super) fn lines<'a>(&mut self, mut lines: impl Iterator<Item = &'a str>) {
        self.word(lines.next().unwrap_or_default());
        for line in lines {
            // Each line may have a margin many times its length.
            if self.is_full() {
                break;
            }
            self.next_line(line);
        }
    }

    /// Writes a line as it is below what was written last.
    pub(super) fn next_line(&mut self, line: &str) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
        self.out.push_str(&self.margin);
        self.out.push_str(line);
    }

    /// A mark that is written right before the next word, or never.
    pub(super) fn open(&mut self, mark: &str) {
        self.opening.push_str(mark);
    }

    /// A mark that belongs to what was written last; `false` where its opening one was never written.
    pub(super) fn close(&mut self, opened: &str, mark: &str) -> bool {
        if self.opening.ends_with(opened) && !opened.is_empty() {
            self.opening.truncate(self.opening.len() - opened.len());
            return false;
        }
        self.out.push_str(mark);
        true
    }

    pub(super) fn heading(&mut self, level: usize) {
        self.heading = level;
    }

    /// Starts a quote or an item; its lines are moved in by as much as its mark is long.
    pub(super) fn enter(&mut self, level: Level, mark: &str) {
        if self.parts.len() == MAX_DEPTH {
            self.hidden += 1;
            return;
        }
        self.parts.push(Part { level, start: self.margin.len() });
        match level {
            Level::Quote => self.margin.push_str(mark),
            Level::Item => {
                self.margin.extend(std::iter::repeat_n(' ', mark.len()));
                self.bullet = Some(mark.to_owned());
            }
        }
    }

    /// Ends what lies above `depth`.
    pub(super) fn leave_to(&mut self, depth: usize) {
        self.hidden = self.hidden.min(depth.saturating_sub(self.parts.len()));
        let left = self.parts.get(depth).copied();
        if let Some(part) = left {
            self.margin.truncate(part.start);
            self.parts.truncate(depth);
            self.bullet = None;
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.parts.len() + self.hidden
    }

    /// How deep the last one of this kind lies, if there is one above `floor`. Hidden ones count as of every kind, since a
    /// page may open a million of them and then close others.
    pub(super) fn last(&self, level: Level, floor: usize) -> Option<usize> {
        if self.hidden > 0 {
            return self.depth().checked_sub(1).filter(|depth| *depth >= floor);
        }
        let above = self.parts.get(floor..)?;
        above.iter().rposition(|part| part.level == level).map(|at| at + floor)
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Writes what is due before a word.
    fn begin(&mut self) {
        if self.out.is_empty() {
            self.line_start();
        } else if self.newlines > 0 {
            for _ in 1..self.newlines {
                self.out.push('\n');
                self.out.push_str(&self.margin);
                self.out.truncate(self.out.trim_end_matches(' ').len());
            }
            self.out.push('\n');
            self.line_start();
        } else if self.space && !self.out.ends_with(['\n', ' ']) {
            self.out.push(' ');
        }
        self.newlines = 0;
        self.space = false;
        self.out.push_str(&std::mem::take(&mut self.opening));
    }

    fn line_start(&mut self) {
        match (self.bullet.take(), self.parts.last()) {
            (Some(bullet), Some(part)) => {
                self.out.push_str(&self.margin[..part.start]);
                self.out.push_str(&bullet);
            }
            _ => self.out.push_str(&self.margin),
        }
        if self.heading > 0 {
            self.out.extend(std::iter::repeat_n('#', self.heading));
            self.out.push(' ');
            self.heading = 0;
        }
    }
}

/// How many quotes and lists are shown within one another; pages that go deeper mean to do harm.
const MAX_DEPTH: usize = 12;
