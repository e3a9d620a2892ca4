//! Files contain no paths or private addresses of the machine on which they were made.

use super::{Hit, Source};

/// Finds absolute paths of home, work and temporary folders, and addresses of private registries.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (number, line) in source.text.lines().enumerate() {
        for start in FOLDERS {
            hits.extend(
                paths(line, start).into_iter().map(|path| (number + 1, format!("path of a machine: {path}"))),
            );
        }
        for mark in REGISTRIES.iter().filter(|mark| line.contains(*mark)) {
            hits.push((number + 1, format!("address of a registry: {mark}")));
        }
        if source.path.ends_with("Cargo.lock") && line.starts_with("source = ") && !line.contains(PUBLIC) {
            hits.push((number + 1, "a crate that is not from crates.io".to_owned()));
        }
    }
    hits
}

/// The paths in this line that begin with `start` and are not made up.
fn paths(line: &str, start: &str) -> Vec<String> {
    let found = line.match_indices(start).filter(|(at, _)| {
        // `target/tmp/x` and `$OUT/tmp/x` are paths within something else.
        !line[..*at].ends_with(|char: char| {
            char.is_alphanumeric() || matches!(char, '.' | '_' | '-' | '~' | '}' | '>' | ')')
        })
    });
    let rest = found.map(|(at, _)| line[at..].split(ENDS).next().unwrap_or_default());
    let theirs = rest.filter(|path| !MADE_UP.iter().any(|made_up| path.starts_with(made_up)));
    theirs.map(|path| path.chars().take(60).collect()).collect()
}

// The patterns are put together here, so that this file does not find itself.

const FOLDERS: &[&str] = &[
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
    concat!("/var/fol", "ders/"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("C:\\Us", "ers\\"),
    concat!("C:\\\\Us", "ers\\\\"),
];

/// Homes that stand for any home.
const MADE_UP: &[&str] = &[concat!("/ho", "me/user"), concat!("/ho", "me/you"), concat!("/Us", "ers/you")];

const REGISTRIES: &[&str] = &[
    concat!("\"resol", "ved\": \"http"),
    concat!("\"resol", "ved\":\"http"),
    concat!("registry = \"ht", "tp"),
    concat!("registry=ht", "tp"),
    concat!("index = \"spar", "se+"),
    concat!("_auth", "Token"),
];

const PUBLIC: &str = "registry+https://github.com/rust-lang/crates.io-index";

const ENDS: [char; 8] = ['"', '\'', '`', ' ', ',', ')', '<', '\\'];

#[cfg(test)]
mod tests {
    use super::{FOLDERS, MADE_UP, PUBLIC, REGISTRIES, Source, find};

    #[test]
    fn each_pattern_is_found() {
        let count = |path: &str, text: &str| find(&Source::new(path, text)).len();
        for start in FOLDERS {
            assert_eq!(count("docs/a.md", &format!("see {start}x\n")), 1, "{start}");
        }
        for mark in REGISTRIES {
            assert_eq!(count("package-lock.json", &format!("  {mark}s://npm.example/x\n")), 1, "{mark}");
        }
        assert_eq!(count("Cargo.lock", "source = \"registry+https://mirror.example/index\"\n"), 1);
        assert_eq!(count("Cargo.lock", &format!("source = \"{PUBLIC}\"\n")), 0);
        assert_eq!(count("a.md", &format!("{}/project, target{}x\n", MADE_UP[0], FOLDERS[0])), 0);
    }
}
