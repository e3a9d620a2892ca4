//! Texts of the tools about the kernel.

use crate::kernelspec::installed;
use crate::options::JupyterOptions;
use crate::worker::{State, Status};

/// Describes the kernel in a few lines.
pub(super) fn info(options: &JupyterOptions, status: &Status, waiting: usize) -> String {
    let state = match status.state {
        State::NotStarted => "not started: the next call starts it",
        State::Starting => "starting",
        State::Idle => "idle",
        State::Busy => "busy",
    };
    let mut lines = vec![format!("Kernel: {}", options.kernel), format!("State: {state}")];
    if status.info.is_none() && !status.language.is_empty() {
        lines.push(format!("Language: {}", status.language));
    }
    if let Some(info) = &status.info {
        lines.push(format!("Language: {} {}", info.language_info.name, info.language_info.version));
        let implementation = format!("{} {}", info.implementation, info.implementation_version);
        if !implementation.trim().is_empty() {
            lines.push(format!("Implementation: {}", implementation.trim()));
        }
        lines.push(format!("Protocol: {}", info.protocol_version));
        if !info.banner.trim().is_empty() {
            lines.push(format!("Banner: {}", info.banner.trim().lines().next().unwrap_or_default()));
        }
    }
    lines.extend(status.process.map(|process| format!("Process: {process}")));
    lines.push(format!("Calls so far: {}", status.executed));
    lines.push(format!("Calls waiting: {waiting}"));
    lines.extend(status.ended.as_ref().map(|ended| format!("An earlier kernel ended by itself: {ended}")));
    lines.push(format!(
        "Time limit of a call: {} s, at most {} s",
        options.time_limit.as_secs_f64(),
        options.longest_time.as_secs_f64()
    ));
    lines.push(format!("Installed kernels: {}", installed()));
    lines.join("\n")
}
