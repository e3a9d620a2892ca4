//! `agentwire wire OPTIONS.json`: the command line and the handshake of options.

use std::fs;
use std::path::PathBuf;

use agentwire::{LaunchPlan, Options};
use serde_json::{Map, Value, json};

use crate::failure::{Failure, While as _};
use crate::output::{self, line, note};

/// Print the command line and the handshake of a file of options, as JSON
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file of options, such as {"model": "opus", "maxTurns": 3}; docs/options-table.md lists them
    options: PathBuf,
}

/// Prints `{"argv": […], "env": {…}, "initialize": {…}}`.
///
/// The command line is without the program, the environment has only set variables, and the handshake is the request with
/// its subtype; callbacks and servers in the program are no part of the file.
/// The path of a file that only the CLI may read is `<private>/NAME`, since there is none before the start.
/// What each prompt gets is `user`, where there is anything; warnings go to stderr.
pub fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let file = args.options.display();
    let text = fs::read_to_string(&args.options).while_doing(|| format!("reading {file}"))?;
    let options: Options =
        serde_json::from_str(&text).while_doing(|| format!("reading the options in {file}"))?;
    let lowered = options
        .to_launch_plan()
        .while_doing(|| format!("building the launch plan of the options in {file}"))?;
    for warning in &lowered.warnings {
        note(format_args!("warning: {warning}"));
    }
    let wire = wire(&lowered)?;
    if as_json { output::json(&wire) } else { line(format_args!("{wire:#}")) }
}

fn wire(lowered: &LaunchPlan) -> Result<Value, Failure> {
    let mut initialize = Map::from_iter([("subtype".to_owned(), json!("initialize"))]);
    let sent =
        serde_json::to_value(&lowered.initialize).while_doing(|| "writing the handshake".to_owned())?;
    initialize.extend(sent.as_object().cloned().unwrap_or_default());
    let mut wire = json!({"argv": lowered.args, "env": lowered.env, "initialize": initialize});
    if lowered.client_composed {
        wire["user"] = json!({"client_composed": true});
    }
    Ok(wire)
}

#[cfg(test)]
mod tests {
    use agentwire::Options;
    use serde_json::json;

    use super::wire;

    #[test]
    fn an_empty_file_gives_the_defaults() {
        let options: Options = serde_json::from_str("{}").unwrap();
        let wire = wire(&options.to_launch_plan().unwrap()).unwrap();
        assert_eq!(wire["initialize"], json!({"subtype": "initialize", "systemPrompt": [""]}));
        assert_eq!(wire["argv"].as_array().unwrap().len(), 5);
        let keys: Vec<&String> = wire.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["argv", "env", "initialize"]);
    }

    #[test]
    fn verbatim_prompts_are_shown_where_they_are_sent() {
        let options: Options = serde_json::from_str(r#"{"verbatimPrompts": true}"#).unwrap();
        assert_eq!(
            wire(&options.to_launch_plan().unwrap()).unwrap()["user"],
            json!({"client_composed": true})
        );
    }
}
