//! Copies the login, the settings and the cached policy of the user to another configuration folder.

mod keychain;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    Options,
    regular_file::regular_file,
    session::{launch::inherited, private_files::PrivateDir},
};

/// The locations to copy from.
pub(super) struct Sources {
    /// The user's configuration folder.
    pub(super) config: PathBuf,
    /// The folder with `.claude.json`.
    pub(super) state: PathBuf,
    /// Whether the login may be in the keychain.
    pub(super) ask_keychain: bool,
}

/// Copies the files that exist; unreadable ones are skipped.
pub(super) fn copy(sources: &Sources, to: &PrivateDir) -> io::Result<()> {
    let keychain = if sources.ask_keychain { keychain::login() } else { None };
    let login = keychain.or_else(|| read(&sources.config.join(LOGIN)));
    put(to, LOGIN, login.as_deref().and_then(without_refresh_tokens))?;
    put(to, STATE, read(&sources.state.join(STATE)))?;
    put(to, OLD_STATE, read(&sources.config.join(OLD_STATE)))?;
    for name in SETTINGS {
        put(to, name, read(&sources.config.join(name)).map(without_plugins_and_folder))?;
    }
    put(to, POLICY, read(&sources.config.join(POLICY)))
}

/// Returns whether the environment contains a login, which takes precedence.
pub(super) fn is_in_environment(options: &Options) -> bool {
    LOGIN_VARIABLES.iter().any(|name| inherited(options, name).is_some_and(|value| !value.is_empty()))
}

fn put(to: &PrivateDir, name: &str, contents: Option<Vec<u8>>) -> io::Result<()> {
    contents.map_or(Ok(()), |contents| to.write(Path::new(name), [contents]))
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let contents = match regular_file(path).and_then(fs::read) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        contents => contents,
    };
    contents.inspect_err(|error| tracing::warn!(path = %path.display(), %error, "left out of a session")).ok()
}

/// Returns the login without refresh tokens, which can be used only once: the CLI would store the new ones in a folder
/// that is deleted. It also leaves out the grant for the chat history, as the reference SDK for TypeScript does.
///
/// An unreadable login is skipped, because it may contain one.
fn without_refresh_tokens(login: &[u8]) -> Option<Vec<u8>> {
    let read = serde_json::from_slice(login);
    let warn = |error: &_| tracing::warn!(%error, "the login can't be read, and is left out of a session");
    let mut login = read.inspect_err(warn).ok()?;
    remove_refresh_tokens(&mut login);
    serde_json::to_vec(&login).ok()
}

fn remove_refresh_tokens(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
            fields.values_mut().for_each(remove_refresh_tokens);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_refresh_tokens),
        _ => {}
    }
}

/// Returns the settings without plugins, which would be downloaded into the folder again, and without
/// `CLAUDE_CONFIG_DIR`.
///
/// Unreadable settings are copied unchanged: the CLI reports the error.
fn without_plugins_and_folder(settings: Vec<u8>) -> Vec<u8> {
    let text = settings.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&settings);
    let Ok(Value::Object(mut fields)) = serde_json::from_slice(text) else { return settings };
    let plugins = PLUGINS.iter().filter(|name| fields.remove(**name).is_some()).count();
    let env = fields.get_mut("env").and_then(Value::as_object_mut);
    let folder = env.and_then(|env| env.remove("CLAUDE_CONFIG_DIR"));
    if plugins == 0 && folder.is_none() {
        return settings;
    }
    serde_json::to_vec(&fields).unwrap_or(settings)
}

const LOGIN: &str = ".credentials.json";
const STATE: &str = ".claude.json";
/// The older place of the state. The CLI reads this file instead of [`STATE`] if it exists.
const OLD_STATE: &str = ".config.json";
const SETTINGS: &[&str] = &["settings.json", "cowork_settings.json"];
/// The organization's policy as last fetched, which the CLI applies while it can't fetch the policy.
const POLICY: &str = "state/hybrid-settings.json";
const LOGIN_VARIABLES: &[&str] = &["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"];
const LEFT_OUT: &[&str] = &["refreshToken", "refresh_token", "chatHistoryOauth"];
const PLUGINS: &[&str] = &["enabledPlugins", "extraKnownMarketplaces", "additionalMarketplaces"];
/// Some editors write it before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{without_plugins_and_folder, without_refresh_tokens};

    #[test]
    fn no_refresh_token_is_written() {
        let login = json!({
            "claudeAiOauth": {"accessToken": "a", "refreshToken": "b", "expiresAt": 1},
            "chatHistoryOauth": {"accessToken": "f"},
            "mcpOAuth": {"s": {"accessToken": "c", "refreshToken": "d"}, "t": [{"refresh_token": "e"}]},
        });
        let left: Value =
            serde_json::from_slice(&without_refresh_tokens(login.to_string().as_bytes()).unwrap()).unwrap();
        assert_eq!(
            left,
            json!({
                "claudeAiOauth": {"accessToken": "a", "expiresAt": 1},
                "mcpOAuth": {"s": {"accessToken": "c"}, "t": [{}]},
            })
        );
        assert_eq!(without_refresh_tokens(br#"{"claudeAiOauth":{"refreshToken":"b""#), None);
    }

    #[test]
    fn settings_lose_what_would_not_fit() {
        let strip = |text: &str| String::from_utf8(without_plugins_and_folder(text.into())).unwrap();
        let settings = "\u{feff}{\"enabledPlugins\":{},\"additionalMarketplaces\":{},\"model\":\"m\",\"env\":{\"CLAUDE_CONFIG_DIR\":\"x\",\"A\":\"b\"}}";
        assert_eq!(strip(settings), r#"{"env":{"A":"b"},"model":"m"}"#);
        for untouched in [r#"{ "model": "m" }"#, "{", r#"["enabledPlugins"]"#] {
            assert_eq!(strip(untouched), untouched);
        }
    }
}
