//! Writes the text: folds white space, and prefixes each line with the marks of its lists and quotes.

/// A writer of words and breaks. Pending breaks and spaces are written before the next word, so none trail.
#[derive(Debug, Default)]
pub(super) struct Writer {
    out: String,
    /// The length at which the writer is full.
    limit: usize,
    /// Pending newlines: one for a line, two for a paragraph.
    newlines: usize,
    space: bool,
    /// The prefix of each line, and the start of each part in it.
    margin: String,
    parts: Vec<Part>,
    /// Open quotes and items beyond the maximum depth, which are not shown.
    hidden: usize,
    /// The pending mark of a list item and those directly after it, and the position in the margin from which they
    /// replace it on the next line.
    bullet: Option<(usize, String)>,
    /// The marks of a heading, for one line.
    heading: usize,
    /// Marks that are written with the next word, such as `**`.
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

    /// Returns whether the text has reached its limit.
    pub(super) fn is_full(&self) -> bool {
        self.out.len() > self.limit
    }

    /// Requests a new line (1) or paragraph (2) before the next word.
    pub(super) fn break_line(&mut self, newlines: usize) {
        self.space = false;
        // Text directly after a list mark stays on its line.
        if self.bullet.is_none() || self.newlines == 0 {
            self.newlines = self.newlines.max(newlines);
        }
    }

    pub(super) fn space(&mut self) {
        self.space = true;
    }

    /// Returns whether the current line has text.
    pub(super) fn in_line(&self) -> bool {
        self.newlines == 0 && !self.out.is_empty() && !self.out.ends_with('\n')
    }

    /// Writes text without white space at its ends.
    pub(super) fn word(&mut self, word: &str) {
        self.begin();
        self.out.push_str(word);
    }

    /// Writes verbatim lines until the writer is full.
    pub(super) fn lines<'a>(&mut self, mut lines: impl Iterator<Item = &'a str>) {
        self.word(lines.next().unwrap_or_default());
        for line in lines {
            // A line's prefix may be many times its length.
            if self.is_full() {
                break;
            }
            self.next_line(line);
        }
    }

    /// Writes a verbatim line below the last one.
    pub(super) fn next_line(&mut self, line: &str) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
        self.out.push_str(&self.margin);
        self.out.push_str(line);
    }

    /// Sets a mark that is written with the next word.
    pub(super) fn open(&mut self, mark: &str) {
        self.opening.push_str(mark);
    }

    /// Writes a closing mark, unless its opening mark was never written.
    pub(super) fn close(&mut self, opened: &str, mark: &str) {
        match self.opening.strip_suffix(opened).map(str::len) {
            Some(length) => self.opening.truncate(length),
            None => self.out.push_str(mark),
        }
    }

    pub(super) fn heading(&mut self, level: usize) {
        self.heading = level;
    }

    /// Starts a quote or an item, and indents its lines by the length of its mark.
    pub(super) fn enter(&mut self, level: Level, mark: &str) {
        if self.parts.len() == MAX_DEPTH {
            self.hidden += 1;
            return;
        }
        let start = self.margin.len();
        self.parts.push(Part { level, start });
        match level {
            Level::Quote => self.margin.push_str(mark),
            Level::Item => self.margin.extend(std::iter::repeat_n(' ', mark.len())),
        }
        match &mut self.bullet {
            Some((_, bullet)) => bullet.push_str(mark),
            None if level == Level::Item => self.bullet = Some((start, mark.to_owned())),
            None => {}
        }
    }

    /// Ends the levels above `depth`.
    pub(super) fn leave_to(&mut self, depth: usize) {
        self.hidden = self.hidden.min(depth.saturating_sub(self.parts.len()));
        let left = self.parts.get(depth).copied();
        if let Some(part) = left {
            self.margin.truncate(part.start);
            self.parts.truncate(depth);
            self.bullet.take_if(|(start, bullet)| {
                bullet.truncate(part.start.saturating_sub(*start));
                bullet.is_empty()
            });
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.parts.len() + self.hidden
    }

    /// Returns the depth of the last level of this kind above `floor`.
    ///
    /// Untracked levels match every kind, because a page may open a million of them before it closes others.
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

    /// Writes pending breaks and marks before a word.
    fn begin(&mut self) {
        if self.out.is_empty() {
            self.line_start();
        } else if self.newlines > 0 {
            let margin = self.bullet.as_ref().map_or(self.margin.len(), |(start, _)| *start);
            for _ in 1..self.newlines {
                self.out.push('\n');
                self.out.push_str(&self.margin[..margin]);
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
        match self.bullet.take() {
            Some((start, bullet)) => {
                self.out.push_str(&self.margin[..start]);
                self.out.push_str(&bullet);
            }
            None => self.out.push_str(&self.margin),
        }
        if self.heading > 0 {
            self.out.extend(std::iter::repeat_n('#', self.heading));
            self.out.push(' ');
            self.heading = 0;
        }
    }
}

/// The maximum depth of quotes and lists; deeper pages are usually malicious.
const MAX_DEPTH: usize = 12;
