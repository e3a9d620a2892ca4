//! A change of a configuration file has its documented effect, changes nothing when it is repeated, and never panics.
//!
//! The first byte chooses the change, the rest is the text of the file.

#![no_main]

use std::time::Duration;

use agentwire_hub_config::{
    Edit, Launch, ServerConfig, Stdio,
    fuzzing::{edit, servers},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [choice, text @ ..] = data else { return };
    let Ok(text) = str::from_utf8(text) else { return };
    let change = change(*choice);
    let had = servers(text);
    let Ok(after) = edit(&change, SERVER, text) else { return };
    let has = servers(&after);
    let others = |names: &[String]| names.iter().filter(|name| *name != SERVER).cloned().collect::<Vec<_>>();
    assert_eq!(others(&had), others(&has), "{after}");
    match change {
        Edit::Add(_) => assert!(has.iter().any(|name| name == SERVER), "{after}"),
        Edit::Remove => assert!(!has.iter().any(|name| name == SERVER), "{after}"),
        _ => {
            assert_eq!(had, has, "{after}");
            let again = edit(&change, SERVER, &after).expect("a change can be repeated");
            assert_eq!(after, again);
        }
    }
});

fn change(choice: u8) -> Edit {
    let tool = if choice & 16 == 0 { "read" } else { "get_*" }.to_owned();
    match choice % 8 {
        0 => Edit::Disabled(true),
        1 => Edit::Disabled(false),
        2 => Edit::Timeout(Duration::from_millis(1_500)),
        3 => Edit::AlwaysAllow { tool, allowed: true },
        4 => Edit::AlwaysAllow { tool, allowed: false },
        5 => Edit::ToolEnabled { tool, enabled: choice & 8 == 0 },
        6 => Edit::Add(Box::new(ServerConfig::new(Launch::Stdio(Stdio::new("run"))))),
        _ => Edit::Remove,
    }
}

const SERVER: &str = "a";
