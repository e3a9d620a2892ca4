//! `agentwire decode`: the decoded type of each line of a file, as JSON lines.

mod lines;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;

use agentwire_inspect::{Inspector, Verdict};

use crate::failure::{Failure, While as _};
use crate::output;
pub use lines::Lines;

/// Report what the types of this version read in each line of a file, as JSON lines
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A transcript or JSON lines; standard input by default
    file: Option<PathBuf>,
}

/// Runs `agentwire decode [FILE]`: writes one JSON line for each line of the file, or of the standard input.
///
/// Of a transcript it is one for each `<` and each `>` line.
/// An unreadable line is reported, and the next one follows; the exit code is 1 then.
pub fn run(args: &Args) -> Result<(), Failure> {
    let input: Box<dyn Read> = match &args.file {
        None => Box::new(io::stdin()),
        Some(file) => Box::new(File::open(file).while_doing(|| format!("opening {}", file.display()))?),
    };
    decode(BufReader::new(input), output::json).while_doing(|| match &args.file {
        Some(file) => format!("decoding {}", file.display()),
        None => "decoding the standard input".to_owned(),
    })
}

/// Prints a verdict for each line, until the reader closes the pipe. Fails if a line could not be decoded.
fn decode(
    input: impl io::BufRead,
    mut print: impl FnMut(&Verdict) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut is_good, mut printed) = (true, Ok(()));
    let mut inspector = Inspector::new();
    let mut lines = Lines::new(input);
    while printed.is_ok()
        && let Some((from, line)) = lines.advance()?
    {
        let verdict = inspector.inspect(from, &line);
        is_good &= verdict.undecodable.is_none();
        printed = print(&verdict);
    }
    output::end(printed, is_good)
}

#[cfg(test)]
mod tests;
