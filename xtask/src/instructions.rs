//! `cargo xtask instructions`: how many instructions decoding and a hook's round trip take, against those of a record.
//!
//! A machine that is busy with other work counts the same, which no clock does; so a little more is seen.

mod count;
mod record;

use std::fs;

use crate::args::Args;
use crate::failure::{Failure, While as _};
use crate::program;
use crate::workspace;
use count::Counter;
use record::Record;
pub(crate) use record::toolchain;

/// `cargo xtask instructions [--check] [--record]`: counts, and prints what was recorded beside it.
///
/// With `--check` it fails where a count has risen by more than the tolerance, or nothing can be compared.
/// With `--record` the counts become the recorded ones.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let check = args.flag("--check");
    let write = args.flag("--record");
    args.finish()?;
    if program::find(VALGRIND).is_none() {
        return Err(Failure::new("valgrind, which counts, is not installed"));
    }
    let here = toolchain()?;
    let recorded = recorded()?;
    if check && recorded.toolchain != here {
        return Err(Failure::new(another_toolchain(&recorded.toolchain, &here)));
    }
    let counts = Counter::build()?.count_all()?;
    print!("{}", recorded.table(&counts));
    if write {
        let path = workspace::root()?.join(RECORD);
        fs::write(&path, Record { toolchain: here, counts }.to_text())?;
        return Ok(());
    }
    if recorded.toolchain != here {
        println!("{}", another_toolchain(&recorded.toolchain, &here));
        return Ok(());
    }
    let risen = recorded.risen(&counts);
    if check && !risen.is_empty() {
        return Err(Failure::new(format!(
            "{}\nwhere it has a reason, record it: `cargo xtask instructions --record`",
            risen.join("\n")
        )));
    }
    Ok(())
}

/// What was recorded last.
pub(crate) fn recorded() -> Result<Record, Failure> {
    let path = workspace::root()?.join(RECORD);
    let text = fs::read_to_string(&path).while_doing(|| format!("reading {RECORD}"))?;
    Record::parse(&text).while_doing(|| format!("reading {RECORD}"))
}

/// Why nothing can be compared.
pub(crate) fn another_toolchain(recorded: &str, here: &str) -> String {
    format!(
        "recorded with {recorded}, and this is {here}: not compared; `cargo xtask instructions --record` records anew"
    )
}

/// The program that counts.
pub(crate) const VALGRIND: &str = "valgrind";
const RECORD: &str = "benches/instructions.txt";
