//! What several recipes share: which file a tool call is about, and where that really lies.

use std::{
    fs,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

use agentwire::protocol::hook::PreToolUseInput;
use serde_json::{Map, Value};

/// The CLI's own tools that change a file by its path.
///
/// `Bash` and `Monitor` run commands, which change whatever they like: no check of a path covers them.
pub(crate) const WRITERS: [&str; 4] = ["Edit", "MultiEdit", "NotebookEdit", "Write"];

/// The CLI's own tools that read by a path; not every build of the CLI has all of them.
pub(crate) const READERS: [&str; 3] = ["Glob", "Grep", "Read"];

/// The fields of a tool's input.
///
/// # Errors
///
/// When it is no object.
pub(crate) fn fields(input: &PreToolUseInput) -> Result<Map<String, Value>, String> {
    input
        .tool_input
        .decode()
        .map_err(|error| format!("the input of {} can't be read: {error}", input.tool_name))
}

/// The name of the field that holds the path.
pub(crate) fn path_field(tool: &str) -> &'static str {
    match tool {
        "NotebookEdit" => "notebook_path",
        "Glob" | "Grep" => "path",
        _ => "file_path",
    }
}

/// The file or folder that a tool call is about.
///
/// What is checked is the path as the CLI takes it, with `..` taken out, and where links lead from there.
/// Between the check and the use somebody may put a link in the place, and a hard link can't be told from a file: this
/// keeps a model from a file, and not an attacker who has a shell.
/// It looks at the file system of this machine: with a CLI elsewhere it is the wrong one.
#[derive(Debug)]
pub(crate) struct Target {
    /// Without `.` and `..`, and otherwise as it was told.
    told: PathBuf,
    /// Without links; two places, where `..` leads elsewhere for the CLI than for the system.
    real: Vec<PathBuf>,
}

impl Target {
    /// The target of a call of one of [`WRITERS`] or [`READERS`].
    ///
    /// # Errors
    ///
    /// When the input does not say it, or so that it can't be told for certain where it is: to be answered with a denial.
    pub(crate) fn of(input: &PreToolUseInput) -> Result<Self, String> {
        let (tool, field) = (&*input.tool_name, path_field(&input.tool_name));
        let fields = fields(input)?;
        // A search without a path is one of the working directory.
        let path = match fields.get(field) {
            Some(Value::String(path)) => path,
            None if matches!(tool, "Glob" | "Grep") => ".",
            _ => return Err(format!("the input of {tool} has no `{field}`")),
        };
        Self::at(path, Path::new(&input.cwd)).map_err(|why| format!("`{path}` is not to be used: {why}"))
    }

    fn at(path: &str, cwd: &Path) -> Result<Self, String> {
        // The CLI takes these off or replaces them. 2.1.330 does so before it asks; another one may do it later.
        if path.is_empty() || path.trim() != path || path.starts_with('~') || path.contains('\0') {
            return Err("say it plainly, without `~` and without blanks around it".to_owned());
        }
        let joined = cwd.join(path);
        if !joined.is_absolute() {
            return Err("it can't be told where it is".to_owned());
        }
        let told = plain(&joined);
        let mut real = vec![real(&told)?];
        if joined.components().any(|part| part == Component::ParentDir) {
            real.push(self::real(&joined)?);
        }
        Ok(Self { told, real })
    }

    /// The path without `.` and `..`.
    pub(crate) fn told(&self) -> &Path {
        &self.told
    }

    /// Whether it may be in this folder, which must be a real path: for a folder that is to be kept from.
    pub(crate) fn may_be_in(&self, folder: &Path) -> bool {
        self.places().any(|place| place.starts_with(folder))
    }

    /// Whether it is in this folder, which must be a real path: for a folder that is to be kept to.
    pub(crate) fn is_in(&self, folder: &Path) -> bool {
        self.real.iter().all(|place| place.starts_with(folder))
    }

    /// Whether it may have a name like that.
    pub(crate) fn may_be_called(&self, fits: impl Fn(&str) -> bool) -> bool {
        self.places().filter_map(|place| place.file_name()).any(|name| fits(&name.to_string_lossy()))
    }

    fn places(&self) -> impl Iterator<Item = &PathBuf> {
        self.real.iter().chain([&self.told])
    }
}

/// The path without `.` and `..`, by its text alone, as the CLI does it.
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

/// Where links lead; what is not there yet counts from the folder that is.
fn real(path: &Path) -> Result<PathBuf, String> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // To write to a link that leads nowhere is to make a file where it leads.
            if path.is_symlink() {
                return Err(format!("{} is a link that leads nowhere", path.display()));
            }
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(format!("{} can't be told", path.display()));
            };
            Ok(real(parent)?.join(name))
        }
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}
