//! Finds installed kernels and their commands.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use agentwire_transport::process::Launch;
use jupyter_protocol::JupyterKernelspec;

/// The installed kernels, by name.
///
/// `Display` lists them, or the searched folders if there are none, and the specifications that can't be read.
#[derive(Clone, Debug, Default)]
pub struct Kernels {
    found: BTreeMap<String, Found>,
    /// The file and the cause of each specification that can't be read.
    unreadable: Vec<String>,
    searched: Vec<PathBuf>,
}

/// A kernel's specification and its folder.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) spec: JupyterKernelspec,
    folder: PathBuf,
}

/// Finds kernels in Jupyter's folders: `JUPYTER_PATH`, the user's data folder, the environment of the first `python`
/// in `PATH`, and the system's folders. The first kernel of a name wins.
///
/// Specifications that can't be read are skipped.
pub fn installed() -> Kernels {
    Kernels::in_folders(data_folders(|name| env::var_os(name)))
}

impl Kernels {
    fn in_folders(searched: Vec<PathBuf>) -> Self {
        let (mut found, mut unreadable) = (BTreeMap::new(), Vec::new());
        for folder in searched.iter().map(|data| data.join("kernels")) {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            for folder in entries.map(|entry| entry.path()) {
                let Some(name) = folder.file_name().and_then(|name| name.to_str()).map(str::to_lowercase)
                else {
                    continue;
                };
                let file = folder.join("kernel.json");
                let read = match std::fs::read(&file) {
                    Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                        continue;
                    }
                    Err(error) => Err(error.to_string()),
                    Ok(text) => serde_json::from_slice(&text).map_err(|error| error.to_string()),
                };
                match read {
                    Ok(spec) => {
                        found.entry(name).or_insert(Found { spec, folder });
                    }
                    Err(cause) => unreadable.push(format!("{} can't be read ({cause})", file.display())),
                }
            }
        }
        Self { found, unreadable, searched }
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.found.keys().map(String::as_str)
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Found> {
        self.found.get(&name.to_lowercase())
    }
}

impl fmt::Display for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.found.is_empty() {
            let searched: Vec<_> = self.searched.iter().map(|folder| folder.display().to_string()).collect();
            write!(f, "no kernels are installed; looked in {}", searched.join(", "))?;
        }
        let named = self.found.iter().map(|(name, found)| format!("{name} ({})", found.spec.display_name));
        let listed: Vec<_> = named.chain(self.unreadable.iter().cloned()).collect();
        if self.found.is_empty() && !listed.is_empty() {
            f.write_str("; ")?;
        }
        f.write_str(&listed.join(", "))
    }
}

impl Found {
    /// Returns whether the kernel is interrupted by a message instead of a signal.
    pub(crate) fn interrupts_by_message(&self) -> bool {
        self.spec.interrupt_mode.as_deref() == Some("message")
    }

    /// Returns the command; `None` if the specification has no arguments.
    pub(crate) fn launch(&self, connection_file: &Path) -> Option<Launch> {
        let (program, args) = self.spec.argv.split_first()?;
        let places = [
            ("{connection_file}", connection_file.to_string_lossy().into_owned()),
            ("{resource_dir}", self.folder.to_string_lossy().into_owned()),
            (
                "{prefix}",
                self.prefix().map(|prefix| prefix.to_string_lossy().into_owned()).unwrap_or_default(),
            ),
        ];
        let fill =
            |arg: &String| places.iter().fold(arg.clone(), |arg, (name, value)| arg.replace(name, value));
        let mut launch = Launch::new(self.program(&fill(program))).args(args.iter().map(fill));
        for (name, value) in self.spec.env.iter().flatten() {
            launch = launch.env(name, expand(value, |name| env::var_os(name)));
        }
        launch = with_encoding(launch, |name| env::var_os(name));
        // Some kernels watch this process, and exit when it ends.
        Some(launch.env("JPY_PARENT_PID", std::process::id().to_string()))
    }

    /// Returns the program; a bare `python` is resolved to the environment that contains the specification.
    ///
    /// Specifications usually mean the Python with which they were installed.
    fn program(&self, name: &str) -> PathBuf {
        let is_version = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '.');
        let prefix = self.prefix().filter(|_| name.strip_prefix("python").is_some_and(is_version));
        let python = prefix.map(|prefix| prefix.join("bin").join(name)).filter(|python| python.is_file());
        python.unwrap_or_else(|| name.into())
    }

    /// Returns the environment that contains the specification: `PREFIX/share/jupyter/kernels/NAME`.
    fn prefix(&self) -> Option<&Path> {
        let data = self.folder.parent()?.parent()?;
        data.ends_with("share/jupyter").then(|| data.parent()?.parent()).flatten()
    }
}

/// Returns the data folders, which contain the folders `kernels`.
fn data_folders(var: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    let mut folders: Vec<PathBuf> = set("JUPYTER_PATH").iter().flat_map(env::split_paths).collect();
    let home = set("HOME").map(PathBuf::from);
    let own = if cfg!(target_os = "macos") {
        home.map(|home| home.join("Library/Jupyter"))
    } else {
        let share =
            set("XDG_DATA_HOME").map(PathBuf::from).or_else(|| home.map(|home| home.join(".local/share")));
        share.map(|share| share.join("jupyter"))
    };
    folders.extend(set("JUPYTER_DATA_DIR").map(PathBuf::from).or(own));
    let path = set("PATH").unwrap_or_default();
    let python =
        env::split_paths(&path).find(|dir| ["python3", "python"].iter().any(|name| dir.join(name).is_file()));
    folders.extend(python.and_then(|bin| bin.parent().map(|prefix| prefix.join("share/jupyter"))));
    folders.extend(["/usr/local/share/jupyter", "/usr/share/jupyter"].map(PathBuf::from));
    let mut seen = std::collections::HashSet::new();
    folders.retain(|folder| seen.insert(folder.clone()));
    folders
}

/// Makes UTF-8 the encoding of text, unless a variable sets a locale: MCP clients pass few variables to a server, and R then
/// changes all text that is not ASCII.
fn with_encoding(launch: Launch, var: impl Fn(&str) -> Option<OsString>) -> Launch {
    let is_set = |name: &str| {
        let value = launch.env.get(OsStr::new(name)).cloned().or_else(|| var(name));
        value.is_some_and(|value| !value.is_empty())
    };
    if ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().any(is_set) {
        return launch;
    }
    launch.env("LC_CTYPE", if cfg!(target_os = "macos") { "UTF-8" } else { "C.UTF-8" })
}

/// Replaces `${NAME}` by environment variables; unset ones stay as they are.
fn expand(value: &str, var: impl Fn(&str) -> Option<OsString>) -> OsString {
    let mut expanded = OsString::new();
    let mut rest = value;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        let (before, place) = (&rest[..start], &rest[start..=start + length]);
        expanded.push(before);
        expanded.push(var(&place[2..place.len() - 1]).unwrap_or_else(|| place.into()));
        rest = &rest[start + length + 1..];
    }
    expanded.push(rest);
    expanded
}

#[cfg(test)]
mod tests;
