//! The values of variables in a configuration.

use std::{
    env, fmt,
    path::{self, PathBuf},
    pin::Pin,
    sync::Arc,
};

use crate::ServerName;

mod expand;

pub(super) use expand::{Reference, Value, expand};

/// The values of variables in a configuration.
///
/// Variables in the strings of a launch:
///
/// | written | stands for |
/// |---|---|
/// | `${NAME}`, `${env:NAME}` | the environment variable |
/// | `${NAME:-text}` | the same, or the text if it is not set; the text may contain variables |
/// | `${workspaceFolder}`, `${workspaceFolderBasename}` | the folder of the project, and its name |
/// | `${userHome}` | the user's home folder |
/// | `${pathSeparator}`, `${/}` | `/`, or `\` on Windows |
/// | `${input:id}` | the answer of the user ([`input`](Self::input)) |
/// | `$${` | the text `${` |
///
/// Any other text, including `$NAME`, is literal.
/// Variables in values are not replaced.
/// `Debug` shows no values.
#[derive(Clone)]
pub struct Variables {
    environment: Arc<Lookup>,
    workspace: Option<PathBuf>,
    home: Option<PathBuf>,
    input: Option<Arc<Asked>>,
}

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;
type Asked = dyn Fn(Input) -> Pin<Box<dyn Future<Output = Option<String>> + Send>> + Send + Sync;

/// A value that the user enters before a server starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// The server that needs it.
    pub server: ServerName,
    /// Its id: `${input:id}`.
    pub id: String,
    /// The question for the user (`description` in the `inputs` of the file).
    pub description: Option<String>,
    /// The default answer (`default`).
    pub default: Option<String>,
    /// The possible answers (`options`); empty for free text.
    pub options: Vec<String>,
    /// Whether it is a secret (`password`).
    pub password: bool,
}

impl Input {
    /// Creates an input with an id only.
    pub(super) fn new(id: &str) -> Self {
        Self {
            server: ServerName::from(""),
            id: id.to_owned(),
            description: None,
            default: None,
            options: Vec::new(),
            password: false,
        }
    }
}

impl Variables {
    /// Creates variables with the environment and home folder of this process, without a project and without inputs.
    ///
    /// An environment variable that is not Unicode counts as not set.
    pub fn new() -> Self {
        Self {
            environment: Arc::new(|name: &str| env::var(name).ok()),
            workspace: None,
            home: env::home_dir(),
            input: None,
        }
    }

    /// Replaces the environment of this process.
    pub fn environment(mut self, lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.environment = Arc::new(lookup);
        self
    }

    /// Sets the folder of the project: `${workspaceFolder}`, the working directory of servers, and the base of relative
    /// paths.
    ///
    /// Relative paths become absolute.
    /// By default a hub uses the first folder of [`Sources::project`](super::Sources::project).
    pub fn workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.workspace = Some(absolute(folder));
        self
    }

    /// Sets the folder of the project unless there is one.
    pub fn or_workspace(mut self, folder: Option<&PathBuf>) -> Self {
        self.workspace = self.workspace.or_else(|| folder.cloned());
        self
    }

    /// Replaces the home folder of this process.
    pub fn home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.home = Some(folder.into());
        self
    }

    /// Sets the function that answers `${input:…}`; an answer of `None` is an error of the server.
    ///
    /// It is called once for each input and start of a server, without a time limit. It may cache answers.
    pub fn input<F, A>(mut self, ask: F) -> Self
    where
        F: Fn(Input) -> A + Send + Sync + 'static,
        A: Future<Output = Option<String>> + Send + 'static,
    {
        self.input = Some(Arc::new(move |input| Box::pin(ask(input))));
        self
    }

    /// Returns the folder of the project.
    pub fn workspace_folder(&self) -> Option<&PathBuf> {
        self.workspace.as_ref()
    }

    /// Asks for an input. Returns `None` without a function to ask.
    pub(super) async fn ask(&self, input: Input) -> Option<String> {
        match &self.input {
            Some(ask) => ask(input).await,
            None => None,
        }
    }

    pub(super) fn env(&self, name: &str) -> Option<String> {
        (self.environment)(name)
    }

    pub(super) fn home_folder(&self) -> Option<&PathBuf> {
        self.home.as_ref()
    }
}

impl Default for Variables {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variables")
            .field("workspace", &self.workspace)
            .field("home", &self.home)
            .field("input", &self.input.is_some())
            .finish_non_exhaustive()
    }
}

/// Returns the absolute path, or the path itself if there is no working directory.
pub(crate) fn absolute(path: impl Into<PathBuf>) -> PathBuf {
    let path = path.into();
    path::absolute(&path).unwrap_or(path)
}
