//! The programs of the README files are those of the example `readme`, which `cargo xtask endings` runs.

use std::{fs, path::Path};

#[test]
fn programs_of_the_readme_files_are_in_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = squeezed(&fs::read_to_string(root.join("examples/readme.rs")).unwrap());
    let own = fs::read_to_string(root.join("README.md")).unwrap();
    // The package does not contain the workspace's README.
    let of_workspace = fs::read_to_string(root.join("../../README.md")).unwrap_or_default();
    let programs: Vec<String> = programs(&own).chain(programs(&of_workspace)).collect();
    assert!(programs.len() > 3, "{programs:?}");
    for program in programs {
        assert!(example.contains(&squeezed(&program)), "not in examples/readme.rs:\n{program}");
    }
}

/// The code of each block that is compiled and not run, with the lines that rustdoc hides.
fn programs(readme: &str) -> impl Iterator<Item = String> {
    let blocks = readme.split("\n```").filter_map(|block| {
        let (kind, code) = block.split_once('\n')?;
        kind.ends_with("no_run").then_some(code)
    });
    blocks.map(|code| {
        code.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
    })
}

/// Returns the code without what a surrounding module changes: spaces and visibility.
fn squeezed(code: &str) -> String {
    code.replace("pub(super)", "").split_whitespace().collect()
}
