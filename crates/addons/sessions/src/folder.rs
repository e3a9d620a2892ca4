//! The path of the CLI's configuration folder, and the names of project folders in it.

use std::path::{Path, PathBuf};
use std::{fs, path};

use unicode_normalization::UnicodeNormalization as _;

/// Returns the name of the folder with a project's sessions, which is also the project's name in a store.
///
/// The path is first resolved like the CLI's working directory: it is made absolute, and symbolic links are followed.
/// If it does not exist, its existing ancestors are resolved.
///
/// Each UTF-16 unit other than an ASCII letter or digit then becomes `-`, without Unicode normalization except on macOS
/// (NFC): `é` is `-` or `e-` depending on how it is encoded, and an emoji is `--`.
/// A name of more than 200 units is cut and followed by a hash of the whole path.
///
/// Verified with the CLI 2.1.330.
/// The reference SDK for TypeScript does the same; that for Python counts characters and normalizes.
pub fn project_key(project: &Path) -> String {
    folder_name(&resolve(project))
}

/// Returns the folder's name for a resolved path.
pub(crate) fn folder_name(resolved: &Path) -> String {
    let text = resolved.to_string_lossy();
    cut_name(resolved).map_or_else(|| plain_name(&text), |cut| cut + &base36(hash(&text)))
}

/// Returns the part of the folder's name before the hash, with the `-`; `None` if the name has no hash.
///
/// Older versions of the CLI used another hash.
pub(crate) fn cut_name(resolved: &Path) -> Option<String> {
    let mut name = plain_name(&resolved.to_string_lossy());
    (name.len() > MAX_NAME).then(|| {
        name.truncate(MAX_NAME);
        name.push('-');
        name
    })
}

/// Replaces each UTF-16 unit other than an ASCII letter or digit by `-`.
pub(crate) fn plain_name(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else {
            name.push_str(if c.len_utf16() == 1 { "-" } else { "--" });
        }
    }
    name
}

/// Makes a path absolute and resolves links in the part that exists.
pub(crate) fn resolve(path: &Path) -> PathBuf {
    let whole = path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for existing in whole.ancestors() {
        if let Ok(resolved) = fs::canonicalize(existing) {
            let rest = whole.strip_prefix(existing).unwrap_or_else(|_| Path::new(""));
            let resolved = joined(without_verbatim(resolved), rest);
            return if cfg!(target_os = "macos") { composed_path(resolved) } else { resolved };
        }
    }
    whole
}

/// Returns the path with composed characters (Unicode NFC).
///
/// The CLI composes the path of its configuration folder on every platform, and those of projects only on macOS.
/// So if `CLAUDE_CONFIG_DIR` is set, the CLI may use a folder other than the one that it names.
pub fn composed_path(path: PathBuf) -> PathBuf {
    match path.to_str() {
        Some(text) => text.nfc().collect::<String>().into(),
        None => path,
    }
}

/// Appends a path that does not exist, so `..` is resolved lexically.
fn joined(mut path: PathBuf, rest: &Path) -> PathBuf {
    for part in rest.components() {
        match part {
            path::Component::ParentDir => _ = path.pop(),
            part => path.push(part),
        }
    }
    path
}

/// Converts the verbatim form of Windows paths (`\\?\C:\…`), which the CLI does not use.
fn without_verbatim(path: PathBuf) -> PathBuf {
    let text = path.to_str().unwrap_or_default();
    match (text.strip_prefix(r"\\?\UNC\"), text.strip_prefix(r"\\?\")) {
        (Some(share), _) => format!(r"\\{share}").into(),
        (None, Some(plain)) => plain.to_owned().into(),
        (None, None) => path,
    }
}

/// Returns the common JavaScript string hash: `31 * hash + unit` over UTF-16 units, in 32 bits.
fn hash(text: &str) -> u32 {
    let hash = text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
    hash.unsigned_abs()
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

/// The longest name without a hash, in UTF-16 units.
const MAX_NAME: usize = 200;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{composed_path, cut_name, folder_name, project_key};

    #[test]
    fn a_folder_is_named_as_the_cli_names_it() {
        for (path, name) in [
            ("/srv/plain.dir_x", "-srv-plain-dir-x"),
            ("/srv/emoji-\u{1f600}y", "-srv-emoji---y"),
            ("/srv/decomposed-e\u{301}x", "-srv-decomposed-e-x"),
            ("/srv/composed-\u{e9}x", "-srv-composed--x"),
        ] {
            assert_eq!(folder_name(Path::new(path)), name);
        }
    }

    #[test]
    fn the_path_of_the_configuration_folder_is_composed() {
        assert_eq!(composed_path("/srv/e\u{301}/.claude".into()), Path::new("/srv/\u{e9}/.claude"));
    }

    /// The algorithm was verified with the CLI 2.1.330; the values are computed with it.
    #[test]
    fn a_long_name_is_cut_and_hashed_by_utf16_units() {
        let long = format!("/{}", "a".repeat(200));
        assert_eq!(folder_name(Path::new(&long)), format!("-{}-b6ymvl", "a".repeat(199)));
        assert_eq!(cut_name(Path::new(&long)).unwrap(), format!("-{}-", "a".repeat(199)));
        let emoji = format!("/{}", "\u{1f600}".repeat(100));
        assert_eq!(folder_name(Path::new(&emoji)), format!("{}-5s12ud", "-".repeat(200)));
        let fits = format!("/{}", "a".repeat(199));
        assert_eq!(folder_name(Path::new(&fits)).len(), 200);
        assert_eq!(cut_name(Path::new(&fits)), None);
    }

    #[test]
    fn missing_paths_are_resolved_as_far_as_they_exist() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap().join("nothing/here");
        assert_eq!(project_key(&folder.path().join("nothing/x/../here")), folder_name(&real));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_resolved() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("link")).unwrap();
        assert_eq!(project_key(&folder.path().join("link")), project_key(folder.path()));
    }
}
