//! The memory of this process.

use std::fs;

/// Returns the peak resident memory in bytes (`VmHWM`); `None` where the system does not report it.
pub(crate) fn most_resident() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::most_resident;

    #[test]
    fn linux_reports_the_peak_memory() {
        assert!(most_resident().unwrap() > 100 << 10);
    }
}
