//! The part of a configuration that a user trusts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{Configured, Endpoint, Input, Launch, Patterns, Stdio};

impl Configured {
    /// Returns the SHA-256, in hexadecimal, of everything that decides which program runs, where it connects, and which
    /// tools are called without approval: the file, name, command, arguments, working directory, environment,
    /// `envFile`, URL, headers, `watchPaths`, lists of tools, and the `inputs` of the file if the server uses some.
    ///
    /// It covers the text as written. Values of variables, the content of programs and of the `envFile` are not part
    /// of it.
    pub fn fingerprint(&self) -> String {
        let Self { name, origin, config, written, .. } = self;
        let file = origin.file().map(|file| file.as_os_str().as_encoded_bytes());
        let launch = match &config.launch {
            Launch::Stdio(Stdio { command, args, cwd, env, env_file }) => {
                json!(["stdio", command, args, cwd, env, env_file])
            }
            Launch::Http(Endpoint { url, headers }) => json!(["http", url, headers]),
            Launch::Sse(Endpoint { url, headers }) => json!(["sse", url, headers]),
        };
        // The order of patterns has no meaning.
        let patterns = |patterns: &Patterns| patterns.iter().map(str::to_owned).collect::<BTreeSet<_>>();
        let tools = [Some(&config.always_allow), Some(&config.disabled_tools), config.enabled_tools.as_ref()];
        let inputs =
            config.launch.asks().then(|| written.inputs.values().map(input).collect::<BTreeMap<_, _>>());
        // Arrays only: the order of an object's fields depends on a feature of `serde_json`.
        let parts = json!([
            name.as_str(),
            file,
            launch,
            config.watch_paths,
            tools.map(|tools| tools.map(patterns)),
            inputs
        ]);
        Sha256::digest(parts.to_string()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the fingerprint of this configuration without a tool in its lists, in any spelling.
    pub fn fingerprint_without(&self, tool: &str) -> String {
        let mut other = self.clone();
        let config = &mut other.config;
        config.always_allow = config.always_allow.without(tool);
        config.disabled_tools = config.disabled_tools.without(tool);
        config.enabled_tools = config.enabled_tools.as_ref().map(|some| some.without(tool));
        other.fingerprint()
    }
}

/// Returns the id of an input, and its other fields as the file has them.
fn input(
    Input { server: _, id, description, default, options, password }: &Input,
) -> (&str, serde_json::Value) {
    (id, json!([description, default, options, password]))
}

impl Launch {
    /// Returns whether the server uses an input.
    fn asks(&self) -> bool {
        let asks = |text: &String| text.contains("${input:");
        match self {
            Self::Stdio(Stdio { command, args, cwd, env, env_file }) => {
                [Some(command), cwd.as_ref(), env_file.as_ref()].into_iter().flatten().any(asks)
                    || args.iter().chain(env.values()).any(asks)
            }
            Self::Http(Endpoint { url, headers }) | Self::Sse(Endpoint { url, headers }) => {
                asks(url) || headers.values().any(asks)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, sync::Arc};

    use super::*;
    use crate::{Origin, ServerConfig, ServerName, server::Written};

    #[test]
    fn fingerprint_of_a_definition_is_stable() {
        let mut stdio = Stdio::new("git");
        stdio.args.push("${input:t}".to_owned());
        stdio.env.insert("A".to_owned(), "b".to_owned());
        let mut config = ServerConfig::new(stdio);
        config.always_allow = ["y", "x"].into_iter().collect();
        let origin = Origin::Global(Arc::new("/m".into()));
        let mut configured = Configured::new(ServerName::from("a"), origin, config);
        let mut input = Input::new("t");
        (input.description, input.options, input.password) =
            (Some("Token".to_owned()), vec!["1".to_owned()], true);
        let inputs = Arc::new(HashMap::from([("t".to_owned(), input)]));
        configured.written = Arc::new(Written { inputs, ..Written::default() });
        // Another one would revoke the trust of users.
        let expected = "34765bc6f79c11cadae2671b76fbe20bf26ff49fe55d7a8d59117f0b36dd8880";
        assert_eq!(configured.fingerprint(), expected);
    }

    /// Returns the fingerprint of a server in a file with the input `t`, which has this default answer.
    fn fingerprint(launch: impl Into<Launch>, default: &str) -> String {
        let mut input = Input::new("t");
        input.default = Some(default.to_owned());
        let inputs = Arc::new(HashMap::from([("t".to_owned(), input)]));
        let origin = Origin::Project(Arc::new("/m".into()));
        let mut configured = Configured::new(ServerName::from("a"), origin, ServerConfig::new(launch));
        configured.written = Arc::new(Written { inputs, ..Written::default() });
        configured.fingerprint()
    }

    #[test]
    fn url_and_headers_are_part_of_the_fingerprint() {
        for launch in [Launch::Http as fn(Endpoint) -> Launch, Launch::Sse] {
            let trusted = Endpoint::new("https://h/mcp");
            let mut with_header = trusted.clone();
            with_header.headers.insert("Authorization".to_owned(), "Bearer a".to_owned());
            for other in [Endpoint::new("https://i/mcp"), with_header] {
                assert_ne!(fingerprint(launch(trusted.clone()), "1"), fingerprint(launch(other), "1"));
            }
        }
    }

    #[test]
    fn inputs_are_part_of_the_fingerprint_wherever_the_server_uses_one() {
        let asking = "${input:t}".to_owned();
        let variables = BTreeMap::from([("A".to_owned(), asking.clone())]);
        let mut with_header = Endpoint::new("https://h/mcp");
        with_header.headers.clone_from(&variables);
        let launches = [
            Launch::Stdio(Stdio::new(asking.clone())),
            Launch::Stdio(Stdio { args: vec![asking.clone()], ..Stdio::new("git") }),
            Launch::Stdio(Stdio { cwd: Some(asking.clone()), ..Stdio::new("git") }),
            Launch::Stdio(Stdio { env: variables, ..Stdio::new("git") }),
            Launch::Stdio(Stdio { env_file: Some(asking.clone()), ..Stdio::new("git") }),
            Launch::Http(Endpoint::new(asking)),
            Launch::Sse(with_header),
        ];
        for (n, launch) in launches.into_iter().enumerate() {
            assert_ne!(fingerprint(launch.clone(), "1"), fingerprint(launch, "2"), "{n}");
        }
        assert_eq!(fingerprint(Stdio::new("git"), "1"), fingerprint(Stdio::new("git"), "2"));
    }
}
