//! Shared by several recipes: finds the file of a tool call and its real location.

use std::{
    fs,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

use agentwire::protocol::hook::PreToolUseInput;
use serde_json::{Map, Value};

/// The CLI's own tools that change a file given by path.
///
/// `Bash` and `Monitor` run commands, which may change any file: no check of a path covers them.
pub(crate) const WRITERS: [&str; 4] = ["Edit", "MultiEdit", "NotebookEdit", "Write"];

/// The CLI's own tools that read a file given by path; not every build of the CLI has all of them.
pub(crate) const READERS: [&str; 3] = ["Glob", "Grep", "Read"];

/// Returns the fields of a tool's input.
pub(crate) fn fields(input: &PreToolUseInput) -> Result<Map<String, Value>, String> {
    input
        .tool_input
        .decode()
        .map_err(|error| format!("the input of {} can't be read: {error}", input.tool_name))
}

/// Returns the name of the field with the path.
pub(crate) fn path_field(tool: &str) -> &'static str {
    match tool {
        "NotebookEdit" => "notebook_path",
        "Glob" | "Grep" => "path",
        _ => "file_path",
    }
}

/// The file or folder of a tool call.
///
/// The checks use the path as the CLI reads it, with `..` resolved, and the target of links.
/// Between the check and the use a link may be replaced, and a hard link looks like a file: this stops a model, but not
/// an attacker with a shell.
/// It uses the file system of this machine, which is wrong for a CLI on another one.
#[derive(Debug)]
pub(crate) struct Target {
    /// The given path without `.` and `..`.
    path: PathBuf,
    /// The real paths; two if the CLI and the system resolve `..` differently.
    real: Vec<PathBuf>,
}

impl Target {
    /// Returns the target of a call of one of [`WRITERS`] or [`READERS`].
    /// An input without a path, or with a path of uncertain location, is an error: deny the call.
    pub(crate) fn of(input: &PreToolUseInput) -> Result<Self, String> {
        let (tool, field) = (&*input.tool_name, path_field(&input.tool_name));
        let fields = fields(input)?;
        // A search without a path uses the working directory.
        let path = match fields.get(field) {
            Some(Value::String(path)) => path,
            None if matches!(tool, "Glob" | "Grep") => ".",
            _ => return Err(format!("the input of {tool} has no `{field}`")),
        };
        Self::at(path, Path::new(&input.cwd)).map_err(|why| format!("`{path}` is not to be used: {why}"))
    }

    fn at(path: &str, cwd: &Path) -> Result<Self, String> {
        // The CLI removes or replaces these. 2.1.330 does so before it calls hooks; other versions may do so later.
        if path.is_empty() || path.trim() != path || path.starts_with('~') || path.contains('\0') {
            return Err("say it plainly, without `~` and without blanks around it".to_owned());
        }
        let joined = cwd.join(path);
        if !joined.is_absolute() {
            return Err("it can't be path where it is".to_owned());
        }
        let path = plain(&joined);
        let mut real = vec![real(&path)?];
        if joined.components().any(|part| part == Component::ParentDir) {
            real.push(self::real(&joined)?);
        }
        Ok(Self { path, real })
    }

    /// Returns the path without `.` and `..`.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the target may be in this folder, a real path. Use it for folders to protect.
    pub(crate) fn may_be_in(&self, folder: &Path) -> bool {
        self.places().any(|place| place.starts_with(folder))
    }

    /// Returns whether the target is certainly in this folder, a real path. Use it for folders to stay in.
    pub(crate) fn is_in(&self, folder: &Path) -> bool {
        self.real.iter().all(|place| place.starts_with(folder))
    }

    /// Returns whether the target may have such a name.
    pub(crate) fn may_be_called(&self, fits: impl Fn(&str) -> bool) -> bool {
        self.places().filter_map(|place| place.file_name()).any(|name| fits(&name.to_string_lossy()))
    }

    fn places(&self) -> impl Iterator<Item = &PathBuf> {
        self.real.iter().chain([&self.path])
    }
}

/// Removes `.` and `..` from the text of the path, as the CLI does.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// Resolves links; for a missing file, those of its existing parent folder.
fn real(path: &Path) -> Result<PathBuf, String> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // Writing to a dangling link creates its target.
            if path.is_symlink() {
                return Err(format!("{} is a link that leads nowhere", path.display()));
            }
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(format!("{} can't be path", path.display()));
            };
            Ok(real(parent)?.join(name))
        }
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}
