//! A redacted recording contains no named secret and no named path, unless the leftovers report it.

#![no_main]

use agentwire_testkit::{Entry, Redactor, Transcript};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let session = match Transcript::parse(data) {
        Ok(session) => session,
        Err(_) => Transcript::from_json_lines(data),
    };
    let redactor = Redactor::new().path(PATH, "/project").secret(SECRET);
    let (redacted, leftovers) = redactor.redact_as_far_as_possible(&session);
    assert!(redacted.entries.len() <= session.entries.len());
    for entry in &redacted.entries {
        let (Entry::Inbound(line) | Entry::Outbound(line) | Entry::Stderr(line)) = entry else { continue };
        let text = String::from_utf8_lossy(line);
        assert!(!text.contains(SECRET), "{text}");
        assert!(leftovers.is_some() || !text.contains(PATH), "{text}");
    }
    if leftovers.is_none() {
        redactor.redact(&redacted).expect("a redacted recording stays redacted");
    }
});

/// Named in the seeds too.
const SECRET: &str = "kestrel-41-plover";
const PATH: &str = "/srv/build";
