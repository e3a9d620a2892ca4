//! The top modules of a crate use each other in one direction.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::rules::KNOWN_CYCLES;
use crate::failure::{Failure, While as _};
use crate::metadata::Metadata;
use crate::tidy::Source;

/// The first place where a top module names another: from, to, and `file:line`.
type Edges = BTreeMap<(String, String), String>;

/// Finds import cycles between the top modules of each library and program.
pub(super) fn check(metadata: &Metadata) -> Result<Vec<String>, Failure> {
    let mut findings = Vec::new();
    let mut unused: BTreeSet<&(&str, &str, &str)> = KNOWN_CYCLES.iter().collect();
    for package in metadata.members() {
        for target in package.targets.iter().filter(|target| target.is_product()) {
            let mut edges = edges(&target.src_path, &mut |path| std::fs::read_to_string(path))?;
            for known in KNOWN_CYCLES.iter().filter(|known| known.0 == package.name) {
                let edge = (known.1.to_owned(), known.2.to_owned());
                if in_cycles(&edges).contains(&edge) {
                    unused.remove(known);
                    edges.remove(&edge);
                }
            }
            let cyclic = in_cycles(&edges);
            let list = cyclic.iter().map(|edge| format!("{} -> {} at {}", edge.0, edge.1, edges[edge]));
            findings.extend(list.map(|edge| format!("{}: cycle of modules: {edge}", package.name)));
        }
    }
    findings.extend(unused.into_iter().map(|(package, from, to)| {
        format!("{package}: {from} -> {to} is in no cycle any more: remove it from layers/rules.rs")
    }));
    Ok(findings)
}

/// Returns the edges between the top modules of the crate with this root, tests excluded.
fn edges(root: &Path, read: &mut dyn FnMut(&Path) -> std::io::Result<String>) -> Result<Edges, Failure> {
    let mut load = |path: &Path| -> Result<Source, Failure> {
        let text = read(path).while_doing(|| format!("reading {}", path.display()))?;
        Ok(Source::new(path.display().to_string(), text))
    };
    let source = load(root)?;
    let folder = root.parent().unwrap_or(root);
    let tops = modules(&source);
    let reexports = reexports(&source, &tops);
    let mut edges = Edges::new();
    for top in &tops {
        let mut open = vec![(folder.join(top), 1)];
        while let Some((module, depth)) = open.pop() {
            let path = module.with_extension("rs");
            let source = load(&path)?;
            open.extend(modules(&source).iter().map(|name| (module.join(name), depth + 1)));
            for (line, name) in root_names(&source, depth) {
                let to = reexports.get(&name).unwrap_or(&name);
                if to != top && tops.contains(to) {
                    let place = format!("{}:{line}", short(&path).display());
                    edges.entry((top.clone(), to.clone())).or_insert(place);
                }
            }
        }
    }
    Ok(edges)
}

/// Returns the path from the folder of the crate on.
fn short(path: &Path) -> PathBuf {
    let parts: Vec<_> = path.components().collect();
    let src = parts.iter().rposition(|part| part.as_os_str() == "src" || part.as_os_str() == "bin");
    parts[src.unwrap_or(0)..].iter().collect()
}

/// Returns the modules in files of their own that a file declares outside of tests.
fn modules(source: &Source) -> BTreeSet<String> {
    let lines = product_lines(source);
    let declared = lines.iter().enumerate().filter_map(|(at, (_, line))| {
        let name =
            line.split_once("mod ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"));
        let is_test = lines[..at].last().is_some_and(|(_, above)| is_test_attribute(above));
        name?.1.strip_suffix(';').filter(|_| !is_test)
    });
    declared.map(str::to_owned).collect()
}

fn product_lines(source: &Source) -> Vec<(usize, &str)> {
    let last = source.first_test_line().map_or(usize::MAX, |line| line - 1);
    source.code.lines().enumerate().map(|(at, line)| (at + 1, line)).take(last).collect()
}

fn is_test_attribute(line: &str) -> bool {
    line.trim_start().starts_with("#[cfg(") && line.contains("test") && !line.contains("not(test")
}

/// Returns the names that the root re-exports, with the top module of each.
fn reexports(source: &Source, tops: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for (at, _) in source.code.match_indices("use ") {
        let path = source.code[at + 4..].split(';').next().unwrap_or_default();
        let path = path.trim_start_matches("crate::");
        let Some(top) = path.split("::").next().filter(|top| tops.contains(*top)) else { continue };
        let words = path
            .split(['{', '}', ','])
            .filter_map(|path| path.rsplit("::").next()?.split_whitespace().last());
        names.extend(words.map(|name| (name.to_owned(), top.to_owned())));
    }
    names
}

/// Returns the names that paths of a file take from the root of the crate, with their lines.
fn root_names(source: &Source, depth: usize) -> Vec<(usize, String)> {
    let lines = product_lines(source);
    let end: usize = lines.iter().map(|(_, line)| line.len() + 1).sum();
    let code = &source.code[..end.min(source.code.len())];
    let supers = "super::".repeat(depth);
    let mut names = Vec::new();
    for prefix in ["crate::", &supers] {
        for (at, _) in code.match_indices(prefix) {
            let before = code[..at].trim_end_matches('$');
            if before.ends_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | ':')) {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            let below_test =
                line > 1 && lines.get(line - 2).is_some_and(|(_, above)| is_test_attribute(above));
            let rest = &code[at + prefix.len()..];
            names.extend(heads(rest).into_iter().filter(|_| !below_test).map(|name| (line, name)));
        }
    }
    names
}

/// Returns the first segment of a path, or those of a group of paths in braces.
fn heads(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else { return vec![first_word(rest)] };
    let mut depth = 1;
    let mut starts = vec![0];
    for (at, char) in group.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => starts.push(at + 1),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    starts.into_iter().map(|at| first_word(group[at..].trim_start())).collect()
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect()
}

/// Returns the edges whose end leads back to their start.
fn in_cycles(edges: &Edges) -> BTreeSet<(String, String)> {
    let reaches = |from: &str, to: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            if seen.insert(module) {
                open.extend(edges.keys().filter(|edge| edge.0 == module).map(|edge| edge.1.as_str()));
            }
        }
        seen.contains(to)
    };
    edges.keys().filter(|(from, to)| reaches(to, from)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::{edges, in_cycles};

    /// Returns the edges in cycles of a crate with these files.
    fn cycles(files: &[(&str, &str)]) -> Vec<String> {
        let mut read = |path: &Path| {
            let file = files.iter().find(|(name, _)| Path::new("src").join(name) == path);
            file.map(|(_, text)| (*text).to_owned()).ok_or_else(|| io::ErrorKind::NotFound.into())
        };
        let edges = edges(Path::new("src/lib.rs"), &mut read).unwrap();
        in_cycles(&edges).iter().map(|(from, to)| format!("{from} -> {to}")).collect()
    }

    const ROOT: (&str, &str) =
        ("lib.rs", "mod a;\npub mod b;\n#[cfg(test)]\nmod c;\npub use b::{B, deep::D};\n");

    #[test]
    fn cycle_is_found_in_each_kind_of_path() {
        for back in [
            "use crate::a::A;",
            "fn f(a: super::super::a::A) {}",
            "pub(crate) use crate::{x, a::{A, Other}};",
            "macro_rules! m { () => { $crate::a::f() }; }",
        ] {
            for there in ["use crate::b::B;", "use super::D;", "impl crate::B {}"] {
                let files = [ROOT, ("a.rs", there), ("b.rs", "pub mod deep;"), ("b/deep.rs", back)];
                assert_eq!(cycles(&files), ["a -> b", "b -> a"], "{there} {back}");
            }
        }
    }

    #[test]
    fn one_direction_and_tests_are_no_cycle() {
        for back in [
            "// crate::a::A",
            "use super::a::Sibling;",
            "#[cfg(test)]\nuse crate::a::A;",
            "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}",
            "use other_crate::a::A;",
        ] {
            let files = [ROOT, ("a.rs", "use crate::b::B;"), ("b.rs", "pub mod deep;"), ("b/deep.rs", back)];
            assert!(cycles(&files).is_empty(), "{back}");
        }
    }
}
