//! The marks of listing stored sessions: 10,000 sparse files of 1 MB, against a bare loop over the same files.

use std::{
    error::Error,
    fs::{self, File},
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
    process::ExitCode,
    time::Instant,
};

use agentwire_benches::{
    marks::{LIST, LIST_FEW, LIST_HEAP, median},
    memory::HEAP,
    words::{ended, value},
};
use agentwire_sessions::{Page, Sessions};

pub(crate) fn run(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let rounds = value(words, "--rounds").map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
    let folder = tempfile::tempdir()?;
    write(folder.path())?;
    let sessions = Sessions::at(folder.path());
    let mut runs = Vec::new();
    for number in 0..=rounds {
        let run = Run::measure(folder.path(), &sessions)?;
        // The first one brings the files into the machine's memory.
        if number > 0 {
            runs.push(run);
        }
    }
    Ok(ended(words, marks(&runs)))
}

/// One round, in seconds and bytes.
struct Run {
    both: f64,
    stats: f64,
    all: f64,
    few: f64,
    heap: usize,
}

impl Run {
    fn measure(folder: &Path, sessions: &Sessions) -> Result<Self, Box<dyn Error>> {
        let (both, read) = timed(|| bare(folder, true))?;
        HEAP.reset_peak_usage();
        let (all, listed) = timed(|| Ok(sessions.list(Page::ALL)?))?;
        let heap = HEAP.peak_usage().saturating_sub(HEAP.current_usage());
        let (stats, statted) = timed(|| bare(folder, false))?;
        let (few, newest) = timed(|| Ok(sessions.list(Page::first(FEW))?))?;
        if (read, statted, listed.len(), newest.len()) != (COUNT, COUNT, COUNT, FEW) {
            return Err("not all sessions were seen".into());
        }
        Ok(Self { both, stats, all, few, heap })
    }
}

type Time = fn(&Run) -> f64;

fn timed<T>(work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(f64, T), Box<dyn Error>> {
    let started = Instant::now();
    let done = work()?;
    Ok((started.elapsed().as_secs_f64(), done))
}

/// Stats each file, and reads its first and its last 64 KiB if asked to.
fn bare(folder: &Path, read: bool) -> Result<usize, Box<dyn Error>> {
    let (mut seen, mut buffer) = (0, vec![0; END]);
    for project in fs::read_dir(folder.join("projects"))? {
        for file in fs::read_dir(project?.path())? {
            let path = file?.path();
            let length = fs::metadata(&path)?.len();
            if read {
                let mut file = File::open(&path)?;
                file.read_exact(&mut buffer)?;
                file.seek(SeekFrom::Start(length - END as u64))?;
                file.read_exact(&mut buffer)?;
            }
            seen += 1;
        }
    }
    Ok(seen)
}

/// Writes the sessions: some lines at the start and the end of each, and nothing between.
fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    for number in 0..COUNT {
        let project = folder.join(format!("projects/-srv-project-{}", number % PROJECTS));
        fs::create_dir_all(&project)?;
        let id = format!("00000000-0000-4000-8000-{number:012x}");
        let entry = |text: &str| {
            format!(
                concat!(
                    r#"{{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/srv/project","#,
                    r#""sessionId":"{}","version":"2.1.330","gitBranch":"main","type":"user","message":"#,
                    r#"{{"role":"user","content":"{} {}"}},"uuid":"{}","timestamp":"2026-01-01T00:00:00.000Z"}}"#,
                    "\n"
                ),
                id, text, number, id
            )
        };
        let (head, tail) =
            (entry("Make it work, then make it right.").repeat(LINES), entry("More.").repeat(LINES));
        let mut file = File::create(project.join(format!("{id}.jsonl")))?;
        file.write_all(head.as_bytes())?;
        file.set_len(LENGTH)?;
        file.seek(SeekFrom::Start(LENGTH - tail.len() as u64))?;
        file.write_all(tail.as_bytes())?;
    }
    Ok(())
}

/// Prints the table, and gives the number of marks that were missed.
fn marks(runs: &[Run]) -> usize {
    let middle = |what: Time| median(runs.iter().map(what).collect());
    println!("\n| {COUNT} stored sessions | ms |\n|---|---:|");
    let rows: [(&str, Time); 4] = [
        ("stat each, read both ends", |run| run.both),
        ("list all", |run| run.all),
        ("stat each", |run| run.stats),
        ("list the newest ten", |run| run.few),
    ];
    for (what, time) in rows {
        println!("| {what} | {:.1} |", middle(time) * 1e3);
    }
    println!("\n| mark | bound | measured | |\n|---|---:|---:|---|");
    let marks = [
        ("list all / stat each, read both ends", LIST, middle(|run| run.all / run.both)),
        ("list the newest ten / stat each", LIST_FEW, middle(|run| run.few / run.stats)),
        ("MB of heap beside the list itself", LIST_HEAP, middle(|run| run.heap as f64 / 1e6)),
    ];
    let mut missed = 0;
    for (what, bound, value) in marks {
        let holds = bound.holds(value);
        missed += usize::from(!holds);
        println!("| {what} | {bound} | {value:.2} | {} |", if holds { "kept" } else { "MISSED" });
    }
    missed
}

const COUNT: usize = 10_000;
const PROJECTS: usize = 20;
const FEW: usize = 10;
/// The lines at each end.
const LINES: usize = 8;
/// The length of each file, most of which is a hole.
const LENGTH: u64 = 1_000_000;
/// What is read of each end.
const END: usize = 64 * 1024;
const ROUNDS: usize = 5;
