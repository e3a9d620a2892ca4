//! `agentwire doctor`: what would keep sessions from working on this machine, with remedies.

use std::{env, fs, path::PathBuf, time::Duration};

use agentwire_transport::process::{CliVersion, Launch, locate};
use serde::Serialize;

use crate::{
    failure::Failure,
    output::{json, line},
};

/// Checks that sessions can run on this machine
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object per check
    #[arg(long)]
    json: bool,
}

/// The versions of the CLI with which the project is tested, oldest first.
const TESTED: &[&str] = &["2.1.197", "2.1.330"];

/// How long the CLI may take to print its version.
const LIMIT: Duration = Duration::from_secs(10);

/// The finding of one check.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    ok: bool,
    detail: String,
    /// What to do; empty if nothing is to be done.
    #[serde(skip_serializing_if = "str::is_empty")]
    remedy: &'static str,
}

/// Prints each check, and fails if one has failed.
///
/// # Errors
///
/// A failed check, which is reported.
pub fn run(args: &Args) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut findings = runtime.block_on(cli());
    findings.extend([login(), configuration()]);
    for finding in &findings {
        if args.json {
            json(finding)?;
            continue;
        }
        let verdict = if finding.ok { "ok  " } else { "FAIL" };
        line(format_args!("{verdict} {}: {}", finding.check, finding.detail))?;
        if !finding.remedy.is_empty() {
            line(format_args!("       {}", finding.remedy))?;
        }
    }
    if findings.iter().all(|finding| finding.ok) { Ok(()) } else { Err(Failure::already_reported()) }
}

async fn cli() -> Vec<Finding> {
    let program = match locate(None) {
        Ok(program) => program,
        Err(error) => {
            let remedy = "install Claude Code, or set AGENTWIRE_CLI to its path";
            return vec![Finding { check: "CLI", ok: false, detail: error.to_string(), remedy }];
        }
    };
    let found = Finding { check: "CLI", ok: true, detail: program.display().to_string(), remedy: "" };
    let version = CliVersion::ask(&Launch::new(&program), LIMIT).await;
    let version = match version.and_then(|version| version.at_least(CliVersion::MIN)) {
        Ok(version) => {
            let is_tested = TESTED.contains(&&*version.to_string());
            let remedy = if is_tested {
                ""
            } else {
                "this version is not tested; others work as far as they are compatible"
            };
            Finding { check: "version", ok: true, detail: version.to_string(), remedy }
        }
        Err(error) => {
            Finding { check: "version", ok: false, detail: error.to_string(), remedy: "update Claude Code" }
        }
    };
    vec![found, version]
}

/// Looks for the sign of a login, and reads none.
fn login() -> Finding {
    let set = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];
    let by_variable = set.into_iter().find(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    let by_file = folder().map(|folder| folder.join(".credentials.json")).filter(|file| file.exists());
    let detail = match (by_variable, by_file) {
        (Some(name), _) => format!("by {name}"),
        (None, Some(file)) => format!("by {}", file.display()),
        (None, None) => "no key and no login was found".to_owned(),
    };
    let ok = by_variable.is_some() || detail.starts_with("by ");
    // On macOS the login is in the keychain.
    let is_hidden = cfg!(target_os = "macos");
    let remedy = if ok { "" } else { "run `claude` and log in, or set ANTHROPIC_API_KEY" };
    Finding { check: "login", ok: ok || is_hidden, detail, remedy }
}

fn configuration() -> Finding {
    let check = "configuration";
    let Some(folder) = folder() else {
        let remedy = "set HOME or CLAUDE_CONFIG_DIR";
        return Finding { check, ok: false, detail: "there is no home folder".to_owned(), remedy };
    };
    let writable = fs::create_dir_all(&folder).and_then(|()| tempfile::tempfile_in(&folder));
    match writable {
        Ok(_) => Finding { check, ok: true, detail: folder.display().to_string(), remedy: "" },
        Err(error) => {
            let detail = format!("{}: {error}", folder.display());
            Finding {
                check,
                ok: false,
                detail,
                remedy: "make the folder writable: sessions are stored there",
            }
        }
    }
}

fn folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CLAUDE_CONFIG_DIR").or_else(|| Some(set("HOME")?.join(".claude")))
}
