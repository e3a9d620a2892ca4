//! Which faults are asked for.

use std::collections::BTreeMap;

/// What the flag of a fault takes after its `=`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes {
    Nothing,
    /// A number, of this name and with this default.
    Number(&'static str, u64),
    /// The subtype of the requests that it is about; all but `initialize` by default.
    Subtype,
    /// The path of a file.
    File,
}

/// A list of faults, as [`fault_list`](crate::fault_list::fault_list) declares it.
pub(crate) trait Faults: Copy + Ord + 'static {
    const LIST: &'static [Self];

    fn flag(self) -> (&'static str, Takes);
}

/// A fault that does not exist, or a value that it can't take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault `{0}`")]
#[non_exhaustive]
pub struct UnknownFault(String);

/// The faults that are asked for, with their values.
#[derive(Debug)]
pub(crate) struct Plan<F> {
    faults: BTreeMap<F, Option<String>>,
}

impl<F: Faults> Plan<F> {
    /// Reads flags and a variable; flags that are no faults are the program's own.
    pub(crate) fn read(arguments: &[String], variable: &str) -> Result<Self, UnknownFault> {
        let flags = arguments.iter().filter_map(|argument| argument.strip_prefix("--fault-"));
        let named = variable.split([' ', ',', '\n']).filter(|word| !word.is_empty() && *word != NONE);
        Ok(Self { faults: named.chain(flags).map(read_one).collect::<Result<_, _>>()? })
    }

    pub(crate) fn has(&self, fault: F) -> bool {
        self.faults.contains_key(&fault)
    }

    /// Returns the number of a selected fault.
    pub(crate) fn number(&self, fault: F) -> Option<u64> {
        let value = self.faults.get(&fault)?;
        let default = match fault.flag().1 {
            Takes::Number(_, default) => Some(default),
            _ => None,
        };
        value.as_deref().map_or(default, |value| value.parse().ok())
    }

    pub(crate) fn text(&self, fault: F) -> Option<&str> {
        self.faults.get(&fault)?.as_deref()
    }
}

fn read_one<F: Faults>(word: &str) -> Result<(F, Option<String>), UnknownFault> {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let fault = F::LIST.iter().copied().find(|fault| fault.flag().0 == name);
    let fits = |fault: &F| match (fault.flag().1, value) {
        (Takes::Nothing, value) => value.is_none(),
        (Takes::Number(..), Some(value)) => value.parse::<u64>().is_ok(),
        (Takes::Number(..) | Takes::Subtype, None) => true,
        (Takes::Subtype | Takes::File, value) => value.is_some_and(|value| !value.is_empty()),
    };
    let fault = fault.filter(fits).ok_or_else(|| UnknownFault(word.to_owned()))?;
    Ok((fault, value.map(str::to_owned)))
}

/// In the variable: no fault, for clients that must set the variable.
const NONE: &str = "none";
