//! `cargo xtask view-browser`: pages of sessions in headless Chromium, driven by `playwright-core`.

mod pages;

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::failure::{Failure, While as _};
use crate::npm::Script;
use crate::program;

/// Checks pages of recorded sessions in headless Chromium
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write screenshots into this folder
    #[arg(long)]
    screenshots: Option<PathBuf>,
}

/// Fails with everything that a page does wrong.
///
/// Each page is read on a wide screen, on one of 360 pixels, in light and dark, and without scripts.
/// A request, a message on the console and a violation of the page's policy are faults.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let folder = pages::folder()?;
    let text = json!({"cases": pages::write(&folder)?, "folder": folder, "screenshots": args.screenshots});
    check(&SCRIPT, &folder, &text)
}

/// Runs a script with Chromium and a case, which it finds in `case.json` of the folder, and fails with its faults.
pub(crate) fn check(script: &Script, folder: &Path, case: &Value) -> Result<(), Failure> {
    let Some(chromium) = PROGRAMS.iter().find_map(|name| program::find(name)) else {
        return Err(Failure::new(format!("none of {} is installed", PROGRAMS.join(", "))));
    };
    let file = folder.join("case.json");
    fs::write(&file, case.to_string()).while_doing(|| format!("writing {}", file.display()))?;
    let output = program::output(script.command()?.arg(chromium).arg(file))?;
    let report: Report = serde_json::from_str(&output).while_doing(|| "reading the report".to_owned())?;
    if report.faults.is_empty() {
        println!("    {} checks in Chromium, no fault", report.checks);
        return Ok(());
    }
    Err(Failure::new(format!("{} faults\n  {}", report.faults.len(), report.faults.join("\n  "))))
}

#[derive(Deserialize)]
struct Report {
    checks: u64,
    faults: Vec<String>,
}

const SCRIPT: Script = Script { package: PLAYWRIGHT, file: "package.json", name: "view-browser.mjs" };

/// The package that drives Chromium.
pub(crate) const PLAYWRIGHT: (&str, &str) = ("playwright-core", "1.65.1");

/// The names of Chromium's program, that of Debian first.
pub(crate) const PROGRAMS: &[&str] =
    &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
