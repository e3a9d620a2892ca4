//! What the variables in a configuration stand for.

use std::{env, fmt, path::PathBuf, pin::Pin, sync::Arc};

use super::sources::absolute;
use crate::ServerName;

mod expand;

pub(super) use expand::{Reference, Value, expand};

/// What the variables in a configuration stand for.
///
/// In each string that says how a server is reached:
///
/// | written | stands for |
/// |---|---|
/// | `${NAME}`, `${env:NAME}` | the environment variable |
/// | `${NAME:-text}` | the same, or the text where it is not set; the text may have variables too |
/// | `${workspaceFolder}`, `${workspaceFolderBasename}` | the folder of the project, and its name |
/// | `${userHome}` | the user's home folder |
/// | `${pathSeparator}`, `${/}` | `/`, or `\` on Windows |
/// | `${input:id}` | what the user answers ([`input`](Self::input)) |
/// | `$${` | the text `${` |
///
/// Anything else, `$NAME` included, is text.
/// Values are put in as they are: what looks like a variable in a value is none.
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

/// Something that the user is asked for before a server starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// The server that needs it.
    pub server: ServerName,
    /// Its id: `${input:id}`.
    pub id: String,
    /// What the user is to be told (`description` among the `inputs` of the file).
    pub description: Option<String>,
    /// What is meant where the user says nothing (`default`).
    pub default: Option<String>,
    /// Among what he may choose (`options`); empty where he may say anything.
    pub options: Vec<String>,
    /// Whether it is a secret (`password`).
    pub password: bool,
}

impl Input {
    /// An input of which no more is known than its id, and not for which server it is.
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
    /// The environment and the home folder of this process; no project and nobody to ask.
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

    /// Another environment than that of this process.
    pub fn environment(mut self, lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.environment = Arc::new(lookup);
        self
    }

    /// The folder of the project: `${workspaceFolder}`, where servers run, and what relative paths start from.
    ///
    /// A relative one is made absolute here.
    /// Where none is given, a hub takes the first folder of [`Sources::project`](super::Sources::project).
    pub fn workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.workspace = Some(absolute(folder.into()));
        self
    }

    /// With this folder as the project's, where none was given.
    pub fn or_workspace(mut self, folder: Option<&PathBuf>) -> Self {
        self.workspace = self.workspace.or_else(|| folder.cloned());
        self
    }

    /// The user's home folder, where it is not that of this process.
    pub fn home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.home = Some(folder.into());
        self
    }

    /// Who answers for `${input:…}`; `None` as an answer is an error of the server that asked.
    ///
    /// It is called once for each input and start of a server: who does not want to be asked again keeps the answer.
    /// Nothing limits how long an answer takes.
    pub fn input<F, A>(mut self, ask: F) -> Self
    where
        F: Fn(Input) -> A + Send + Sync + 'static,
        A: Future<Output = Option<String>> + Send + 'static,
    {
        self.input = Some(Arc::new(move |input| Box::pin(ask(input))));
        self
    }

    /// The folder of the project.
    pub fn workspace_folder(&self) -> Option<&PathBuf> {
        self.workspace.as_ref()
    }

    /// Asks for an input; without somebody to ask there is no answer.
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
