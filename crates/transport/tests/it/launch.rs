//! The `Debug` output of a launch.

use agentwire_transport::process::{Launch, ProcessTransport};

#[test]
fn debug_shows_names_of_variables_and_hides_their_values() {
    let launch =
        Launch::new("claude").arg("--verbose").env("ANTHROPIC_API_KEY", "sk-secret").cwd("somewhere");
    for shown in [
        format!("{launch:?}"),
        format!("{launch:#?}"),
        format!("{:?}", ProcessTransport::new(launch.clone())),
    ] {
        assert!(!shown.contains("sk-secret"), "{shown}");
        for part in ["claude", "--verbose", "ANTHROPIC_API_KEY", "<redacted>", "somewhere"] {
            assert!(shown.contains(part), "{part} in {shown}");
        }
    }
}
