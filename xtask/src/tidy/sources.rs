//! The text files of the repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::mask;
use crate::failure::{Failure, While as _};
use crate::program;

/// One text file.
#[derive(Debug)]
pub(crate) struct Source {
    /// Relative to the root, with `/`.
    pub(super) path: String,
    pub(super) text: String,
    /// The text with comments and the insides of literals blanked, where it is Rust; empty elsewhere.
    pub(crate) code: String,
}

impl Source {
    /// A file with this path and text.
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let (path, text) = (path.into(), text.into());
        let code = if path.ends_with(".rs") { mask::code(&text) } else { String::new() };
        Self { path, text, code }
    }

    /// Whether it is Rust.
    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether the whole file is test code.
    pub(super) fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests") || self.path.ends_with("/tests.rs")
    }

    /// The line, counted from 1, from which on there are only tests.
    pub(crate) fn first_test_line(&self) -> Option<usize> {
        if self.is_test() {
            return Some(1);
        }
        let lines: Vec<&str> = self.code.lines().collect();
        let tests = lines.windows(2).position(|pair| {
            pair[0].starts_with("#[cfg(")
                && pair[0].contains("test")
                && (pair[1].starts_with("mod ") || pair[1].starts_with("pub(crate) mod "))
                && !pair[1].ends_with(';')
        });
        tests.map(|at| at + 1)
    }
}

/// The text files that git tracks or would add.
pub(super) fn load(root: &Path) -> Result<Vec<Source>, Failure> {
    let mut git = Command::new("git");
    git.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = program::output(&mut git)?;
    let mut paths: Vec<&str> = list.split('\0').filter(|path| !path.is_empty()).collect();
    paths.sort();
    paths.dedup();
    let mut sources = Vec::new();
    for path in paths {
        let file = root.join(path);
        // A file that git knows may have been removed, and a link to a folder is no file.
        if !file.is_file() {
            continue;
        }
        let bytes = fs::read(&file).while_doing(|| format!("reading {path}"))?;
        // Binary files, such as pictures, are not checked.
        if let Some(text) = text_of(bytes, path) {
            sources.push(Source::new(path, text));
        }
    }
    Ok(sources)
}

fn text_of(bytes: Vec<u8>, path: &str) -> Option<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        // A recording may contain bytes that are not UTF-8, and is checked too.
        Err(error) if path.ends_with(".transcript") || path.ends_with(".bin") => {
            Some(String::from_utf8_lossy(error.as_bytes()).into_owned())
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn knows_where_the_tests_of_a_file_begin() {
        let source = Source::new("src/a.rs", "//! A.\nfn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n");
        assert_eq!(source.first_test_line(), Some(4));
        assert_eq!(
            Source::new("src/a.rs", "//! A.\n#[cfg(test)]\nmod tests;\nfn a() {}\n").first_test_line(),
            None
        );
        assert_eq!(Source::new("tests/it/a.rs", "").first_test_line(), Some(1));
        assert_eq!(Source::new("crates/tools/benches/src/a.rs", "").first_test_line(), None);
    }
}
