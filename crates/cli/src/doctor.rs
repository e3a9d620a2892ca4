//! `agentwire doctor`: reports what would keep sessions from working on this machine, with remedies.

mod login;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use agentwire::{Options, ResolveSettings, ResolvedSettings, Session, resolve_settings};
use agentwire_net::error_chain;
use agentwire_sessions::Sessions;
use agentwire_transport::process::{CliVersion, Launch, locate};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{self, Color, for_terminal, json, line, paint};

/// Check that sessions can run on this machine
///
/// Each failed check has a remedy. The last check starts the CLI without the settings of this folder and without MCP
/// servers, and sends no prompt.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Do not start a session
    #[arg(long)]
    no_session: bool,
}

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

impl Finding {
    fn good(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, ok: true, detail: detail.into(), remedy: "" }
    }

    fn bad(check: &'static str, detail: impl Into<String>, remedy: &'static str) -> Self {
        Self { check, ok: false, detail: detail.into(), remedy }
    }
}

/// Prints each check, and fails if one has failed.
pub fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut is_good, mut printed) = (true, Ok(()));
    let mut report = |finding: Finding| {
        is_good &= finding.ok;
        if printed.is_ok() {
            printed = print(&finding, as_json);
        }
    };
    report(configuration());
    let resolved = resolve_settings(&ResolveSettings::default());
    settings(&resolved).for_each(&mut report);
    report(login::check(Sessions::from_env().as_ref().map(Sessions::folder), &resolved.effective));
    match locate(None) {
        Ok(program) => {
            report(Finding::good("CLI", program.display().to_string()));
            let version = runtime.block_on(version(&program));
            let works = version.ok;
            report(version);
            if works && !args.no_session {
                report(runtime.block_on(session()));
            }
        }
        Err(error) => {
            let remedy = "install Claude Code, or set AGENTWIRE_CLI to its path";
            report(Finding::bad("CLI", error.to_string(), remedy));
        }
    }
    output::end(printed, is_good)
}

fn print(finding: &Finding, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return json(finding);
    }
    let verdict = if finding.ok { paint("ok  ", Color::Green) } else { paint("FAIL", Color::Red) };
    // It may contain the standard error of the CLI.
    let detail = for_terminal(&finding.detail, &io::stdout());
    line(format_args!("{verdict} {}: {detail}", finding.check))?;
    if finding.remedy.is_empty() { Ok(()) } else { line(format_args!("       {}", finding.remedy)) }
}

async fn version(program: &Path) -> Finding {
    let check = "version";
    match CliVersion::ask(&Launch::new(program), LIMIT).await {
        Ok(version) if version < CliVersion::MIN => {
            let detail = format!("{version}, and at least {} is needed", CliVersion::MIN);
            Finding::bad(check, detail, "update Claude Code")
        }
        Ok(version) if TESTED.contains(&&*version.to_string()) => {
            Finding::good(check, format!("{version}, tested"))
        }
        Ok(version) => {
            let detail = format!("{version}, not tested; tested are {}", TESTED.join(" and "));
            let remedy = "usually nothing: unknown messages and fields are kept and never fatal";
            Finding { check, ok: true, detail, remedy }
        }
        Err(error) => Finding::bad(check, error_chain(&error), "run that program by hand with `--version`"),
    }
}

/// Performs the handshake of a session, without a prompt.
async fn session() -> Finding {
    let check = "session";
    // A hook in the settings of the folder would run at the start.
    let options = Options::new().persist_session(false).untrusted_folder();
    let started = Session::builder().options(options).handshake_limit(LIMIT).connect().await;
    match started {
        Ok(session) => {
            let models = session.initialized().models.len();
            // A session without a prompt has nothing to lose at its end.
            let _ = session.close().await;
            Finding::good(check, format!("the CLI answers, and offers {models} models"))
        }
        Err(error) => {
            let remedy = "run `claude` by hand and see what it reports";
            Finding::bad(check, error.report().to_string(), remedy)
        }
    }
}

fn configuration() -> Finding {
    let check = "configuration folder";
    let Some(sessions) = Sessions::from_env() else {
        return Finding::bad(check, "there is no home folder", "set HOME or CLAUDE_CONFIG_DIR");
    };
    let folder = sessions.folder();
    match fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder)) {
        Ok(_) => Finding::good(check, folder.display().to_string()),
        Err(error) => {
            let remedy = "make the folder writable: sessions are stored there";
            Finding::bad(check, format!("{}: {error}", folder.display()), remedy)
        }
    }
}

/// Reports the settings that a session here has, and those that the CLI ignores.
fn settings(resolved: &ResolvedSettings) -> impl Iterator<Item = Finding> {
    let check = "settings";
    let names = resolved.sources.iter().map(|source| match &source.path {
        Some(path) => path.display().to_string(),
        None => "managed settings".to_owned(),
    });
    let faults = resolved.faults.iter().map(|fault| format!("{}: {}", fault.path.display(), fault.why));
    // Sets, because in the home folder the file of the user is that of the project too.
    let (names, faults): (BTreeSet<_>, BTreeSet<_>) = (names.collect(), faults.collect());
    let remedy = "correct the file: the tested CLIs ignore it, or this key if the settings are managed";
    let good = names.into_iter().map(move |name| Finding::good(check, name));
    good.chain(faults.into_iter().map(move |fault| Finding::bad(check, fault, remedy)))
}

/// The versions of the CLI with which the project is tested, oldest first.
const TESTED: &[&str] = &["2.1.197", "2.1.330"];
/// How long the CLI may take for each answer.
const LIMIT: Duration = Duration::from_secs(30);
