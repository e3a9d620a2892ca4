//! The bench CLI, as a program: see `agentwire_benches::round_trips::cli`.

#[cfg(unix)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    agentwire_benches::round_trips::cli::play()
}

#[cfg(not(unix))]
fn main() {}
