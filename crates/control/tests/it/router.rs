//! The router's guarantees, one by one, with a clock that the test advances.

mod calls;
mod ends;
mod interrupts;
mod lines;
mod prompts;
mod requests;
mod tasks;
mod turns;

use agentwire_protocol::RawJson;

use crate::script::Script;

fn check(script: &mut Script, events: &[&str]) {
    assert_eq!(script.events(), events);
}

fn ok() -> Result<RawJson, String> {
    Ok(RawJson::empty_object())
}
