//! `cargo xtask decode`: what our types make of each line of a file, as JSON lines.

mod lines;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};

use crate::args::Args;
use crate::failure::{Failure, While as _};
use crate::inspect::{Inspector, Verdict};
pub(crate) use lines::{Lines, Said};

/// `cargo xtask decode [FILE]`: one JSON line for each line of the file, or of the standard input.
///
/// Of a transcript it is one for each `<` and each `>` line.
/// A line that can't be read is told and does not end it.
pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let names = args.names()?;
    let input: Box<dyn Read> = match names.as_slice() {
        [] => Box::new(io::stdin()),
        [name] => Box::new(File::open(name).while_doing(|| format!("opening {name}"))?),
        [_, more, ..] => return Err(Failure::new(format!("one file at a time: `{more}` is too many"))),
    };
    let output = BufWriter::new(io::stdout().lock());
    match decode(BufReader::new(input), output) {
        // `… | head` has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

/// Reads a line, says what it is, and so on to the end.
fn decode(input: impl io::BufRead, mut output: impl Write) -> io::Result<()> {
    let mut inspector = Inspector::new();
    let mut lines = Lines::new(input);
    while let Some(said) = lines.next()? {
        let verdict = match said {
            Said::Line { from, line, kept } => {
                let mut verdict = inspector.inspect(from, &line);
                verdict.lossless &= kept;
                verdict
            }
            Said::Dropped(error) => Verdict {
                kind: None,
                known: false,
                undecodable: Some(error.to_string()),
                set_aside: Vec::new(),
                lossless: false,
                unknown_fields: Vec::new(),
                raw: Vec::new(),
            },
        };
        serde_json::to_writer(&mut output, &verdict)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
