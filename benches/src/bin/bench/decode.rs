//! The marks of decoding: ratios of times that were taken in turn, within one run.

use std::{error::Error, process::ExitCode};

use agentwire_benches::{
    clock, fixtures,
    input::Input,
    marks::{MARKS, Mark, median},
    ways::{ALL, Way},
    words::{ended, value},
};
use agentwire_testkit::bench::stream::{Tags, generate};

pub(crate) fn run(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let rounds = value(words, "--rounds").map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
    let fixtures = Input::new(fixtures::inbound()?);
    table("recorded sessions", &fixtures, &measure(&fixtures, rounds));
    let mut missed = 0;
    for (name, tags) in [("partial messages", Tags::First), ("partial messages, tags last", Tags::Last)] {
        let input = Input::new(generate(tags, 1));
        let times = measure(&input, rounds);
        table(name, &input, &times);
        if tags == Tags::First {
            missed = marks(&times);
        }
    }
    Ok(ended(words, missed))
}

/// The seconds of one way, a number for each round.
type Times = Vec<(Way, Vec<f64>)>;

/// All ways in turn on each part, again and again, so that a slow moment of the machine meets them all.
fn measure(input: &Input, rounds: usize) -> Times {
    let parts = input.parts();
    let mut times: Times = ALL.iter().map(|way| (*way, vec![0.0; rounds])).collect();
    // The first round warms up.
    for round in 0..=rounds {
        for part in &parts {
            for (way, seconds) in &mut times {
                let started = clock::now();
                (way.read)(part);
                let taken = (clock::now() - started).as_secs_f64();
                if let Some(seconds) = round.checked_sub(1).and_then(|round| seconds.get_mut(round)) {
                    *seconds += taken;
                }
            }
        }
    }
    times
}

fn table(name: &str, input: &Input, times: &Times) {
    let bytes = input.bytes().len() as f64;
    let lines = (ALL[0].read)(input);
    println!("\n{name}: {lines} lines, {:.1} MB", bytes / 1e6);
    println!("| way | MB/s | µs a line | times IgnoredAny |\n|---|---:|---:|---:|");
    let ignored = of(times, ALL[1]);
    for (way, seconds) in times {
        let middle = median(seconds.clone());
        println!(
            "| {} | {:.0} | {:.2} | {:.2} |",
            way.name,
            bytes / 1e6 / middle,
            middle * 1e6 / lines as f64,
            ratio(seconds, ignored)
        );
    }
}

/// Prints the marks, and gives the number of those that were missed.
fn marks(times: &Times) -> usize {
    println!("\n| mark | bound | measured | |\n|---|---:|---:|---|");
    let missed = MARKS.iter().filter(|Mark { of: above, to, bound, .. }| {
        let ratio = ratio(of(times, *above), of(times, *to));
        let verdict = if bound.holds(ratio) { "kept" } else { "MISSED" };
        println!("| {} / {} | {bound} | {ratio:.2} | {verdict} |", above.name, to.name);
        !bound.holds(ratio)
    });
    missed.count()
}

/// The median of the ratios round by round: both were measured within the same second or two.
fn ratio(above: &[f64], below: &[f64]) -> f64 {
    median(above.iter().zip(below).map(|(above, below)| above / below).collect())
}

fn of(times: &Times, way: Way) -> &[f64] {
    times.iter().find(|(other, _)| other.name == way.name).map_or(&[], |(_, seconds)| seconds)
}

const ROUNDS: usize = 9;
