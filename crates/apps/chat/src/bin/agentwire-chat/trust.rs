//! Asks the user which servers of the folder's files may be started.

use std::{
    collections::HashSet,
    env, fmt, fs,
    io::{self, IsTerminal as _, Write as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use agentwire_hub::{
    Hub,
    config::{Configured, Endpoint, Launch, ProblemKind},
};

use crate::terminal::{answered, note, shown_line};

/// The user's answers.
pub(crate) struct Trust {
    /// The file with the fingerprints of trusted definitions.
    file: Option<PathBuf>,
    known: HashSet<String>,
    refused: HashSet<String>,
}

impl Trust {
    /// Loads the saved answers.
    pub(crate) fn load() -> Self {
        let file = file();
        let known = file.as_deref().map_or_else(|| Ok(HashSet::new()), read).unwrap_or_else(|error| {
            note(format_args!("agentwire-chat: which servers are trusted can't be read: {error}"));
            HashSet::new()
        });
        Self { file, known, refused: HashSet::new() }
    }

    /// Asks once for each definition that is not trusted. Without a terminal, none is trusted.
    pub(crate) async fn ask(&mut self, hub: &Hub) -> io::Result<()> {
        for server in hub.untrusted() {
            let fingerprint = server.fingerprint();
            if self.known.contains(&fingerprint) {
                hub.trust(fingerprint);
            } else if !server.config.disabled && !self.refused.contains(&fingerprint) {
                let answer = if io::stdin().is_terminal() {
                    let question = format!(
                        "\n{}{}Trust it? [y]es, [a]lways, [N]o ",
                        Described(&server),
                        if takes_name(hub, &server) {
                            "  in place of your own server of this name\n"
                        } else {
                            ""
                        }
                    );
                    answered(question).await?
                } else {
                    let name = shown_line(server.name.as_str());
                    note(format_args!("{name}: not started: this folder configures it; see `--trust`"));
                    None
                };
                match answer.map(|line| line.trim().to_lowercase()).as_deref() {
                    Some("y" | "yes") => _ = hub.trust(fingerprint),
                    Some("a" | "always") => {
                        self.keep(&fingerprint);
                        hub.trust(fingerprint);
                    }
                    _ => _ = self.refused.insert(fingerprint),
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, fingerprint: &str) {
        let kept = self.file.as_deref().map_or_else(
            || Err(io::Error::other("there is no home folder")),
            |file| append(file, fingerprint),
        );
        if let Err(error) = kept {
            note(format_args!("agentwire-chat: it will be asked for again: {error}"));
        }
        self.known.insert(fingerprint.to_owned());
    }
}

/// Returns whether the server has the same name as a server of the user's.
fn takes_name(hub: &Hub, server: &Configured) -> bool {
    hub.problems().iter().any(|problem| {
        matches!(problem.kind, ProblemKind::TakesName { .. }) && problem.server.as_ref() == Some(&server.name)
    })
}

/// A definition, displayed with everything that decides what runs and where it connects.
struct Described<'a>(&'a Configured);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Configured { name, origin, config, .. } = self.0;
        let file = origin.file().map(|file| file.to_string_lossy()).unwrap_or_default();
        writeln!(f, "The server `{}` of {}:", shown_line(name.as_str()), shown_line(&file))?;
        match &config.launch {
            Launch::Stdio(stdio) => {
                write!(f, "  runs {:?}", stdio.command)?;
                stdio.args.iter().try_for_each(|arg| write!(f, " {arg:?}"))?;
                writeln!(f)?;
                stdio.cwd.iter().try_for_each(|cwd| writeln!(f, "  in {cwd:?}"))?;
                stdio.env.iter().try_for_each(|(name, value)| writeln!(f, "  with {name:?} = {value:?}"))?;
                stdio.env_file.iter().try_for_each(|file| writeln!(f, "  with the variables of {file:?}"))?;
            }
            Launch::Http(Endpoint { url, headers, .. }) | Launch::Sse(Endpoint { url, headers, .. }) => {
                writeln!(f, "  connects to {url:?}")?;
                headers.iter().try_for_each(|(name, value)| writeln!(f, "  with {name:?}: {value:?}"))?;
            }
        }
        let allowed: Vec<_> = config.always_allow.iter().collect();
        if allowed.is_empty() {
            Ok(())
        } else {
            writeln!(f, "  its tools {allowed:?} are called without a question")
        }
    }
}

fn file() -> Option<PathBuf> {
    let folder = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = folder.or_else(|| env::home_dir().map(|home| home.join(".config")))?;
    Some(folder.join("agentwire/chat-trusted"))
}

fn read(file: &Path) -> io::Result<HashSet<String>> {
    let metadata = match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashSet::new()),
        found => found?,
    };
    if metadata.permissions().mode() & 0o077 != 0 {
        let why = format!("others may use {}: give it the mode 0600", file.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(fs::read_to_string(file)?.lines().map(str::to_owned).collect())
}

fn append(file: &Path, fingerprint: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = fs::OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
    writeln!(file, "{fingerprint}")
}

#[cfg(test)]
mod tests {
    use agentwire_hub::config::Sources;

    use super::*;

    #[test]
    fn a_trust_file_that_others_can_write_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sub/trusted");
        assert_eq!(read(&file).unwrap(), HashSet::new());
        append(&file, "one").unwrap();
        append(&file, "two").unwrap();
        assert_eq!(read(&file).unwrap(), ["one".to_owned(), "two".to_owned()].into());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(read(&file).is_err());
    }

    #[test]
    fn a_definition_is_shown_whole_and_without_escapes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".mcp.json");
        let text = r#"{"mcpServers": {
            "a\u202e": {"command": "sh", "args": ["-c", "x \u001b[2J \u202e"], "env": {"T": "${env:SECRET}"},
                "cwd": "/tmp", "envFile": "e", "alwaysAllow": ["*"]},
            "b": {"type": "http", "url": "http://x/?k=${env:K}\u009b", "headers": {"H": "${T}"}}}}"#;
        fs::write(&file, text).unwrap();
        let servers = Sources::new().project(folder.path()).read().servers;
        let shown: String = servers.iter().map(|server| Described(server).to_string()).collect();
        for part in [
            "`a\\u{202e}`",
            "runs \"sh\" \"-c\" \"x \\u{1b}[2J \\u{202e}\"\n",
            "in \"/tmp\"",
            "\"T\" = \"${env:SECRET}\"",
            "the variables of \"e\"",
            "tools [\"*\"] are",
            "connects to \"http://x/?k=${env:K}\\u{9b}\"",
            "\"H\": \"${T}\"",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(
            !shown.contains(|char: char| char != '\n' && agentwire_hub::llm::is_invisible(char)),
            "{shown:?}"
        );
    }
}
