//! Which faults are asked for.

use std::collections::BTreeMap;

use super::{Fault, fault::Takes};

/// A fault that does not exist, or a value that it can't take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault `{0}`")]
#[non_exhaustive]
pub struct UnknownFault(String);

/// The faults that are asked for, with their values.
#[derive(Debug)]
pub(super) struct Plan {
    faults: BTreeMap<Fault, Option<String>>,
    /// Whether the host wants stream events.
    pub(super) partial_messages: bool,
}

impl Plan {
    /// Reads flags and the variable; flags that are no faults are the CLI's own.
    pub(super) fn read(arguments: &[String], variable: &str) -> Result<Self, UnknownFault> {
        let flags = arguments.iter().filter_map(|argument| argument.strip_prefix("--fault-"));
        let named = variable.split([' ', ',', '\n']).filter(|word| !word.is_empty() && *word != NONE);
        let faults = named.chain(flags).map(read_one).collect::<Result<_, _>>()?;
        let partial_messages = arguments.iter().any(|argument| argument == "--include-partial-messages");
        Ok(Self { faults, partial_messages })
    }

    pub(super) fn has(&self, fault: Fault) -> bool {
        self.faults.contains_key(&fault)
    }

    /// Returns the number of a selected fault.
    pub(super) fn number(&self, fault: Fault) -> Option<u64> {
        let value = self.faults.get(&fault)?;
        let default = match fault.takes() {
            Takes::Number(_, default) => Some(default),
            _ => None,
        };
        value.as_deref().map_or(default, |value| value.parse().ok())
    }

    pub(super) fn text(&self, fault: Fault) -> Option<&str> {
        self.faults.get(&fault)?.as_deref()
    }

    /// Returns whether a fault of replies concerns this request.
    pub(super) fn is_about(&self, fault: Fault, subtype: &str) -> bool {
        self.has(fault) && self.text(fault).map_or(subtype != "initialize", |about| about == subtype)
    }
}

fn read_one(word: &str) -> Result<(Fault, Option<String>), UnknownFault> {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let fault = Fault::ALL.iter().copied().find(|fault| fault.name() == name);
    let fits = |fault: &Fault| match (fault.takes(), value) {
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
