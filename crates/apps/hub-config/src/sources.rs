//! Where servers are configured, and which of those of one name counts.

use std::{
    collections::{HashMap, HashSet},
    path::{self, Path, PathBuf},
    sync::Arc,
};

use super::{
    Configured, Origin, Problem, ProblemKind, ServerConfig,
    file::{self, Entry, FileContents},
};
use crate::ServerName;

/// Everything that is configured, at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Configuration {
    /// The servers, one of a name, switched off or not: the program's, the project's in the order of its files, the
    /// user's.
    ///
    /// Those of the project are not trusted yet: the hub that this is applied to decides.
    pub servers: Vec<Configured>,
    /// The user's servers whose names servers of the project take. Each counts until that one is trusted.
    pub replaced: Vec<Configured>,
    /// All that is wrong.
    pub problems: Vec<Problem>,
}

/// Where servers are configured.
///
/// Of one name the program's own server counts, then the project's, then the user's; among files of equal rank the one
/// that was named first.
/// A server of the project counts, and is started, only once its definition is trusted: see
/// `Hub::trust`. Until then the user's server of that name counts, where there is one.
/// A server that is broken in the file that counts is not replaced by one of the same name from another file; and as
/// long as nothing is known of a file, because it was broken from the start, nothing of the files behind it counts.
/// Relative paths are made absolute as they are given: the working directory may change later.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The first folder of a project.
    folder: Option<PathBuf>,
    files: Vec<Origin>,
    program: Vec<Configured>,
    /// What was last read of each file.
    last: HashMap<Arc<PathBuf>, Vec<Configured>>,
}

impl Sources {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The files of a project in this folder: `.mcp.json`, `.roo/mcp.json` and `.vscode/mcp.json`.
    ///
    /// A file that is not there has no servers, and may appear later.
    /// These files may have come with the folder, from anybody: no server of theirs is started before it is
    /// trusted (`Hub::trust`).
    pub fn project(mut self, folder: impl AsRef<Path>) -> Self {
        let folder = absolute(folder.as_ref().to_owned());
        self = PROJECT.iter().fold(self, |sources, file| sources.project_file(folder.join(file)));
        self.folder.get_or_insert(folder);
        self
    }

    /// Another file of the project.
    pub fn project_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.files.push(Origin::Project(Arc::new(absolute(file.into()))));
        self
    }

    /// A file of the user's, for all projects.
    pub fn global(mut self, file: impl Into<PathBuf>) -> Self {
        self.files.push(Origin::Global(Arc::new(absolute(file.into()))));
        self
    }

    /// A server of the program's own; one of the same name that was given before is replaced.
    pub fn server(mut self, name: impl Into<ServerName>, config: ServerConfig) -> Self {
        let name = name.into();
        self.program.retain(|server| server.name != name);
        self.program.push(Configured::new(name, Origin::Program, config));
        self
    }

    /// The files, those that count first in front, there or not.
    pub fn files(&self) -> impl Iterator<Item = &Arc<PathBuf>> {
        self.files.iter().filter_map(Origin::file)
    }

    /// The first folder that was given as a project's.
    pub fn folder(&self) -> Option<&PathBuf> {
        self.folder.as_ref()
    }

    /// Reads all files. This blocks, and never fails: what is wrong is among the problems.
    ///
    /// A file that is broken, and a server that is, keep what they last were, in this value; a file that is gone has no
    /// servers. A file that can't be read within 2 seconds keeps what it last had, and has no servers where that is not
    /// known; it holds back no other file.
    pub fn read(&mut self) -> Configuration {
        let mut merge = Merge::default();
        for server in &self.program {
            merge.servers.push(server.clone());
            merge.taken.insert(server.name.clone(), None);
        }
        let project_first = |origin: &&Origin| !matches!(origin, Origin::Project(_));
        let mut files: Vec<_> = self.files.iter().collect();
        files.sort_by_key(project_first);
        let mut seen = HashSet::new();
        // All at the same time: one that can't be read does not take the time of the others.
        let readings: Vec<_> = files
            .into_iter()
            .filter_map(|origin| Some((origin, origin.file()?)))
            .filter(|(_, file)| seen.insert(Arc::clone(file)))
            .map(|(origin, file)| (origin, file, file::start(file)))
            .collect();
        for (origin, file, reading) in readings {
            let before = self.last.remove(file);
            let contents = file::finish(reading, origin);
            if contents.broken && before.is_none() {
                // A file that does not answer may never do: nothing waits for it.
                let is_known = |problem: &Problem| problem.kind != ProblemKind::Unresponsive;
                if contents.problems.iter().all(is_known) {
                    merge.unknown.get_or_insert_with(|| Arc::clone(file));
                }
                merge.problems.extend(contents.problems);
                continue;
            }
            let entries = merge.kept(origin, contents, before.unwrap_or_default());
            let last = entries.iter().filter_map(|entry| entry.configured.clone()).collect();
            self.last.insert(Arc::clone(file), last);
            merge.add(entries);
        }
        Configuration { servers: merge.servers, replaced: merge.replaced, problems: merge.problems }
    }
}

/// The files that were read so far.
#[derive(Default)]
struct Merge {
    servers: Vec<Configured>,
    /// The user's servers whose names servers of the project take.
    replaced: Vec<Configured>,
    /// The names that are given away, and to which server; a broken one is none.
    taken: HashMap<ServerName, Option<usize>>,
    /// The first file of which nothing is known: it may have any server of those behind it.
    unknown: Option<Arc<PathBuf>>,
    problems: Vec<Problem>,
}

impl Merge {
    /// What is in force of a file, given what was before.
    fn kept(&mut self, origin: &Origin, contents: FileContents, before: Vec<Configured>) -> Vec<Entry> {
        let FileContents { mut servers, problems, broken } = contents;
        self.problems.extend(problems);
        if broken {
            if !before.is_empty() {
                self.problems.push(kept(origin, None));
            }
            return before.into_iter().map(Entry::from).collect();
        }
        let mut before: HashMap<_, _> =
            before.into_iter().map(|server| (server.name.clone(), server)).collect();
        for entry in servers.iter_mut().filter(|entry| entry.configured.is_none()) {
            entry.configured = before.remove(&entry.name);
            if let Some(server) = &entry.configured {
                self.problems.push(kept(origin, Some(server)));
            }
        }
        servers
    }

    fn add(&mut self, entries: Vec<Entry>) {
        for Entry { name, configured } in entries {
            if let Some(&first) = self.taken.get(&name) {
                if let (Some(first), Some(other)) = (first, configured) {
                    self.shadow(first, other);
                }
                continue;
            }
            if let Some(by) = &self.unknown {
                let held = configured.map(|server| about(&server, ProblemKind::Held { by: Arc::clone(by) }));
                self.problems.extend(held);
                self.taken.insert(name, None);
                continue;
            }
            let at = configured.as_ref().map(|_| self.servers.len());
            self.servers.extend(configured);
            self.taken.insert(name, at);
        }
    }

    /// A server does not count beside the first of its name.
    fn shadow(&mut self, first: usize, other: Configured) {
        let first = &self.servers[first];
        let problem = match (&first.origin, &other.origin) {
            (Origin::Project(by), Origin::Project(_)) | (Origin::Global(by), Origin::Global(_)) => {
                about(&other, ProblemKind::Shadowed { by: Arc::clone(by) })
            }
            (Origin::Project(_), Origin::Global(of)) => {
                about(first, ProblemKind::TakesName { of: Arc::clone(of) })
            }
            _ => return,
        };
        if first.config != other.config {
            self.problems.push(problem);
        }
        let is_of_user = matches!((&first.origin, &other.origin), (Origin::Project(_), Origin::Global(_)));
        if is_of_user && self.replaced.iter().all(|replaced| replaced.name != other.name) {
            self.replaced.push(other);
        }
    }
}

/// That what was before is in force, of a whole file or of one server.
fn kept(origin: &Origin, server: Option<&Configured>) -> Problem {
    match server {
        Some(server) => about(server, ProblemKind::Kept),
        None => Problem {
            file: origin.file().cloned(),
            position: None,
            path: String::new(),
            server: None,
            kind: ProblemKind::Kept,
        },
    }
}

fn about(server: &Configured, kind: ProblemKind) -> Problem {
    Problem {
        file: server.origin.file().cloned(),
        position: server.written.position,
        path: server.written.path.clone(),
        server: Some(server.name.clone()),
        kind,
    }
}

/// The path from the root on; as it is where there is no working directory.
pub(super) fn absolute(path: PathBuf) -> PathBuf {
    path::absolute(&path).unwrap_or(path)
}

/// The files of a project, those that count first in front.
const PROJECT: [&str; 3] = [".mcp.json", ".roo/mcp.json", ".vscode/mcp.json"];
