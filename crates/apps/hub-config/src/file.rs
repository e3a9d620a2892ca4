//! Reads the servers of one file, and reports all its problems.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
};

use jsonc_parser::{
    ast::{Object, ObjectProp, Value},
    common::Ranged,
    parse_to_ast,
};

use super::{Configured, Input, Origin, Problem, ProblemKind, Severity, TextPosition, syntax};
use crate::{
    ServerName,
    reading::{TextReading, finish_text, start_text},
};

mod fields;
mod inputs;
mod keys;
mod report;
mod server;

pub(super) use fields::joined;
use fields::{unique, unique_by};
use report::Report;
pub(super) use server::ADDRESS;

/// The content of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileContents {
    /// The servers in the order of the file, including broken ones.
    pub(super) servers: Vec<Entry>,
    /// The servers that the CLI has disabled for the project, which may be in other files.
    pub(super) disabled: HashSet<ServerName>,
    /// The problems in the order of the file.
    pub(super) problems: Vec<Problem>,
    /// Whether the servers are unknown because the file is broken.
    pub(super) broken: bool,
}

/// A server of a file.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: ServerName,
    /// `None` if it is broken.
    pub(super) configured: Option<Configured>,
    /// Whether the state of the project in the CLI's `.claude.json` contains it.
    pub(super) is_local: bool,
}

/// Starts to read a file.
pub(super) fn start(file: &Path) -> TextReading {
    start_text(file, LIMIT)
}

/// Waits for the servers of a file. A missing file has none.
///
/// The CLI's `.claude.json` also contains servers for single projects, and disables servers for them: both are read for
/// `project`.
pub(super) fn finish(reading: TextReading, origin: &Origin, project: Option<&str>) -> FileContents {
    match finish_text(reading) {
        Ok(Some(text)) => parse(&text, origin, project),
        Ok(None) => FileContents::default(),
        Err((kind, position)) => broken(origin, position, kind),
    }
}

/// Parses the text of a file without a byte order mark.
pub(super) fn parse(text: &str, origin: &Origin, project: Option<&str>) -> FileContents {
    let mut report = Report::new(text, origin);
    let parsed = match parse_to_ast(text, &Default::default(), &syntax::options()) {
        Ok(parsed) => parsed.value,
        Err(error) => {
            let kind = ProblemKind::Syntax(lower(&error.kind().to_string()));
            return broken(origin, Some(report.position(error.range().start)), kind);
        }
    };
    match parsed {
        None => broken(origin, None, ProblemKind::Empty),
        Some(Value::Object(root)) => root_object(&root, project, report),
        Some(other) => {
            report.add(other.start(), "", ProblemKind::Expected("an object"));
            FileContents { problems: report.finish(), broken: true, ..FileContents::default() }
        }
    }
}

fn root_object(root: &Object<'_>, project: Option<&str>, mut report: Report<'_>) -> FileContents {
    let (mut maps, mut inputs, mut broken) = (Vec::new(), HashMap::new(), false);
    let mut state = None;
    for property in unique(root, "", &mut report) {
        match (property.name.as_str(), &property.value) {
            ("mcpServers" | "servers", Value::Object(map)) => maps.push((property.name.as_str(), map)),
            ("mcpServers" | "servers", Value::NullKeyword(_)) => {}
            (name @ ("mcpServers" | "servers"), other) => {
                report.add(
                    other.start(),
                    name,
                    ProblemKind::Expected("an object with a server for each name"),
                );
                broken = true;
            }
            ("inputs", value) => inputs = inputs::read(value, &mut report),
            (PROJECTS, Value::Object(projects)) if report.is_settings() => {
                state = project.and_then(|project| Some((project, projects.get_object(project)?)));
            }
            _ => keys::unknown_in_file(property, &mut report),
        }
    }
    let inputs = Arc::new(inputs);
    let disabled = state.and_then(|(_, state)| state.get_array(DISABLED)).map(|names| &*names.elements);
    let disabled = disabled.unwrap_or_default().iter().filter_map(Value::as_string_lit);
    let disabled = disabled.map(|name| ServerName::from(&*name.value)).collect();
    let mut servers = Servers { entries: Vec::new(), first: HashMap::new(), inputs, report };
    let local = state.and_then(|(project, state)| Some((project, state.get_object("mcpServers")?)));
    if let Some((project, map)) = local {
        servers.read(&syntax::key(&syntax::key(PROJECTS, project), "mcpServers"), map);
        // As in the CLI, these take precedence: a later server of the same name is shadowed, and not a duplicate.
        servers.first.clear();
    }
    for (path, map) in maps {
        servers.read(path, map);
    }
    let entries = servers.entries.into_iter().flatten().collect();
    FileContents { servers: entries, disabled, problems: servers.report.finish(), broken }
}

/// The servers of a file, which may have both sections.
struct Servers<'t> {
    /// `None` for a server that is defined again below.
    entries: Vec<Option<Entry>>,
    /// The index of a name in `entries`, and its place in the text.
    first: HashMap<ServerName, (usize, usize)>,
    inputs: Arc<HashMap<String, Input>>,
    report: Report<'t>,
}

impl Servers<'_> {
    fn read(&mut self, map_path: &str, map: &Object<'_>) {
        let path = |name: &str| syntax::key(map_path, name);
        for property in unique_by(map, path, &mut self.report) {
            self.server(property, path(property.name.as_str()));
        }
        self.report.server(None);
    }

    fn server(&mut self, property: &ObjectProp<'_>, path: String) {
        let (name, at) = (property.name.as_str(), property.start());
        if !is_server_name(name) {
            self.report.server(None);
            self.report.add(at, &path, ProblemKind::ServerName);
            return;
        }
        let name = ServerName::from(name);
        self.report.server(Some(&name));
        // Duplicates within one section are reported already; this is a duplicate in the other section.
        if let Some((entry, before)) = self.first.insert(name.clone(), (self.entries.len(), at)) {
            self.entries[entry] = None;
            self.report.duplicate(at, &path, before);
        }
        let configured = server::read(property, &path, &mut self.report).map(|(config, mut written)| {
            written.inputs = Arc::clone(&self.inputs);
            Configured { written: Arc::new(written), ..self.report.configured(name.clone(), config) }
        });
        let is_local = path.starts_with(PROJECTS);
        self.entries.push(Some(Entry { name, configured, is_local }));
    }
}

fn broken(origin: &Origin, position: Option<TextPosition>, kind: ProblemKind) -> FileContents {
    debug_assert_eq!(kind.severity(), Severity::Error);
    let problem = Problem { position, ..Problem::of_file(origin.file(), kind) };
    FileContents { problems: vec![problem], broken: true, ..FileContents::default() }
}

/// Returns whether a name is valid: logs and lists show each name on one line.
pub(super) fn is_server_name(name: &str) -> bool {
    !name.trim().is_empty()
        && name.chars().count() <= super::problem::MAX_NAME
        && !name.contains(char::is_control)
}

/// Lowers the first letter, as in all messages.
pub(super) fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// The key of the CLI's state of single projects.
const PROJECTS: &str = "projects";
/// The key of the servers that are disabled for a project (`/mcp`).
const DISABLED: &str = "disabledMcpServers";
/// The largest file that is read, in bytes.
pub(super) const LIMIT: u64 = 8 << 20;

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, proptest};

    use super::{FileContents, parse};
    use crate::{Origin, Severity};

    fn read(text: &str) -> FileContents {
        parse(text, &Origin::Global(Default::default()), None)
    }

    /// A complete file, which the tests below cut and change.
    const WHOLE: &str = r#"{ // é
        "mcpServers": { "a": { "command": "c", "args": ["x", "${Y:-z}"], "env": { "A": "b" }, "timeout": 60, },
            "é": { "type": "http", "url": "https://h/", "headers": { "X": "y\u00e9" } } },
        "inputs": [ { "id": "i", "options": ["a", { "value": "b" }] } ], /* end */ }"#;

    #[test]
    fn a_truncated_file_is_broken() {
        assert!(read(WHOLE).problems.is_empty());
        for (at, _) in WHOLE.char_indices() {
            let contents = read(&WHOLE[..at]);
            assert!(contents.broken && contents.servers.is_empty(), "{}", &WHOLE[..at]);
            assert!(contents.problems.len() == 1 && contents.problems[0].severity() == Severity::Error);
        }
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in any::<String>()) {
            read(&text);
        }

        #[test]
        fn no_similar_text_causes_a_panic(
            text in r#"([{}\[\]:,"\\/*\n\r]|"mcpServers":|"a"|"command"|"é"|1e9|null|true|\\u[0-9d]{3}0|//){0,60}"#,
        ) {
            read(&text);
        }

        #[test]
        fn no_insertion_causes_a_panic(
            at in 0..WHOLE.len(), put in r#"[{}\[\]:,"\\/*0a\né]{0,4}"#, gone in 0..9_usize,
        ) {
            let at = (0..=at).rev().find(|&at| WHOLE.is_char_boundary(at)).unwrap();
            let rest: String = WHOLE[at..].chars().skip(gone).collect();
            let contents = read(&format!("{}{put}{rest}", &WHOLE[..at]));
            for problem in contents.problems {
                prop_assert!(!problem.to_string().contains('\n'));
            }
        }
    }
}
