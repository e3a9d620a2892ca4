//! What must be true at the end of a scenario.

use std::{fmt::Debug, fs, io};

use serde_json::Value;

use super::{kind_of, pattern::Pattern, place::Place, spec::Expect, witness::Seen};
use agentwire_testkit::{End, ScriptedModel, Transcript, transcript::Entry};

/// Describes everything that is not as expected.
pub(super) fn wrong(
    expect: &Expect,
    messages: &[Value],
    transcript: &Transcript,
    seen: &Seen,
    place: &Place,
) -> Vec<String> {
    let mut wrong = results(&expect.results, messages);
    for pattern in expect.kinds.iter().filter(|pattern| !messages.iter().any(|message| pattern.fits(message)))
    {
        wrong.push(format!("no message is {pattern}; there came {}", kinds(messages)));
    }
    for pattern in &expect.absent {
        if let Some(message) = messages.iter().find(|message| pattern.fits(message)) {
            wrong.push(format!("no message was to be {pattern}, but one is: {message}"));
        }
    }
    for (name, content) in &expect.files {
        wrong.extend(file(name, content.as_deref(), place));
    }
    wrong.extend(same("asked", &expect.asked, &seen.asked));
    wrong.extend(same("hooked", &expect.hooked, &seen.hooked));
    wrong.extend(same("called", &expect.called, &seen.called));
    wrong.extend(same("requested", &expect.requested, &seen.requested));
    wrong.extend(exit(expect, transcript));
    let longest = transcript.inbound().map(bytes::Bytes::len).max().unwrap_or_default();
    if longest < expect.longest_line {
        wrong.push(format!("the longest line has {longest} bytes, not {}", expect.longest_line));
    }
    wrong
}

/// Returns an error if the script was not used completely, or was exhausted.
pub(super) fn left_over(model: &ScriptedModel) -> Option<String> {
    let (unused, exhausted) = (model.unused(), model.exhausted());
    (unused + exhausted > 0).then(|| {
        format!("{unused} replies of the model were not asked for, and {exhausted} requests had none")
    })
}

fn results(expected: &[Pattern], messages: &[Value]) -> Vec<String> {
    let results: Vec<&Value> = messages.iter().filter(|message| message["type"] == "result").collect();
    let mut wrong = Vec::new();
    if results.len() != expected.len() {
        wrong.push(format!("{} results, not {}", results.len(), expected.len()));
    }
    for (number, (pattern, result)) in expected.iter().zip(results).enumerate() {
        if !pattern.fits(result) {
            wrong.push(format!("result {} is not {pattern}: {result}", number + 1));
        }
    }
    wrong
}

fn file(name: &str, expected: Option<&str>, place: &Place) -> Option<String> {
    let content = match fs::read_to_string(place.file(name)) {
        Ok(content) => Some(content),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Some(format!("{name} can't be read: {error}")),
    };
    (content.as_deref() != expected).then(|| format!("{name} holds {content:?}, not {expected:?}"))
}

fn same<T: PartialEq + Debug>(what: &str, expected: &[T], seen: &[T]) -> Option<String> {
    (expected != seen).then(|| format!("{what} {seen:?}, not {expected:?}"))
}

fn exit(expect: &Expect, transcript: &Transcript) -> Option<String> {
    match (transcript.entries.last(), &expect.signal) {
        (Some(Entry::End(End::Exit(seen))), None) if *seen == expect.exit => None,
        (Some(Entry::End(End::Signal(seen))), Some(signal)) if **seen == **signal => None,
        (Some(Entry::End(end)), None) => Some(format!("the CLI ended with {end:?}, not {}", expect.exit)),
        (Some(Entry::End(end)), Some(signal)) => Some(format!("the CLI ended with {end:?}, not {signal}")),
        _ => Some("nobody saw how the CLI ended".to_owned()),
    }
}

fn kinds(messages: &[Value]) -> String {
    messages.iter().map(kind_of).collect::<Vec<_>>().join(", ")
}
