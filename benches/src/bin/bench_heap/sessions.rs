//! The marks of scale: a thousand sessions at once in one process, over replays of recorded sessions.

use std::{error::Error, process::ExitCode};

use agentwire_benches::{
    marks::{Bound, SESSION_MEMORY, SESSIONS_LINEAR, median},
    memory,
    sessions::{
        child,
        seen::{CHILD, Play, Seen},
    },
    words::{ended, value},
};

pub(crate) fn run(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    if let [first, play, count] = words
        && first == CHILD
    {
        let play = Play::named(play).ok_or("there is nothing of this name to play")?;
        println!("{}", serde_json::to_string(&child::run(play, count.parse()?)?)?);
        return Ok(ExitCode::SUCCESS);
    }
    if memory::resident().is_none() {
        println!("\nsessions at once: not measured, since this system does not tell a process its memory");
        return Ok(ended(words, 1));
    }
    let rounds = value(words, "--rounds").map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
    let missed = marks(&measure(rounds)?);
    Ok(ended(words, missed))
}

/// Every size in turn, again and again, so that a slow moment of the machine meets them all.
fn measure(rounds: usize) -> Result<Runs, Box<dyn Error>> {
    let mut runs =
        Runs { sizes: SIZES.iter().map(|size| (*size, Vec::new())).collect(), replays: Vec::new() };
    for _ in 0..rounds {
        for (size, seen) in &mut runs.sizes {
            seen.push(Seen::of(Play::Sessions, *size)?);
        }
        runs.replays.push(Seen::of(Play::Replays, MOST)?);
    }
    Ok(runs)
}

/// All that was seen, round by round.
struct Runs {
    sizes: Vec<(usize, Vec<Seen>)>,
    /// As many replays as the most sessions.
    replays: Vec<Seen>,
}

impl Runs {
    fn of(&self, size: usize) -> &[Seen] {
        self.sizes.iter().find(|(other, _)| *other == size).map_or(&[], |(_, seen)| seen)
    }

    /// The time that a session takes among the most, as times that among the fewest.
    fn growth(&self, time: fn(&Seen) -> f64) -> f64 {
        let ratio = |(most, few): (&Seen, &Seen)| (time(most) / MOST as f64) / (time(few) / FEW as f64);
        median(self.of(MOST).iter().zip(self.of(FEW)).map(ratio).collect())
    }
}

/// Prints the tables, and gives the number of marks that were missed.
fn marks(runs: &Runs) -> usize {
    println!(
        "\n| sessions at once | resident, KB each | heap, KB each | connecting, µs each | turns and end, µs each | CPU, µs each |"
    );
    println!("|---:|---:|---:|---:|---:|---:|");
    for (size, seen) in &runs.sizes {
        println!("| {size} | {}", row(seen, *size));
    }
    println!("\nof that the replay transport's own: {}", memory_of(&runs.replays, MOST));
    println!("\n| mark | bound | measured | |\n|---|---:|---:|---|");
    let most = runs.of(MOST);
    let marks: [(&str, Bound, f64); 4] = [
        (
            "KB of memory an idle session, resident",
            SESSION_MEMORY,
            each(most, MOST, |seen| seen.resident) / 1e3,
        ),
        ("KB of memory an idle session, heap", SESSION_MEMORY, each(most, MOST, |seen| seen.heap) / 1e3),
        ("time a session, 1,000 at once / 250 at once", SESSIONS_LINEAR, runs.growth(wall)),
        ("the same, in the processors' time", SESSIONS_LINEAR, runs.growth(|seen| seen.cpu)),
    ];
    for (what, bound, measured) in marks {
        let verdict = if bound.holds(measured) { "kept" } else { "MISSED" };
        println!("| {what} | {bound} | {measured:.2} | {verdict} |");
    }
    marks.iter().filter(|(_, bound, measured)| !bound.holds(*measured)).count()
}

fn wall(seen: &Seen) -> f64 {
    seen.connecting + seen.playing
}

/// The median of something, a session.
fn each(seen: &[Seen], size: usize, what: fn(&Seen) -> f64) -> f64 {
    median(seen.iter().map(what).collect()) / size as f64
}

fn row(seen: &[Seen], size: usize) -> String {
    let micros = |what: fn(&Seen) -> f64| each(seen, size, what) * 1e6;
    let (connecting, playing, cpu) =
        (micros(|seen| seen.connecting), micros(|seen| seen.playing), micros(|seen| seen.cpu));
    format!(
        "{:.1} | {:.1} | {connecting:.0} | {playing:.0} | {cpu:.0} |",
        each(seen, size, |seen| seen.resident) / 1e3,
        each(seen, size, |seen| seen.heap) / 1e3
    )
}

fn memory_of(seen: &[Seen], size: usize) -> String {
    let kilobytes = |what: fn(&Seen) -> f64| each(seen, size, what) / 1e3;
    format!(
        "{:.1} KB resident, {:.1} KB of the heap",
        kilobytes(|seen| seen.resident),
        kilobytes(|seen| seen.heap)
    )
}

const FEW: usize = 250;
const MOST: usize = 1000;
const SIZES: &[usize] = &[FEW, 500, MOST];
const ROUNDS: usize = 5;
