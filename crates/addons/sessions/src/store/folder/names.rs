//! Reversible file names for the parts of a key, distinct on every file system.

use std::path::PathBuf;

/// Returns the path components for one part of a key; the last has no suffix.
///
/// Lower-case ASCII letters, digits, `-` and `_` are kept; `A` becomes `~a`, and any other byte becomes `%2e`: some
/// file systems ignore case, normalize Unicode or reserve names.
/// A name that is too long continues inside a folder with the suffix `+`.
pub(super) fn steps(part: &str) -> Vec<String> {
    let name = encoded(part);
    let chunks = name.as_bytes().chunks(MAX_NAME).map(|chunk| String::from_utf8_lossy(chunk).into_owned());
    let mut steps: Vec<_> = chunks.collect();
    let last = steps.len().saturating_sub(1);
    for step in &mut steps[..last] {
        step.push(MORE);
    }
    steps
}

/// Returns the path for one part of a key.
pub(super) fn path(part: &str) -> PathBuf {
    steps(part).iter().collect()
}

/// Decodes the names of a path to the parts of a key, joined with slashes; `None` if the store did not create them.
pub(super) fn decoded(names: &[&str]) -> Option<String> {
    let mut parts = Vec::new();
    let mut open = String::new();
    for (at, name) in names.iter().enumerate() {
        match name.strip_suffix(MORE) {
            Some(chunk) if at + 1 < names.len() => open.push_str(chunk),
            _ => {
                open.push_str(name);
                let part = decoded_part(&open)?;
                // Only the canonical encoding is accepted.
                (encoded(&part) == open).then(|| parts.push(part))?;
                open.clear();
            }
        }
    }
    Some(parts.join("/"))
}

fn encoded(part: &str) -> String {
    let mut name = String::with_capacity(part.len());
    let reserved = RESERVED.contains(&part.trim_end_matches(|c: char| c.is_ascii_digit()));
    for (at, byte) in part.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' if at > 0 || !reserved => name.push(byte.into()),
            b'A'..=b'Z' => {
                name.push('~');
                name.push(byte.to_ascii_lowercase().into());
            }
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name
}

fn decoded_part(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'~' => rest.next().filter(u8::is_ascii_lowercase)?.to_ascii_uppercase(),
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The longest name; file systems allow 255 bytes, and a suffix follows.
const MAX_NAME: usize = 200;

/// The suffix of a folder in which a name continues.
const MORE: char = '+';

/// Device names that Windows reserves, without their number.
const RESERVED: &[&str] = &["con", "prn", "aux", "nul", "com", "lpt"];

#[cfg(test)]
mod tests {
    use super::{MAX_NAME, decoded, steps};

    #[test]
    fn a_name_stands_for_one_part_and_is_read_back() {
        for (part, name) in [
            ("-home-me-1_a", "-home-me-1_a"),
            ("-Users-Me", "-~users-~me"),
            ("a.b", "a%2eb"),
            ("...", "%2e%2e%2e"),
            ("~+%", "%7e%2b%25"),
            ("é", "%c3%a9"),
            ("e\u{301}", "e%cc%81"),
            ("con", "%63on"),
            ("com1", "%63om1"),
            ("CON", "~c~o~n"),
            ("cone", "cone"),
        ] {
            assert_eq!(steps(part), [name]);
            assert_eq!(decoded(&[name]).as_deref(), Some(part));
        }
    }

    #[test]
    fn long_names_continue_in_a_folder() {
        let part = "aé".repeat(200);
        let steps = steps(&part);
        assert!(steps.len() == 7 && steps.iter().all(|step| step.len() <= MAX_NAME + 1), "{steps:?}");
        let names: Vec<_> = ["x"].into_iter().chain(steps.iter().map(String::as_str)).chain(["y"]).collect();
        assert_eq!(decoded(&names), Some(format!("x/{part}/y")));
    }

    #[test]
    fn names_that_are_not_ours_stand_for_nothing() {
        for name in
            ["A", "a.b", "%2E", "%6", "%", "~", "~A", "%61", "con", "é", "a+", "%ff", " ", "~1", "%+1"]
        {
            assert_eq!(decoded(&[name]), None, "{name}");
        }
    }
}
