//! Replaces the variables of a configuration by their values.

use std::{
    collections::{BTreeMap, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use super::{
    Configured, Endpoint, Input, Launch, Problem, ProblemKind, Resolved, Stdio, Variables, env_file,
    file::{ADDRESS, joined},
    launch::is_address,
    reading::read_text,
    syntax,
    variables::{Reference, Value, expand},
};

/// Resolves a server, or returns all its problems.
///
/// Reads the `envFile`. Waits without a limit for answers to inputs (`${input:…}`); the user is asked only if there is
/// no other problem.
///
/// # Cancel safety
///
/// The future can be dropped at any point.
pub async fn resolve(configured: &Configured, variables: &Variables) -> Result<Resolved, Vec<Problem>> {
    let mut answers = HashMap::new();
    loop {
        let mut pass = Pass::new(configured, variables, &answers);
        let (mut resolved, env_file) = pass.launch(&configured.config.launch);
        let wanted = pass.wanted;
        if !pass.problems.is_empty() {
            let mut problems = pass.problems;
            problems.sort_by_key(|problem| problem.position);
            return Err(problems);
        }
        if !wanted.is_empty() {
            for id in wanted {
                let answer = variables.ask(asked(configured, &id)).await;
                answers.insert(id, answer);
            }
        } else if let (Some(file), Resolved::Stdio { env, .. }) = (env_file, &mut resolved) {
            let below = read_env_file(file).await.map_err(|kinds| {
                kinds.into_iter().map(|kind| problem(configured, "envFile", kind)).collect::<Vec<_>>()
            })?;
            *env = merged(below, std::mem::take(env));
            return Ok(resolved);
        } else {
            return Ok(resolved);
        }
    }
}

/// Returns the files and folders that restart the server when they change: `watchPaths`, and arguments with
/// `build/index.js`.
///
/// They are absolute if a workspace folder is known. Inputs are not asked for; paths with unset variables
/// are left out, since the start of the server reports them.
pub(crate) fn watched(configured: &Configured, variables: &Variables) -> Vec<PathBuf> {
    let Launch::Stdio(stdio) = &configured.config.launch else { return Vec::new() };
    let value = |text: &String| expanded(text, variables);
    let cwd = match &stdio.cwd {
        Some(cwd) => value(cwd).map(|cwd| below_workspace(&cwd, variables)),
        None => variables.workspace_folder().cloned(),
    };
    let built = stdio.args.iter().filter_map(value).filter(|arg| arg.contains(BUILT));
    let paths = configured.config.watch_paths.iter().filter_map(value).chain(built);
    paths.map(|path| cwd.as_ref().map_or_else(|| path.clone().into(), |cwd| cwd.join(&path))).collect()
}

/// Returns the `envFile` of a server, if there is one.
///
/// It is absolute if a workspace folder is known, and `None` if a variable has no value.
pub(crate) fn variables_file(configured: &Configured, variables: &Variables) -> Option<PathBuf> {
    let Launch::Stdio(stdio) = &configured.config.launch else { return None };
    let file = expanded(stdio.env_file.as_ref()?, variables)?;
    Some(below_workspace(&file, variables))
}

/// Returns the text with its variables; `None` if one has no value, or the program's function panics.
fn expanded(text: &str, variables: &Variables) -> Option<String> {
    let expand = || expand(text, &mut |reference| variables.value(reference)).ok();
    catch_unwind(AssertUnwindSafe(expand)).ok().flatten()
}

/// One attempt to resolve a server, with the answers so far.
struct Pass<'a> {
    configured: &'a Configured,
    variables: &'a Variables,
    answers: &'a HashMap<String, Option<String>>,
    /// The inputs to ask for before the next attempt.
    wanted: Vec<String>,
    problems: Vec<Problem>,
}

impl<'a> Pass<'a> {
    fn new(
        configured: &'a Configured,
        variables: &'a Variables,
        answers: &'a HashMap<String, Option<String>>,
    ) -> Self {
        Self { configured, variables, answers, wanted: Vec::new(), problems: Vec::new() }
    }

    /// Returns the resolved launch, and the `envFile` if there is one.
    fn launch(&mut self, launch: &Launch) -> (Resolved, Option<PathBuf>) {
        match launch {
            Launch::Stdio(stdio) => self.stdio(stdio),
            Launch::Http(endpoint) => {
                let (url, headers) = self.endpoint(endpoint);
                (Resolved::Http { url, headers }, None)
            }
            Launch::Sse(endpoint) => {
                let (url, headers) = self.endpoint(endpoint);
                (Resolved::Sse { url, headers }, None)
            }
        }
    }

    fn stdio(&mut self, stdio: &Stdio) -> (Resolved, Option<PathBuf>) {
        let command = self.some_text("command", &stdio.command);
        let args = stdio.args.iter().enumerate();
        let args = args.map(|(at, arg)| self.text(&syntax::index("args", at), arg)).collect();
        let cwd = stdio.cwd.as_ref().map(|cwd| self.some_text("cwd", cwd));
        let env = self.map("env", &stdio.env);
        let file = stdio.env_file.as_ref().map(|file| self.some_text("envFile", file));
        let cwd = match cwd {
            Some(cwd) => Some(below_workspace(&cwd, self.variables)),
            None => self.variables.workspace_folder().cloned(),
        };
        for (at, path) in self.configured.config.watch_paths.iter().enumerate() {
            let value = expand(path, &mut |reference| match reference {
                // `watched` can't ask for inputs.
                Reference::Input(_) => Value::None(ProblemKind::Expected("a path without `${input:…}`")),
                reference => self.variables.value(reference),
            });
            self.checked(&syntax::index("watchPaths", at), value);
        }
        let file = file.map(|file| below_workspace(&file, self.variables));
        (Resolved::Stdio { command, args, cwd, env }, file)
    }

    fn endpoint(&mut self, endpoint: &Endpoint) -> (String, Vec<(String, String)>) {
        let url = self.text("url", &endpoint.url);
        if self.settled() && !is_address(&url) {
            self.wrong("url", ProblemKind::Expected(ADDRESS));
        }
        let headers = self.map("headers", &endpoint.headers);
        for (name, value) in &headers {
            // A line break in the value would begin another header.
            if value.contains(|c: char| c.is_control() && c != '\t') {
                self.wrong(&syntax::key("headers", name), ProblemKind::Expected("one line of text"));
            }
        }
        (url, headers)
    }

    fn map(&mut self, path: &str, map: &BTreeMap<String, String>) -> Vec<(String, String)> {
        map.iter().map(|(name, text)| (name.clone(), self.text(&syntax::key(path, name), text))).collect()
    }

    fn some_text(&mut self, path: &str, text: &str) -> String {
        let value = self.text(path, text);
        if self.settled() && value.trim().is_empty() {
            self.wrong(path, ProblemKind::Expected("a string that is not empty"));
        }
        value
    }

    fn text(&mut self, path: &str, text: &str) -> String {
        let Self { variables, answers, wanted, .. } = self;
        let value = expand(text, &mut |reference| match reference {
            Reference::Input(id) => match answers.get(id) {
                Some(Some(answer)) => Value::Known(answer.clone()),
                Some(None) => Value::None(ProblemKind::NoInput { id: id.to_owned() }),
                None => {
                    if !wanted.iter().any(|wanted| wanted == id) {
                        wanted.push(id.to_owned());
                    }
                    Value::Later
                }
            },
            reference => variables.value(reference),
        });
        self.checked(path, value)
    }

    fn checked(&mut self, path: &str, value: Result<String, Vec<ProblemKind>>) -> String {
        match value {
            Ok(value) if value.contains('\0') => {
                self.wrong(path, ProblemKind::Expected("text without the character NUL"));
                String::new()
            }
            Ok(value) => value,
            Err(kinds) => {
                kinds.into_iter().for_each(|kind| self.wrong(path, kind));
                String::new()
            }
        }
    }

    fn wrong(&mut self, path: &str, kind: ProblemKind) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem(self.configured, path, kind));
        }
    }

    /// Returns whether all values so far are final: other values must not be checked.
    fn settled(&self) -> bool {
        self.wanted.is_empty() && self.problems.is_empty()
    }
}

fn asked(configured: &Configured, id: &str) -> Input {
    let server = configured.name.clone();
    match configured.written.inputs.get(id) {
        Some(input) => Input { server, ..input.clone() },
        None => Input { server, ..Input::new(id) },
    }
}

fn problem(configured: &Configured, path: &str, kind: ProblemKind) -> Problem {
    let written = &configured.written;
    Problem {
        file: configured.origin.file().cloned(),
        position: written.positions.get(path).copied(),
        path: joined(&written.path, path),
        server: Some(configured.name.clone()),
        kind,
    }
}

fn below_workspace(path: &str, variables: &Variables) -> PathBuf {
    match variables.workspace_folder() {
        Some(folder) => folder.join(path),
        None => path.into(),
    }
}

async fn read_env_file(file: PathBuf) -> Result<Vec<(String, String)>, Vec<ProblemKind>> {
    let wrong = |kind| vec![ProblemKind::EnvFile(Box::new(kind))];
    let read = tokio::task::spawn_blocking(move || env_variables(&file)).await;
    read.unwrap_or_else(|error| Err(wrong(ProblemKind::Unreadable(error.to_string()))))
}

fn env_variables(file: &Path) -> Result<Vec<(String, String)>, Vec<ProblemKind>> {
    let wrong = |kind| vec![ProblemKind::EnvFile(Box::new(kind))];
    let text = match read_text(file, ENV_FILE) {
        Ok(Some(text)) => text,
        Ok(None) => return Err(wrong(ProblemKind::NotThere)),
        Err((kind, _)) => return Err(wrong(kind)),
    };
    match env_file::parse(&text) {
        (variables, lines) if lines.is_empty() => Ok(variables),
        (_, lines) => {
            Err(lines.into_iter().take(MAX_PROBLEMS).map(|line| ProblemKind::EnvLine { line }).collect())
        }
    }
}

/// Merges two maps of variables; `above` wins.
fn merged(below: Vec<(String, String)>, above: Vec<(String, String)>) -> Vec<(String, String)> {
    let merged: BTreeMap<_, _> = below.into_iter().chain(above).collect();
    merged.into_iter().collect()
}

/// An argument with this text is a program under development, and is watched.
const BUILT: &str = "build/index.js";
/// The largest `envFile`, in bytes.
const ENV_FILE: u64 = 1 << 20;
/// The limit of problems of one server.
const MAX_PROBLEMS: usize = 100;

#[cfg(test)]
mod tests;
