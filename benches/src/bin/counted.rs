//! Work to be counted in instructions, so and so many times: `cargo xtask instructions` runs it under callgrind.
//!
//! `counted part FILE` writes down what is decoded; `counted decode-text|decode-typed FILE TIMES` decodes it, and
//! `counted hook|permission|mcp TIMES` answers what is asked.
//! What it takes to start counts as well, so who counts takes the difference of two numbers of times.

#![expect(clippy::print_stdout, reason = "a program for the terminal speaks by printing")]

use std::{env, error::Error, fs};

use agentwire_benches::{
    input::Input,
    round_trip::{Callback, round_trips},
    ways::{CODEC_RAW, CODEC_TYPED, Way},
};
use agentwire_testkit::bench::stream::{Tags, generate};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["part", file] => {
            let parts = Input::new(generate(Tags::First, 1)).parts();
            fs::write(file, parts.first().ok_or("an empty stream")?.bytes())?;
        }
        ["decode-text", file, times] => decode(CODEC_RAW, file, times.parse()?)?,
        ["decode-typed", file, times] => decode(CODEC_TYPED, file, times.parse()?)?,
        ["hook", times] => round_trips(Callback::Hook, times.parse()?)?,
        ["permission", times] => round_trips(Callback::Permission, times.parse()?)?,
        ["mcp", times] => round_trips(Callback::Mcp, times.parse()?)?,
        _ => return Err("nothing of this name can be counted".into()),
    }
    Ok(())
}

fn decode(way: Way, file: &str, times: usize) -> Result<(), Box<dyn Error>> {
    let input = Input::new(fs::read(file)?);
    let mut lines = 0;
    for _ in 0..times {
        lines += (way.read)(&input);
    }
    println!("{lines} lines");
    Ok(())
}
