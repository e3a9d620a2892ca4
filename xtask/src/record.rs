//! `cargo xtask record`: runs scenarios on the real CLI, and stores what it said as fixtures.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use agentwire_testkit::Transcript;

use crate::args::Args;
use crate::cli;
use crate::failure::{Failure, While as _};
use crate::netns;
use crate::quickstart;
use crate::scenarios;

/// `cargo xtask record [SCENARIO…] [--cli V]`: all of them, unless some are named; on all versions of the CLI that each
/// is for, or on that one.
///
/// A scenario that does not go as it expects leaves its fixture as it was.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let only = args.option("--cli")?;
    let mut names = args.names()?;
    let all = names.is_empty() && only.as_deref().is_none_or(|only| only == cli::CURRENT);
    let quickstart = names.iter().position(|name| name == quickstart::NAME).map(|at| names.remove(at));
    if (all || quickstart.is_some()) && !netns::is_inside()? {
        let transcript = scenarios::with_header(cli::CURRENT, quickstart::run()?);
        for file in quickstart::files()? {
            println!("{}: {}", file.display(), store(&file, transcript.clone())?);
        }
    }
    if quickstart.is_some() && names.is_empty() {
        return Ok(());
    }
    let mut tasks = scenarios::tasks(&names, only.as_deref())?;
    tasks.retain(|task| task.scenario.is_recorded());
    if !netns::is_inside()? {
        scenarios::prepare(&tasks)?;
    }
    netns::within(|| {
        let mut failed = 0;
        for task in &tasks {
            let name = task.name();
            let outcome = task.run().and_then(|(transcript, took)| {
                let changed = store(&task.fixture()?, transcript)?;
                println!("{name}: {changed}, {:.1} s", took.as_secs_f64());
                Ok(())
            });
            if let Err(failure) = outcome {
                failed += 1;
                println!("{name}: FAILED: {failure}");
            }
        }
        if failed == 0 { Ok(()) } else { Err(Failure::new(format!("{failed} failed"))) }
    })
}

/// Writes the fixture; one that would differ in nothing but its day stays as it is.
fn store(file: &Path, mut transcript: Transcript) -> Result<&'static str, Failure> {
    if let Ok(before) = fs::read(file).map_err(Failure::from).and_then(|text| Ok(Transcript::parse(text)?)) {
        transcript.header.recorded.clone_from(&before.header.recorded);
        if transcript == before {
            return Ok("as before");
        }
    }
    transcript.header.recorded = Some(today()?.into());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, transcript.to_bytes()?).while_doing(|| format!("writing {}", file.display()))?;
    Ok("written")
}

/// The day as `2026-11-21`, in UTC.
fn today() -> Result<String, Failure> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    Ok(day(seconds / 86_400))
}

/// The date of a day, counted from 1 January 1970.
fn day(mut days: u64) -> String {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn days_have_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (20_778, "2026-11-21"),
        ] {
            assert_eq!(day(days), date);
        }
        assert_eq!(day(364), "1970-12-31");
        assert_eq!(day(11_016), "2000-02-29");
    }
}
