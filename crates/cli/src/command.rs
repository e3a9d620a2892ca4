//! The command line, and what each command runs.

use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory as _, Parser};

use crate::failure::Failure;
use crate::{check, decode, doctor, drift, mock, output, record, replay, run, sessions, view, wire};

/// Runs, records, replays, checks and reads sessions of the Claude Code CLI
#[derive(Debug, Parser)]
#[command(name = "agentwire", version, after_help = ENVIRONMENT)]
pub struct CommandLine {
    /// Print JSON, one object per line
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Doctor(doctor::Args),
    Run(run::Args),
    Record(record::Args),
    Replay(replay::Args),
    Check(check::Args),
    View(view::Args),
    Decode(decode::Args),
    Wire(wire::Args),
    Drift(drift::Args),
    Sessions(sessions::Args),
    #[cfg(feature = "hub")]
    Hub(crate::hub::Args),
    Mock(mock::Args),
    /// Print the completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

impl CommandLine {
    /// Parses the arguments of this program. Help and version are printed, and are no command.
    /// The error is one line, about the first wrong argument.
    pub fn read() -> Result<Option<Self>, Failure> {
        match Self::try_parse() {
            Ok(line) => Ok(Some(line)),
            Err(error) => match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                    output::write(error.to_string().as_bytes())?;
                    Ok(None)
                }
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                    output::note(error.to_string().trim_end());
                    Err(Failure::exit(2))
                }
                _ => Err(Failure::new(one_line(&error))),
            },
        }
    }

    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        let json = self.json;
        match self.command {
            Command::Doctor(args) => doctor::run(&args, json),
            Command::Run(args) => run::run(&args, json),
            Command::Record(args) => record::run(&args),
            Command::Replay(args) => replay::run(&args),
            Command::Check(args) => check::run(&args, json),
            Command::View(args) => view::run(&args, json),
            Command::Decode(args) => decode::run(&args),
            Command::Wire(args) => wire::run(&args, json),
            Command::Drift(args) => drift::run(&args, json),
            Command::Sessions(args) => sessions::run(&args, json),
            #[cfg(feature = "hub")]
            Command::Hub(args) => crate::hub::run(&args, json),
            Command::Mock(args) => mock::run(&args, json),
            Command::Completions { shell } => {
                let mut text = Vec::new();
                clap_complete::generate(shell, &mut Self::command(), "agentwire", &mut text);
                output::write(&text)
            }
        }
    }
}

/// Returns the message of a wrong argument in one line, without the usage.
fn one_line(error: &clap::Error) -> String {
    let rendered = error.to_string();
    let message = rendered.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = message.trim_start_matches("error: ").split_whitespace().collect();
    let suggested =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let similar =
        suggested.into_iter().find_map(|kind| error.get(kind)).map(|name| format!(" (did you mean {name}?)"));
    format!("{}{}; see --help", words.join(" "), similar.unwrap_or_default())
}

const ENVIRONMENT: &str = "\
Environment:
  AGENTWIRE_CLI=PATH     the Claude Code CLI; by default it is searched in PATH
  AGENTWIRE_RECORD=PATH  act as the CLI, and record the session in this file or folder
  AGENTWIRE_REPLAY=FILE  act as the CLI, and play this transcript
  NO_COLOR=1             no colors

Exit codes: 0 success, 1 findings, 2 bad input.";

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::CommandLine;

    #[test]
    fn command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }
}
