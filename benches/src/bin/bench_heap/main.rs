//! What is measured with the allocator that counts, which is this program's own: `cargo xtask bench` runs it.
//!
//! `bench_heap huge [--check]`: the mark of long lines.
//! `bench_heap sessions [--check] [--rounds N]`: the marks of many sessions.
//! `bench_heap list [--check] [--rounds N]`: the marks of listing stored sessions.
//! With `--check` each fails where a mark is missed, or cannot be measured.
//! Each measurement is a process of its own: this program, started again.

#![expect(clippy::print_stdout, reason = "a program for the terminal speaks by printing")]

mod huge;
mod list;
mod sessions;

use std::{env, error::Error, process::ExitCode};

use agentwire_benches::memory;
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = memory::HEAP;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let (what, words) = words.split_first().ok_or("nothing to measure is named")?;
    match what.as_str() {
        "huge" => huge::run(words),
        "sessions" => sessions::run(words),
        "list" => list::run(words),
        other => Err(format!("nothing of the name `{other}` can be measured").into()),
    }
}
