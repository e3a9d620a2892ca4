//! Maps keys to folders, reversibly for all projects and subpaths.

use std::fmt::Write as _;

use agentwire_sessions::SessionKey;
use object_store::path::Path;

/// Returns the folder of a project below a prefix.
pub(crate) fn project(prefix: &Path, project: &str) -> Path {
    join(prefix, escape(project))
}

/// Returns the folder of a key; a session's folder also contains its subpaths.
pub(crate) fn folder(prefix: &Path, key: &SessionKey) -> Path {
    let session = join(&project(prefix, key.project()), key.session_id().as_str());
    key.subpath()
        .into_iter()
        .flat_map(|subpath| subpath.split('/'))
        .map(escape)
        .fold(session, |folder, part| join(&folder, part))
}

/// Returns the folder with a key's own entries.
pub(crate) fn entries(folder: &Path) -> Path {
    join(folder, ENTRIES)
}

/// Returns the path from a folder to the folder of the key to which an object belongs.
///
/// Returns `None` for objects that the store did not create.
pub(crate) fn below<'a>(folder: &Path, object: &'a Path) -> Option<&'a str> {
    let (way, _) = object.as_ref().strip_prefix(folder.as_ref())?.strip_prefix('/')?.rsplit_once('/')?;
    match way.strip_suffix(ENTRIES)? {
        "" => Some(""),
        way => way.strip_suffix('/'),
    }
}

/// Decodes the subpath from its path below a session's folder.
pub(crate) fn subpath(way: &str) -> Option<String> {
    let mut subpath = Vec::with_capacity(way.len());
    let mut segments = way.split('/').peekable();
    while let Some(segment) = segments.next() {
        let whole = segment.strip_suffix(MARK);
        unescape(whole.unwrap_or(segment), &mut subpath)?;
        if whole.is_none() && segments.peek().is_some() {
            subpath.push(b'/');
        }
    }
    String::from_utf8(subpath).ok()
}

fn join(folder: &Path, part: impl AsRef<str>) -> Path {
    let way = if folder.as_ref().is_empty() { String::new() } else { format!("{folder}/") };
    // Escaped names contain only characters that every store keeps.
    Path::parse(format!("{way}{}", part.as_ref())).unwrap_or_else(|_| folder.clone())
}

/// Escapes one part of a name to one or more folders.
///
/// Letters, digits, `-`, `_` and `.` are kept, except for a `.` that begins a folder's name: no store keeps a folder
/// `.` or `..`. Any other byte becomes `!` and two digits.
/// A name that is too long for a folder, which some stores map to a real one, continues in the next: all but the last
/// end in `!`.
fn escape(part: &str) -> String {
    let mut escaped = String::with_capacity(part.len());
    let mut room = LONGEST;
    for byte in part.bytes() {
        if room < 3 {
            escaped.push(MARK);
            escaped.push('/');
            room = LONGEST;
        }
        let before = escaped.len();
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => escaped.push(char::from(byte)),
            b'.' if room < LONGEST => escaped.push('.'),
            // Writing to a string can't fail.
            _ => _ = write!(escaped, "{MARK}{byte:02X}"),
        }
        room -= escaped.len() - before;
    }
    escaped
}

fn unescape(escaped: &str, bytes: &mut Vec<u8>) -> Option<()> {
    let mut rest = escaped.bytes();
    while let Some(byte) = rest.next() {
        if byte != MARK as u8 {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    Some(())
}

/// Distinct from every escaped name, because an escape has two digits.
const ENTRIES: &str = "!entries";
const MARK: char = '!';
/// File systems limit the name of a folder to 255 bytes.
const LONGEST: usize = 200;

#[cfg(test)]
mod tests {
    use agentwire_sessions::SessionKey;
    use object_store::path::Path;

    use super::{below, entries, escape, folder, project, subpath};

    const ID: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";

    #[test]
    fn common_names_stay_as_they_are() {
        let key =
            SessionKey::new("-home-me.x", ID.into()).unwrap().with_subpath("subagents/agent-1").unwrap();
        let folder = folder(&Path::from("kept"), &key);
        assert_eq!(entries(&folder).as_ref(), format!("kept/-home-me.x/{ID}/subagents/agent-1/!entries"));
        assert_eq!(project(&Path::default(), "p").as_ref(), "p");
    }

    #[test]
    fn all_subpaths_are_decoded_again() {
        let session = SessionKey::new("p", ID.into()).unwrap();
        let at = folder(&Path::default(), &session);
        let long = "é%~".repeat(120);
        for name in [
            "a",
            "a/b",
            ".a/..b",
            "!entries",
            "!",
            "a!/b!",
            "%2F",
            "*?[x]",
            "ü 🦀",
            " ",
            &long,
            &"x".repeat(200),
            &"x".repeat(201),
            &format!("{}.", "x".repeat(198)),
            &format!("{}..", "x".repeat(198)),
        ] {
            let key = session.with_subpath(name).unwrap();
            let object =
                Path::parse(format!("{}/1.jsonl", entries(&folder(&Path::default(), &key)))).unwrap();
            let way = below(&at, &object).unwrap();
            assert_eq!(subpath(way).unwrap(), name);
            assert!(way.split('/').all(|segment| segment.len() <= 200), "{way}");
        }
        assert_eq!(below(&at, &Path::parse(format!("p/{ID}/!entries/1.jsonl")).unwrap()), Some(""));
        assert_eq!(below(&at, &Path::parse(format!("p/{ID}/somebody's/1.jsonl")).unwrap()), None);
        assert_eq!(below(&at, &Path::parse(format!("p/{ID}0/!entries/1.jsonl")).unwrap()), None);
    }

    #[test]
    fn different_names_have_different_folders() {
        let names = ["a", "A", "a.", ".a", "a!2E", "a%2E", "a b", "a!", "e\u{301}", "é"];
        for (at, one) in names.iter().enumerate() {
            assert!(names[at + 1..].iter().all(|other| escape(other) != escape(one)), "{one}");
        }
    }
}
