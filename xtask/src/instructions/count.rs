//! Counting: the same work done so many times and twice as many, under callgrind; the difference is the work's own.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::VALGRIND;
use super::record::Counts;
use crate::failure::{Failure, While as _};
use crate::program;
use crate::workspace;

/// One kind of work.
struct Work {
    /// What the table calls it.
    name: &'static str,
    /// What the program calls it.
    word: &'static str,
    /// Whether it reads the part of the stream.
    reads: bool,
    /// How often it is done in the shorter run.
    times: u64,
}

/// The program, built, and what it reads.
pub(super) struct Counter {
    program: PathBuf,
    part: PathBuf,
}

impl Counter {
    /// Builds the program, and has it write down what it decodes.
    pub(super) fn build() -> Result<Self, Failure> {
        let mut cargo = program::cargo()?;
        cargo.args([
            "build",
            "--quiet",
            "--profile",
            PROFILE,
            "--package",
            "agentwire-benches",
            "--bin",
            PROGRAM,
        ]);
        cargo.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
        // Instructions of this one machine, such as `target-cpu=native`, would be others on the next.
        cargo.env_remove("RUSTFLAGS");
        let told = program::output(&mut cargo)?;
        let program =
            executable(&told).ok_or_else(|| Failure::new("cargo does not say what it has built"))?;
        let folder = workspace::root()?.join("target").join("instructions");
        fs::create_dir_all(&folder).while_doing(|| format!("making {}", folder.display()))?;
        let part = folder.join("part.jsonl");
        program::output(Command::new(&program).arg("part").arg(&part))?;
        Ok(Self { program, part })
    }

    pub(super) fn count_all(&self) -> Result<Counts, Failure> {
        WORK.iter().map(|work| Ok((work.name.to_owned(), self.count(work)?))).collect()
    }

    /// The instructions of the work, done once.
    fn count(&self, work: &Work) -> Result<u64, Failure> {
        let few = self.collected(work, work.times)?;
        let many = self.collected(work, work.times * 2)?;
        let more = many.checked_sub(few).ok_or_else(|| Failure::new("twice the work took less"))?;
        Ok(more / work.times)
    }

    /// The instructions of a whole run.
    fn collected(&self, work: &Work, times: u64) -> Result<u64, Failure> {
        let mut words: Vec<OsString> = vec![work.word.into()];
        if work.reads {
            words.push(self.part.clone().into());
        }
        words.push(times.to_string().into());
        let mut valgrind = Command::new(VALGRIND);
        valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&self.program).args(words);
        let shown = program::show(&valgrind);
        let output = valgrind.stdin(Stdio::null()).output().while_doing(|| format!("running `{shown}`"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(Failure::new(format!(
                "`{shown}` ended with {}:\n{}",
                output.status,
                said.trim_end()
            )));
        }
        collected(&said)
            .ok_or_else(|| Failure::new(format!("`{shown}` does not say what it counted:\n{said}")))
    }
}

/// What callgrind says at its end: `==7== Collected : 123`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().rev().find_map(|line| line.split_once(" Collected : "))?;
    line.1.trim().parse().ok()
}

/// The program that cargo has built, of the lines of JSON that it tells.
fn executable(told: &str) -> Option<PathBuf> {
    let messages = told.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let built = messages.filter(|message| message["target"]["name"] == PROGRAM);
    let mut paths = built.filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    paths.next_back()
}

/// The numbers of times are as small as the seeds of hash tables allow: callgrind takes fifty times as long as the machine.
const WORK: &[Work] = &[
    Work { name: "decode 2 MB through the codec, event as text", word: "decode-text", reads: true, times: 2 },
    Work { name: "decode 2 MB through the codec, event typed", word: "decode-typed", reads: true, times: 2 },
    Work { name: "one hook through a session", word: "hook", reads: false, times: 2000 },
];
const PROFILE: &str = "counted";
const PROGRAM: &str = "counted";

#[cfg(test)]
mod tests {
    use super::{collected, executable};

    #[test]
    fn what_callgrind_says_is_read() {
        let said = "==9== Events    : Ir\n==9== Collected : 4711\n==9== \n==9== I   refs:      4,711\n";
        assert_eq!(collected(said), Some(4711));
        assert_eq!(collected("valgrind: no such tool\n"), None);
    }

    #[test]
    fn the_program_is_found_among_what_cargo_says() {
        let artifact = |name: &str, path: &str| {
            serde_json::json!({"reason": "compiler-artifact", "target": {"name": name}, "executable": path})
                .to_string()
        };
        let told = [artifact("counted", "/t/counted"), artifact("build-script", "/t/other")].join("\n");
        assert_eq!(executable(&told).unwrap().to_str(), Some("/t/counted"));
        assert_eq!(executable("{\"reason\":\"build-finished\"}\n"), None);
    }
}
