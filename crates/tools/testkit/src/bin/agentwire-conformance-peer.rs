//! A peer for the transport conformance suite: plays the part that its argument names.

fn main() -> std::process::ExitCode {
    agentwire_testkit::conformance::peer()
}
