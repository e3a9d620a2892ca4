//! `--help`: the faults, for people.

use super::{Fault, VARIABLE};

/// Returns the text of `--help`.
pub(super) fn text() -> String {
    let mut text = format!(
        "A CLI with faults, for tests of clients and transports.\n\n\
         Speaks stream-json on stdin and stdout as the Claude Code CLI does, whose own flags it ignores.\n\
         Faults can also be named in {VARIABLE}, without `--fault-`: {VARIABLE}=\"crash=3 stderr-flood\"\n\n"
    );
    for fault in Fault::ALL {
        let default = fault.default_value().map(|value| format!(" ({value} by default)"));
        text.push_str(&format!(
            "{}{}\n    {}\n    Right: {}\n",
            fault.usage(),
            default.unwrap_or_default(),
            fault.does(),
            fault.right()
        ));
    }
    text
}
