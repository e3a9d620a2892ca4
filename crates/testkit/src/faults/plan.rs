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

    /// The number of a fault that is asked for.
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

    /// Whether a fault of replies is about this request.
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

/// In the variable: no fault, for who must set it to something.
const NONE: &str = "none";

#[cfg(test)]
mod tests {
    use super::{Fault, Plan};

    fn read(arguments: &[&str], variable: &str) -> Result<Plan, String> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Plan::read(&arguments, variable).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_and_the_variable_go_together() {
        let plan = read(
            &["--print", "--model=x", "--fault-crash=7", "--fault-deaf", "--fault-long-line"],
            "none error-reply=set_model,no-reply",
        )
        .unwrap();
        assert_eq!(plan.number(Fault::Crash), Some(7));
        assert_eq!(plan.number(Fault::LongLine), Some(5_000_000));
        assert!(plan.has(Fault::Deaf) && !plan.has(Fault::Killed));
        assert!(plan.is_about(Fault::ErrorReply, "set_model"));
        assert!(!plan.is_about(Fault::ErrorReply, "interrupt"));
        assert!(plan.is_about(Fault::NoReply, "interrupt"));
        assert!(!plan.is_about(Fault::NoReply, "initialize"));
    }

    #[test]
    fn what_is_no_fault_is_told() {
        for word in ["crush", "crash=x", "deaf=1", "transcript", "no-reply="] {
            let told = format!("there is no fault `{word}`");
            assert_eq!(read(&[], word).unwrap_err(), told);
            assert_eq!(read(&[&format!("--fault-{word}")], "").unwrap_err(), told);
        }
    }
}
