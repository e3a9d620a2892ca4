//! What this process holds of the machine's memory, and what it has asked of its allocator.

use std::fs;

use peak_alloc::PeakAlloc;

/// The allocator that counts, for programs that make it theirs: `#[global_allocator] static HEAP: PeakAlloc = HEAP;`.
///
/// It counts the bytes that are asked for, without what the allocator below adds.
/// A block that grows is a new one of which the old one is freed afterwards, so that both count at once: that is the
/// most that any allocator needs, and more than one needs that grows blocks where they are.
pub const HEAP: PeakAlloc = PeakAlloc;

/// The bytes that are in memory; Linux tells in pages, mostly of 4 KiB.
pub fn resident() -> Option<usize> {
    status("VmRSS:")
}

/// The bytes that were in memory when there were most of them.
pub fn most_resident() -> Option<usize> {
    status("VmHWM:")
}

fn status(name: &str) -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{most_resident, resident};

    #[test]
    fn a_process_is_told_its_memory() {
        let now = resident().unwrap();
        assert!(now > 100 << 10, "{now}");
        assert!(most_resident().unwrap() >= now);
    }
}
