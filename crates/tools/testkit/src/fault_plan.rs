//! The selected faults.

use std::{collections::BTreeMap, process::ExitCode};

use crate::fault_process::{complain, print};

/// The argument of a fault's flag, after its `=`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes {
    Nothing,
    /// A number, of this name and with this default.
    Number(&'static str, u64),
    /// The subtype of the requests that the fault applies to; all but `initialize` by default.
    Subtype,
    /// The path of a file.
    File,
}

/// A list of faults, as [`fault_list`](crate::fault_list::fault_list) declares it.
pub(crate) trait Faults: Copy + Ord + 'static {
    const LIST: &'static [Self];

    fn takes(self) -> Takes;

    /// Returns the name, the behavior and the correct reaction.
    fn texts(self) -> [&'static str; 3];
}

/// The selected faults, with their values.
#[derive(Debug)]
pub(crate) struct Plan<F> {
    faults: BTreeMap<F, Option<String>>,
}

impl<F: Faults> Plan<F> {
    /// Reads flags and a variable; flags that do not name faults are the program's own.
    /// For `--help`, whose text begins with `about`, and for an unknown fault, the error is the exit code of the program.
    pub(crate) fn read(arguments: &[String], variable: &str, about: &str) -> Result<Self, ExitCode> {
        if arguments.iter().any(|argument| argument == "--help") {
            return Err(print(&help::<F>(about)));
        }
        let flags = arguments.iter().filter_map(|argument| argument.strip_prefix("--fault-"));
        let named = variable.split([' ', ',', '\n']).filter(|word| !word.is_empty() && *word != NONE);
        let faults = named.chain(flags).map(|word| read_one(word).ok_or(word)).collect::<Result<_, _>>();
        faults.map(|faults| Self { faults }).map_err(|word| {
            complain(&format!("error: there is no fault `{word}`; see --help\n"));
            ExitCode::from(2)
        })
    }

    pub(crate) fn has(&self, fault: F) -> bool {
        self.faults.contains_key(&fault)
    }

    /// Returns the number of a selected fault.
    pub(crate) fn number(&self, fault: F) -> Option<u64> {
        let value = self.faults.get(&fault)?;
        let default = match fault.takes() {
            Takes::Number(_, default) => Some(default),
            _ => None,
        };
        value.as_deref().map_or(default, |value| value.parse().ok())
    }

    pub(crate) fn text(&self, fault: F) -> Option<&str> {
        self.faults.get(&fault)?.as_deref()
    }
}

/// Returns a fault with its value, if there is such a fault and it takes the value.
fn read_one<F: Faults>(word: &str) -> Option<(F, Option<String>)> {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let fault = F::LIST.iter().copied().find(|fault| fault.texts()[0] == name);
    let fits = |fault: &F| match (fault.takes(), value) {
        (Takes::Nothing, value) => value.is_none(),
        (Takes::Number(..), Some(value)) => value.parse::<u64>().is_ok(),
        (Takes::Number(..) | Takes::Subtype, None) => true,
        (Takes::Subtype | Takes::File, value) => value.is_some_and(|value| !value.is_empty()),
    };
    Some((fault.filter(fits)?, value.map(str::to_owned)))
}

/// Returns the text of `--help`: the faults, for people.
fn help<F: Faults>(about: &str) -> String {
    let mut text = about.to_owned();
    for fault in F::LIST {
        let [_, does, right] = fault.texts();
        let default = default_value(*fault).map(|value| format!(" ({value} by default)")).unwrap_or_default();
        text.push_str(&format!("{}{default}\n    {does}\n    Right: {right}\n", usage(*fault)));
    }
    text
}

/// Returns the flag as it is written on a command line, with its argument.
pub(crate) fn usage(fault: impl Faults) -> String {
    let name = fault.texts()[0];
    match fault.takes() {
        Takes::Nothing => format!("--fault-{name}"),
        Takes::Number(what, _) => format!("--fault-{name}[={what}]"),
        Takes::Subtype => format!("--fault-{name}[=SUBTYPE]"),
        Takes::File => format!("--fault-{name}=FILE"),
    }
}

/// Returns the default of the argument, as text for the help.
pub(crate) fn default_value(fault: impl Faults) -> Option<String> {
    match fault.takes() {
        Takes::Number(_, default) => Some(default.to_string()),
        Takes::Subtype => Some("all but `initialize`".to_owned()),
        Takes::Nothing | Takes::File => None,
    }
}

/// In the variable: no fault, for clients that must set the variable.
const NONE: &str = "none";
