//! A redacted recording contains no named secret and no named path, unless the leftovers report it.

#![no_main]

use agentwire_testkit::{transcript::Entry, Redactor, Transcript};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let session = match Transcript::parse(data) {
        Ok(session) => session,
        Err(_) => Transcript::from_json_lines(data),
    };
    let redactor = Redactor::new().path(PATH, "/project").secret(SECRET);
    let (redacted, report) = redactor.redact_with_report(&session);
    assert!(redacted.entries.len() <= session.entries.len());
    for entry in &redacted.entries {
        let (Entry::Inbound(line) | Entry::Outbound(line) | Entry::Stderr(line) | Entry::Unknown(line)) =
            entry
        else {
            continue;
        };
        let text = String::from_utf8_lossy(line);
        assert!(!text.contains(SECRET), "{text}");
        assert!(report.leftovers.is_some() || !text.contains(PATH), "{text}");
    }
    if report.leftovers.is_none() {
        redactor.redact(&redacted).expect("a redacted recording stays redacted");
    }
});

/// Named in the seeds too.
const SECRET: &str = "kestrel-41-plover";
const PATH: &str = "/srv/build";
