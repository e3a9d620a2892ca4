//! Sources of configuration, and their precedence.

use std::{
    collections::{HashMap, HashSet},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{
    Configured, Origin, Problem, ProblemKind, ServerConfig,
    file::{self, Entry, FileContents},
    reading::{Reading, read_text},
    variables::absolute,
};
use crate::ServerName;

/// All servers and problems at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Configuration {
    /// The servers, one per name, including disabled ones: those of the program, of the user for the project, of the
    /// project in the order of its files, of the user for all projects.
    ///
    /// Servers of the project are not trusted yet: the hub decides that.
    pub servers: Vec<Configured>,
    /// The servers of the user that servers of the project replace. Each stays in force until its replacement is
    /// trusted.
    pub replaced: Vec<Configured>,
    /// All problems.
    pub problems: Vec<Problem>,
}

/// The files and servers of a configuration.
///
/// Servers of the program take precedence over those of the project, and these over those of the user; among files
/// of equal rank the first one wins. The user's servers for the project precede all files
/// (see [`global`](Self::global)).
/// A server of the project is in force only when its definition is trusted (see `Hub::trust`). Until then the user's
/// server of that name is in force, if there is one.
/// A broken server is not replaced by one of the same name from a file with less precedence. If a file is broken from
/// the start, its servers are unknown, so nothing from files with less precedence is in force.
/// Relative paths are made absolute at once: the working directory may change later.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The first project folder.
    folder: Option<PathBuf>,
    /// The key of that folder in the CLI's `.claude.json`, as found last.
    key: Option<String>,
    files: Vec<Origin>,
    program: Vec<Configured>,
    /// The last valid content of each file. A broken server without a valid definition keeps its name.
    last: HashMap<Arc<PathBuf>, FileContents>,
}

impl Sources {
    /// Creates an empty set of sources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the files of a project folder: `.mcp.json`, `.roo/mcp.json` and `.vscode/mcp.json`.
    ///
    /// A missing file has no servers, and may appear later.
    /// These files may come from another author with the folder, so none of their servers starts before it is trusted
    /// (`Hub::trust`).
    pub fn project(mut self, folder: impl AsRef<Path>) -> Self {
        let folder = absolute(folder.as_ref());
        self = PROJECT.iter().fold(self, |sources, file| sources.project_file(folder.join(file)));
        self.folder.get_or_insert(folder);
        self
    }

    /// Adds another file of the project.
    pub fn project_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.files.push(Origin::Project(Arc::new(absolute(file))));
        self
    }

    /// Adds a file of the user, for all projects.
    ///
    /// As in the CLI, the servers of its `.claude.json` for the first project folder (`claude mcp add`) precede those
    /// of all other files, and servers of all files that `/mcp` has disabled for that folder are disabled. Neither can
    /// be edited.
    pub fn global(mut self, file: impl Into<PathBuf>) -> Self {
        self.files.push(Origin::Global(Arc::new(absolute(file))));
        self
    }

    /// Adds a server of the program, or replaces its earlier one of that name.
    pub fn server(mut self, name: impl Into<ServerName>, config: ServerConfig) -> Self {
        let name = name.into();
        self.program.retain(|server| server.name != name);
        self.program.push(Configured::new(name, Origin::Program, config));
        self
    }

    /// Returns all files in the order in which they were added, whether they exist or not.
    pub fn files(&self) -> impl Iterator<Item = &Arc<PathBuf>> {
        self.files.iter().filter_map(Origin::file)
    }

    /// Returns all files in the order of precedence: those of the project before those of the user.
    pub(crate) fn by_precedence(&self) -> impl Iterator<Item = (&Origin, &Arc<PathBuf>)> {
        let mut files: Vec<_> =
            self.files.iter().filter_map(|origin| Some((origin, origin.file()?))).collect();
        files.sort_by_key(|(origin, _)| !matches!(origin, Origin::Project(_)));
        files.into_iter()
    }

    /// Returns the CLI's `.claude.json` if it contains the server for the project, or disables it there.
    pub(crate) fn of_project(&self, server: &ServerName) -> Option<&Arc<PathBuf>> {
        let is_local = |entry: &Entry| entry.is_local && entry.name == *server;
        let is_there = |of: &FileContents| of.disabled.contains(server) || of.servers.iter().any(is_local);
        self.last.iter().find(|(_, contents)| is_there(contents)).map(|(file, _)| file)
    }

    /// Returns the first project folder.
    pub fn folder(&self) -> Option<&PathBuf> {
        self.folder.as_ref()
    }

    /// Reads all files. This blocks, and never fails: errors are among the problems.
    ///
    /// Broken files and servers keep their last valid content; a deleted file has no servers. A file that can't be
    /// read within 2 seconds keeps its last content, if known, and does not delay other files.
    pub fn read(&mut self) -> Configuration {
        let mut merge = Merge::default();
        for server in &self.program {
            merge.servers.push(server.clone());
            merge.taken.insert(server.name.clone(), None);
        }
        let mut seen = HashSet::new();
        // All files are read at the same time, so that an unresponsive one does not delay the others.
        let readings: Vec<_> = self
            .by_precedence()
            .filter(|(_, file)| seen.insert(Arc::clone(file)))
            .map(|(origin, file)| (origin.clone(), Arc::clone(file), file::start(file)))
            .collect();
        let key =
            self.folder.as_deref().map(|folder| Reading::start(folder, |folder| Ok(project_key(folder))));
        self.key = key.and_then(|key| key.finish().ok()).or(self.key.take());
        let mut files = Vec::new();
        for (origin, file, reading) in readings {
            let before = self.last.remove(&file);
            let contents = file::finish(reading, &origin, self.key.as_deref());
            if contents.broken && before.is_none() {
                // An unresponsive file may never answer, so it does not hold back the others.
                let is_known = |problem: &Problem| problem.kind != ProblemKind::Unresponsive;
                if contents.problems.iter().all(is_known) {
                    files.push((file, None));
                }
                merge.problems.extend(contents.problems);
                continue;
            }
            let contents = merge.kept(&origin, contents, before.unwrap_or_default());
            merge.disabled.extend(contents.disabled.iter().cloned());
            files.push((Arc::clone(&file), Some(contents.servers.clone())));
            self.last.insert(file, contents);
        }
        for is_local in [true, false] {
            for (file, servers) in &files {
                // An unknown `.claude.json` may contain servers for the project, or disable servers of its files.
                let is_unknown = !is_local || (self.key.is_some() && file.ends_with(STATE));
                match servers {
                    Some(of) => merge.add(of.iter().filter(|entry| entry.is_local == is_local).cloned()),
                    None if is_unknown => _ = merge.unknown.get_or_insert_with(|| Arc::clone(file)),
                    None => {}
                }
            }
        }
        Configuration { servers: merge.servers, replaced: merge.replaced, problems: merge.problems }
    }
}

/// The result of the files read so far.
#[derive(Default)]
struct Merge {
    servers: Vec<Configured>,
    /// The servers of the user that servers of the project replace.
    replaced: Vec<Configured>,
    /// The names in use, with the index of the server; `None` for a broken one.
    taken: HashMap<ServerName, Option<usize>>,
    /// The first file with unknown content: it may define any server of the files after it.
    unknown: Option<Arc<PathBuf>>,
    /// The servers that the CLI has disabled for the project.
    disabled: HashSet<ServerName>,
    problems: Vec<Problem>,
}

impl Merge {
    /// Returns the content of a file that is in force, given the earlier one.
    fn kept(&mut self, origin: &Origin, mut contents: FileContents, before: FileContents) -> FileContents {
        self.problems.append(&mut contents.problems);
        if contents.broken {
            if before.servers.iter().any(|entry| entry.configured.is_some()) {
                self.problems.push(kept(origin, None));
            }
            return before;
        }
        // A server for the project and one for all projects may have the same name.
        let key = |entry: &Entry| (entry.is_local, entry.name.clone());
        let mut before: HashMap<_, _> =
            before.servers.into_iter().map(|entry| (key(&entry), entry.configured)).collect();
        for entry in contents.servers.iter_mut().filter(|entry| entry.configured.is_none()) {
            entry.configured = before.remove(&key(entry)).flatten();
            if let Some(server) = &entry.configured {
                self.problems.push(kept(origin, Some(server)));
            }
        }
        contents
    }

    fn add(&mut self, entries: impl Iterator<Item = Entry>) {
        for Entry { name, mut configured, .. } in entries {
            if let Some(server) = configured.as_mut().filter(|_| self.disabled.contains(&name)) {
                server.config.disabled = true;
            }
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

    /// Reports a server that is hidden by the first one of its name.
    fn shadow(&mut self, first: usize, other: Configured) {
        let first = &self.servers[first];
        let problem = match (&first.origin, &other.origin) {
            (Origin::Project(by), Origin::Project(_)) | (Origin::Global(by), _) => {
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

/// Returns the warning that the last valid content of a file or a server stays in force.
fn kept(origin: &Origin, server: Option<&Configured>) -> Problem {
    match server {
        Some(server) => about(server, ProblemKind::Kept),
        None => Problem::of_file(origin.file(), ProblemKind::Kept),
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

/// Returns the key of a folder under `projects` in the CLI's `.claude.json`: the root of the main working tree if the
/// folder is in a git repository (or the repository, if it is bare), else the folder itself.
fn project_key(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let root = folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&folder);
    main_root(root).unwrap_or_else(|| root.to_owned()).display().to_string()
}

/// Returns the root of the main working tree, or the bare repository, if this is the root of a linked working tree. Both
/// must name the other.
fn main_root(root: &Path) -> Option<PathBuf> {
    let read = |file: &Path| read_text(file, LINK).ok()?;
    let link = read(&root.join(".git"))?;
    let git = plain(&root.join(link.strip_prefix("gitdir: ")?.trim_end()));
    let repository = git.parent().filter(|folder| folder.ends_with("worktrees"))?.parent()?;
    let back = git.join(read(&git.join("gitdir"))?.trim_end()).canonicalize();
    if back.ok()? != root.join(".git") {
        return None;
    }
    let main = if repository.ends_with(".git") { repository.parent()? } else { repository };
    Some(main.to_owned())
}

/// Returns an absolute path without `..`. As in the CLI, links are not followed.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
        plain
    })
}

/// The CLI's file with the servers and the state of all projects.
const STATE: &str = ".claude.json";
/// The largest file of a link between working trees, in bytes.
const LINK: u64 = 64 << 10;

/// The files of a project, in the order of precedence.
const PROJECT: [&str; 3] = [".mcp.json", ".roo/mcp.json", ".vscode/mcp.json"];
