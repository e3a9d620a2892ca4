//! Commands in the guides: `cargo xtask` and `agentwire` accept the arguments, and each example exists.

use clap::{Parser as _, error::ErrorKind};

use super::super::Finding;
use super::super::sources::Source;
use super::{finding, is_guide, spans};
use agentwire_cli::command::CommandLine;

pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for guide in sources.iter().filter(|source| is_guide(&source.path)) {
        for (line, _, command) in spans(&guide.text) {
            findings.extend(fault(command, sources).map(|what| finding(&guide.path, line, what)));
        }
    }
    findings
}

/// Returns the fault of a command, if it is one of ours and has a fault.
fn fault(command: &str, sources: &[Source]) -> Option<String> {
    let words = words(command);
    let error = match &words[..] {
        ["cargo", "xtask", _, ..] => crate::wrong_arguments(&words[1..]),
        ["agentwire", _, ..] => CommandLine::try_parse_from(&words).err(),
        ["cargo", "run", options @ ..] => return missing_example(options, sources),
        _ => None,
    }?;
    let is_wrong = match error.kind() {
        ErrorKind::UnknownArgument => true,
        // A word in capitals stands for any value.
        ErrorKind::InvalidSubcommand | ErrorKind::InvalidValue => {
            !words.iter().any(|word| is_placeholder(word))
        }
        // A text that names a command leaves out its arguments.
        _ => false,
    };
    is_wrong.then(|| error.to_string().lines().next().unwrap_or_default().to_owned())
}

/// Splits a command at spaces outside of quotes, without variables in front and a comment behind.
fn words(command: &str) -> Vec<&str> {
    let command = command.split(" #").next().unwrap_or_default();
    let parts = command.split('"').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.skip_while(|word| word.contains('=')).collect()
}

fn is_placeholder(word: &str) -> bool {
    word.starts_with('<') || word.starts_with(char::is_uppercase) && !word.contains(char::is_lowercase)
}

fn missing_example(options: &[&str], sources: &[Source]) -> Option<String> {
    let value = |name| options.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
    let example = value("--example")?;
    let package = value("-p").map_or("", |package| package.strip_prefix("agentwire-").unwrap_or(package));
    let files = [format!("{package}/examples/{example}.rs"), format!("{package}/examples/{example}/main.rs")];
    let is_there = sources.iter().any(|source| files.iter().any(|file| source.path.ends_with(file)));
    (!is_there && !is_placeholder(example)).then(|| format!("there is no example `{example}`"))
}

#[cfg(test)]
mod tests {
    use super::super::super::sources::Source;
    use super::findings;

    fn found(text: &str) -> usize {
        let example = Source::new("crates/addons/worker/examples/local.rs", "");
        findings(&[example, Source::new("docs/guide.md", text)]).len()
    }

    #[test]
    fn wrong_command_is_found() {
        for text in [
            "`cargo xtask polish`",
            "```sh\ncargo xtask tidy --mend   # words\n```",
            "`cargo xtask ci no-such-step`",
            "`agentwire tell`",
            "```sh\nAGENTWIRE_CLI=/x agentwire doctor --loud\n```",
            "`cargo run -p agentwire-worker --example remote`",
            "`cargo run -p agentwire --example local`",
        ] {
            assert_eq!(found(text), 1, "{text}");
        }
    }

    #[test]
    fn right_command_and_other_text_pass() {
        for text in [
            "`cargo xtask COMMAND`, `cargo xtask ci --full` and `cargo xtask services -- COMMAND`",
            "```sh\nagentwire run \"Two words.\"   # a prompt\n```",
            "`agentwire completions SHELL` and `agentwire view`",
            "`cargo run -p agentwire-worker --example local -- state`",
            "agentwire tells nothing, and `agentwire` neither",
        ] {
            assert_eq!(found(text), 0, "{text}");
        }
    }
}
