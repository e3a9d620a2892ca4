//! A tiny reader of command lines; the commands take a few flags each, which is no work for a library.

use crate::failure::Failure;

/// What stands after the command's name.
#[derive(Debug)]
pub(crate) struct Args {
    words: Vec<String>,
    /// Everything after `--`, untouched.
    rest: Option<Vec<String>>,
}

impl Args {
    /// Takes the words after the command's name.
    pub(crate) fn new(words: impl IntoIterator<Item = String>) -> Self {
        let mut words: Vec<String> = words.into_iter().collect();
        let rest = words.iter().position(|word| word == "--").map(|at| {
            let rest = words.split_off(at + 1);
            words.truncate(at);
            rest
        });
        Self { words, rest }
    }

    /// Whether the flag is there; it counts as read.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() != before
    }

    /// The value of `name VALUE` or `name=VALUE`.
    pub(crate) fn option(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let prefix = format!("{name}=");
        let Some(at) = self.words.iter().position(|word| word == name || word.starts_with(&prefix)) else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        if let Some(value) = word.strip_prefix(&prefix) {
            return Ok(Some(value.to_owned()));
        }
        if self.words.get(at).is_none_or(|value| value.starts_with("--")) {
            return Err(Failure::new(format!("`{name}` needs a value")));
        }
        Ok(Some(self.words.remove(at)))
    }

    /// What stands after `--`, untouched; it counts as read.
    pub(crate) fn rest(&mut self) -> Option<Vec<String>> {
        self.rest.take()
    }

    /// What is left, once every flag and option has been read.
    pub(crate) fn names(self) -> Result<Vec<String>, Failure> {
        if let Some(word) = self.words.iter().find(|word| word.starts_with('-')) {
            return Err(Failure::new(format!("there is no option `{word}`")));
        }
        if self.rest.is_some() {
            return Err(Failure::new("nothing is expected after `--`"));
        }
        Ok(self.words)
    }

    /// Fails where anything is left.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self.names()?.first() {
            None => Ok(()),
            Some(word) => Err(Failure::new(format!("`{word}` is not expected here"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Args;

    fn args(line: &str) -> Args {
        Args::new(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn reads_flags_options_and_names() {
        let mut args = args("--full tidy --version 2.1 --to=x layers");
        assert!(args.flag("--full"));
        assert!(!args.flag("--full"));
        assert_eq!(args.option("--version").unwrap().as_deref(), Some("2.1"));
        assert_eq!(args.option("--to").unwrap().as_deref(), Some("x"));
        assert_eq!(args.option("--from").unwrap(), None);
        assert_eq!(args.names().unwrap(), ["tidy", "layers"]);
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        assert!(args("--ful").names().is_err());
        assert!(args("tidy").finish().is_err());
        assert!(args("tidy -- x").names().is_err());
        assert_eq!(args("-- ls -l").rest().unwrap(), ["ls", "-l"]);
        assert!(args("--version").option("--version").is_err());
        assert!(args("--version --path").option("--version").is_err());
    }
}
