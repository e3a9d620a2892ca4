//! An env file is read without a panic, and its variables are the same when they are written and read again.

#![no_main]

use agentwire_hub_config::fuzzing::env_file;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = str::from_utf8(data) else { return };
    let (variables, invalid) = env_file(text);
    let lines = text.lines().count();
    assert!(variables.len() + invalid.len() <= lines);
    assert!(invalid.is_sorted() && invalid.iter().all(|line| (1..=lines).contains(line)));
    let written: String =
        variables.iter().map(|(name, value)| format!("{name}=\"{}\"\n", escaped(value))).collect();
    assert_eq!(env_file(&written), (variables, Vec::new()), "{written}");
});

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$")
}
