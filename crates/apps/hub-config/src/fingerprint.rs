//! The part of a configuration that a user trusts.

use sha2::{Digest as _, Sha256};

use super::{Configured, Endpoint, Launch, Patterns, Stdio};

impl Configured {
    /// Returns the SHA-256, in hexadecimal, of everything that decides which program runs, where it connects, and which
    /// tools are called without approval: the file, name, command, arguments, working directory, environment, URL,
    /// headers, lists of tools, and the `inputs` of the file if the server uses some.
    ///
    /// It covers the text as written. Values of variables, the content of programs and of the `envFile` are not part
    /// of it.
    pub fn fingerprint(&self) -> String {
        let Self { name, origin, config, written, .. } = self;
        let mut digest = Digest(Sha256::new());
        digest.text(name.as_str());
        digest.bytes(origin.file().map_or(&[], |file| file.as_os_str().as_encoded_bytes()));
        match &config.launch {
            Launch::Stdio(stdio) => digest.stdio(stdio),
            Launch::Http(endpoint) => digest.endpoint("http", endpoint),
            Launch::Sse(endpoint) => digest.endpoint("sse", endpoint),
        }
        digest.all(&config.watch_paths);
        digest.patterns(Some(&config.always_allow));
        digest.patterns(Some(&config.disabled_tools));
        digest.patterns(config.enabled_tools.as_ref());
        if config.launch.asks() {
            let mut inputs: Vec<_> = written.inputs.values().map(|input| format!("{input:?}")).collect();
            inputs.sort();
            digest.all(&inputs);
        }
        digest.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
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

/// A hash of fields, each with its length before it, so that no text can move from one field to another.
struct Digest(Sha256);

impl Digest {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn maybe(&mut self, text: Option<&String>) {
        self.all(text.map(std::slice::from_ref).unwrap_or_default());
    }

    fn all(&mut self, texts: &[String]) {
        self.0.update((texts.len() as u64).to_le_bytes());
        texts.iter().for_each(|text| self.text(text));
    }

    fn pairs<'a>(&mut self, pairs: impl IntoIterator<Item = (&'a String, &'a String)>) {
        let texts: Vec<_> =
            pairs.into_iter().flat_map(|(name, value)| [name.clone(), value.clone()]).collect();
        self.all(&texts);
    }

    fn stdio(&mut self, Stdio { command, args, cwd, env, env_file }: &Stdio) {
        self.text("stdio");
        self.text(command);
        self.all(args);
        self.maybe(cwd.as_ref());
        self.pairs(env);
        self.maybe(env_file.as_ref());
    }

    fn endpoint(&mut self, transport: &str, Endpoint { url, headers }: &Endpoint) {
        self.text(transport);
        self.text(url);
        self.pairs(headers);
    }

    /// Hashes patterns regardless of their order, which has no meaning.
    fn patterns(&mut self, patterns: Option<&Patterns>) {
        self.text(if patterns.is_some() { "some" } else { "none" });
        let mut texts: Vec<_> = patterns.into_iter().flat_map(Patterns::iter).map(str::to_owned).collect();
        texts.sort();
        texts.dedup();
        self.all(&texts);
    }
}
