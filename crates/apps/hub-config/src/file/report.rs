//! Collects the problems of one file.

use crate::{
    Configured, Origin, Problem, ProblemKind, ServerConfig, ServerName, Severity, TextPosition, syntax::Lines,
};

/// The problems of one file.
pub(super) struct Report<'t> {
    lines: Lines<'t>,
    origin: &'t Origin,
    server: Option<ServerName>,
    problems: Vec<Problem>,
    /// The number of problems over the limit.
    more: usize,
    errors: usize,
    warnings: usize,
}

impl<'t> Report<'t> {
    pub(super) fn new(text: &'t str, origin: &'t Origin) -> Self {
        let lines = Lines::new(text);
        Self { lines, origin, server: None, problems: Vec::new(), more: 0, errors: 0, warnings: 0 }
    }

    /// Sets the server of the following problems.
    pub(super) fn server(&mut self, name: Option<&ServerName>) {
        self.server = name.cloned();
    }

    pub(super) fn position(&self, at: usize) -> TextPosition {
        self.lines.position(at)
    }

    /// Returns the number of errors so far.
    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    /// Adds a problem of the value with this path, at this byte.
    pub(super) fn add(&mut self, at: usize, path: &str, kind: ProblemKind) {
        let found = match kind.severity() {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *found += 1;
        if *found > MAX_PROBLEMS {
            self.more += 1;
            return;
        }
        self.problems.push(Problem {
            file: self.origin.file().cloned(),
            position: Some(self.lines.position(at)),
            path: path.to_owned(),
            server: self.server.clone(),
            kind,
        });
    }

    /// Adds a duplicate key at this byte; `before` is the place of the earlier one.
    pub(super) fn duplicate(&mut self, at: usize, path: &str, before: usize) {
        // Finding the line is slow if there are very many.
        let line = if self.warnings < MAX_PROBLEMS { self.lines.position(before).line } else { 0 };
        self.add(at, path, ProblemKind::Duplicate { line });
    }

    pub(super) fn is_settings(&self) -> bool {
        let name = self.origin.file().and_then(|file| file.file_name()?.to_str());
        name.is_some_and(|name| SETTINGS.contains(&name))
    }

    pub(super) fn configured(&self, name: ServerName, config: ServerConfig) -> Configured {
        Configured::new(name, self.origin.clone(), config)
    }

    /// Returns all problems in the order of the file.
    pub(super) fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.position);
        if self.more > 0 {
            self.problems.push(Problem::of_file(self.origin.file(), ProblemKind::More(self.more)));
        }
        self.problems
    }
}

/// The limit of errors, and of warnings, of one file.
const MAX_PROBLEMS: usize = 100;
/// Files of other programs, in which servers are only a part: other keys are ignored.
const SETTINGS: [&str; 4] =
    [".claude.json", "claude_desktop_config.json", "settings.json", "settings.local.json"];
