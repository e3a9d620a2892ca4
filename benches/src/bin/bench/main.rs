//! What is measured by time, and against others: `cargo xtask bench` runs it.
//!
//! `bench decode [--check] [--rounds N]`: the marks of decoding.
//! `bench retain [--check]`: the mark of kept messages.
//! `bench clients [--check] [--rounds N] [--current-thread] [--only WORKLOAD]`: the marks of whole clients, which are
//! programs of their own (`bench_client`).
//! `bench peers FILE [--rounds N] [--only WORKLOAD]`: other SDKs beside ours, as the file names them; no marks.
//! With `--check` each fails where a mark is missed.
//!
//! One program, since each is linked with link-time optimisation, which takes minutes; what needs the allocator that
//! counts is another one (`bench_heap`), since counting takes time.

#![expect(clippy::print_stdout, reason = "a program for the terminal speaks by printing")]

#[cfg(unix)]
mod clients;
mod decode;
#[cfg(unix)]
mod peers;
mod retain;

use std::{env, error::Error, process::ExitCode};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let (what, words) = words.split_first().ok_or("nothing to measure is named")?;
    match what.as_str() {
        "decode" => decode::run(words),
        "retain" => retain::run(words),
        #[cfg(unix)]
        "clients" => clients::run(words),
        #[cfg(unix)]
        "peers" => peers::run(words),
        #[cfg(not(unix))]
        "clients" | "peers" => {
            println!("\nclients: not measured, since sessions over pipes are there on Unix alone");
            Ok(ExitCode::SUCCESS)
        }
        other => Err(format!("nothing of the name `{other}` can be measured").into()),
    }
}
