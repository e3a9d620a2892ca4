//! Gathers what is wrong with one file.

use crate::{
    Configured, Origin, Position, Problem, ProblemKind, ServerConfig, ServerName, Severity, syntax::Lines,
};

/// What is wrong with one file, gathered while it is read.
pub(super) struct Report<'t> {
    lines: Lines<'t>,
    origin: &'t Origin,
    server: Option<ServerName>,
    problems: Vec<Problem>,
    /// How many were found beyond those that are kept.
    more: usize,
    errors: usize,
    warnings: usize,
}

impl<'t> Report<'t> {
    pub(super) fn new(text: &'t str, origin: &'t Origin) -> Self {
        let lines = Lines::new(text);
        Self { lines, origin, server: None, problems: Vec::new(), more: 0, errors: 0, warnings: 0 }
    }

    /// Which server the next problems are about.
    pub(super) fn server(&mut self, name: Option<&ServerName>) {
        self.server = name.cloned();
    }

    pub(super) fn position(&self, at: usize) -> Position {
        self.lines.position(at)
    }

    /// How many errors there were so far.
    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    /// Something is wrong at this byte, and with the value of this path.
    pub(super) fn add(&mut self, at: usize, path: &str, kind: ProblemKind) {
        let found = match kind.severity() {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *found += 1;
        if *found > MOST {
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

    /// A key stands at this byte that stood before.
    pub(super) fn duplicate(&mut self, at: usize, path: &str, before: usize) {
        // Finding a line takes time where there are very many.
        let line = if self.warnings < MOST { self.lines.position(before).line } else { 0 };
        self.add(at, path, ProblemKind::Duplicate { line });
    }

    pub(super) fn is_settings(&self) -> bool {
        let name = self.origin.file().and_then(|file| file.file_name()?.to_str());
        name.is_some_and(|name| SETTINGS.contains(&name))
    }

    pub(super) fn configured(&self, name: ServerName, config: ServerConfig) -> Configured {
        Configured::new(name, self.origin.clone(), config)
    }

    /// All problems in the order of the file.
    pub(super) fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.position);
        if self.more > 0 {
            self.problems.push(Problem {
                file: self.origin.file().cloned(),
                position: None,
                path: String::new(),
                server: None,
                kind: ProblemKind::More(self.more),
            });
        }
        self.problems
    }
}

/// How many errors of one file are told, and how many warnings.
const MOST: usize = 100;
/// Files of which servers are but a part: their other keys are none of our business.
const SETTINGS: [&str; 4] =
    [".claude.json", "claude_desktop_config.json", "settings.json", "settings.local.json"];
