//! `cargo xtask view-browser`: pages of sessions in headless Chromium, driven as a reader would.

mod devtools;
mod pages;
mod report;

use std::fs;
use std::path::PathBuf;

use crate::args::Args;
use crate::failure::{Failure, While as _};
use crate::program;
use devtools::Browser;
use pages::{Case, Reader};

/// `cargo xtask view-browser [--screenshots FOLDER]`: fails with everything that a page does wrong.
///
/// Each page is read on a wide screen, on one of 360 pixels, in light and dark, and without scripts.
/// Whatever it asks a network for, writes to the console as an error, or is refused by its policy, is a fault.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let screenshots = args.option("--screenshots")?.map(PathBuf::from);
    args.finish()?;
    let Some(chromium) = PROGRAMS.iter().find_map(|name| program::find(name)) else {
        return Err(Failure::new(format!("none of {} is installed", PROGRAMS.join(", "))));
    };
    if let Some(folder) = &screenshots {
        fs::create_dir_all(folder).while_doing(|| format!("making {}", folder.display()))?;
    }
    let folder = pages::folder()?;
    let mut browser = Browser::start(&chromium, &folder)?;
    let mut faults = Vec::new();
    let mut checks = 0;
    let cases = Case::all()?;
    for case in &cases {
        // A long page takes a browser seconds to load; it is the same page for every reader.
        let readers = if case.html.len() > LONG { &Reader::ALL[..1] } else { &Reader::ALL[..] };
        for reader in readers.iter().copied() {
            let seen = report::read(&mut browser, case, reader, screenshots.as_deref())
                .while_doing(|| format!("{}, {}", case.name, reader.name))?;
            checks += seen.checks;
            faults.extend(
                seen.faults.into_iter().map(|fault| format!("{}, {}: {fault}", case.name, reader.name)),
            );
        }
    }
    if let Some(case) = cases.first() {
        faults.extend(report::self_test(&mut browser, case)?);
    }
    browser.close()?;
    if faults.is_empty() {
        println!("    {checks} checks in Chromium, no fault");
        return Ok(());
    }
    Err(Failure::new(format!("{} faults\n  {}", faults.len(), faults.join("\n  "))))
}

const LONG: usize = 1 << 20;

/// What Chromium is called, on Debian first.
pub(crate) const PROGRAMS: &[&str] =
    &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
