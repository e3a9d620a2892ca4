//! The counts as a small text file: the toolchain that they belong to, and a line for each kind of work.

use std::fmt::Write as _;
use std::process::Command;

use crate::failure::Failure;
use crate::program;

/// The instructions of each kind of work, by its name.
pub(crate) type Counts = Vec<(String, u64)>;

/// What was recorded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The compiler and the host; other ones count otherwise.
    pub(crate) toolchain: String,
    pub(crate) counts: Counts,
}

impl Record {
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let mut toolchain = None;
        let mut counts = Counts::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, value) =
                line.split_once(": ").ok_or_else(|| Failure::new(format!("`{line}` is no entry")))?;
            if name == TOOLCHAIN {
                toolchain = Some(value.to_owned());
            } else {
                counts.push((name.to_owned(), value.parse()?));
            }
        }
        let toolchain = toolchain.ok_or_else(|| Failure::new("it does not name its toolchain"))?;
        Ok(Self { toolchain, counts })
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = format!("{HEAD}{TOOLCHAIN}: {}\n", self.toolchain);
        for (name, count) in &self.counts {
            // Writing to a string does not fail.
            let _: std::fmt::Result = writeln!(text, "{name}: {count}");
        }
        text
    }

    /// What was counted now, with what was recorded.
    pub(super) fn table(&self, counts: &Counts) -> String {
        let mut text = "\n| instructions | recorded | now | |\n|---|---:|---:|---:|\n".to_owned();
        for (name, now) in counts {
            let (before, change) = match self.of(name) {
                Some(before) => (before.to_string(), format!("{:+.2} %", rise(before, *now))),
                None => ("".to_owned(), "new".to_owned()),
            };
            let _: std::fmt::Result = writeln!(text, "| {name} | {before} | {now} | {change} |");
        }
        text
    }

    /// A sentence for each count that has risen by more than the tolerance, or that only one side has.
    pub(super) fn risen(&self, counts: &Counts) -> Vec<String> {
        let gone = self.counts.iter().filter(|(name, _)| counts.iter().all(|(other, _)| other != name));
        let gone = gone.map(|(name, _)| format!("{name}: recorded, and not counted any more"));
        let risen = counts.iter().filter_map(|(name, now)| match self.of(name) {
            None => Some(format!("{name}: counted, and not recorded")),
            Some(before) if is_over(before, *now) => {
                let by = rise(before, *now);
                Some(format!(
                    "{name}: {now} instructions instead of {before}, {by:.1} % more (at most {TOLERANCE} %)"
                ))
            }
            Some(_) => None,
        });
        risen.chain(gone).collect()
    }

    fn of(&self, name: &str) -> Option<u64> {
        self.counts.iter().find(|(other, _)| other == name).map(|(_, count)| *count)
    }
}

/// Whether a count has risen by more than is tolerated; in whole numbers, so that the bound itself is not.
fn is_over(before: u64, now: u64) -> bool {
    u128::from(now) * 100 > u128::from(before) * u128::from(100 + TOLERANCE)
}

/// By how many per cent it has risen.
fn rise(before: u64, now: u64) -> f64 {
    (now as f64 / before as f64 - 1.0) * 100.0
}

/// The compiler, and what it compiles for.
pub(crate) fn toolchain() -> Result<String, Failure> {
    let told = program::output(Command::new("rustc").arg("-vV"))?;
    let line = |start: &str| told.lines().find_map(|line| line.strip_prefix(start));
    match (told.lines().next(), line("host: ")) {
        (Some(version), Some(host)) => Ok(format!("{version} for {host}")),
        _ => Err(Failure::new("rustc does not say its version and its host")),
    }
}

/// In per cent. Two runs of one program differ by less than a tenth of a per cent, for the seeds of hash tables; but a
/// change elsewhere can move what is inlined, and what that takes or saves is no news.
const TOLERANCE: u64 = 3;
const TOOLCHAIN: &str = "toolchain";
const HEAD: &str = "# Instructions, as callgrind counts them. Written by `cargo xtask instructions --record`; `docs/decisions/0027` says why.\n";

#[cfg(test)]
mod tests {
    use super::Record;

    fn record(counts: &[(&str, u64)]) -> Record {
        let counts = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        Record { toolchain: "rustc 1 for here".to_owned(), counts }
    }

    #[test]
    fn what_is_written_is_read() {
        let written = record(&[("decode, as text", 12), ("a hook", 3)]);
        assert_eq!(Record::parse(&written.to_text()).unwrap(), written);
        assert!(Record::parse("a hook: 3\n").is_err(), "no toolchain");
        assert!(Record::parse("toolchain: x\na hook: few\n").is_err());
        assert!(Record::parse("toolchain: x\na hook\n").is_err());
    }

    #[test]
    fn a_rise_is_told_with_its_size_and_a_fall_is_not() {
        let before = record(&[("a hook", 1000), ("decode", 1000)]);
        assert!(before.risen(&record(&[("a hook", 1030), ("decode", 500)]).counts).is_empty());
        let said = before.risen(&record(&[("a hook", 1041), ("decode", 1000)]).counts);
        assert_eq!(said, ["a hook: 1041 instructions instead of 1000, 4.1 % more (at most 3 %)"]);
    }

    #[test]
    fn what_only_one_side_has_is_told() {
        let said = record(&[("a hook", 1)]).risen(&record(&[("decode", 1)]).counts);
        assert_eq!(said, ["decode: counted, and not recorded", "a hook: recorded, and not counted any more"]);
    }
}
