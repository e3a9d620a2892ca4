//! `cargo xtask tidy`: what no compiler checks.
//!
//! Each rule is a file that gives findings for one text, and has a test that shows that it can fail.

mod guides;
mod links;
mod machine_paths;
mod mask;
mod names;
mod serde_derives;
mod servers;
mod size;
mod sleep;
mod sources;

use std::fmt;

use crate::failure::Failure;
use crate::workspace;
pub(crate) use sources::Source;

/// Checks rules of the repository that no compiler checks
#[derive(Debug, clap::Args)]
pub(crate) struct Args;

/// `cargo xtask tidy`: fails with every finding.
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    let (files, findings) = check()?;
    println!("    {files} files, {} rules", RULES.len());
    if findings.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = findings.iter().map(ToString::to_string).collect();
    Err(Failure::new(format!("{} findings\n  {}", list.len(), list.join("\n  "))))
}

/// A violation of a rule.
#[derive(Debug)]
struct Finding {
    rule: &'static str,
    path: String,
    /// Counted from 1; 0 means the whole file.
    line: usize,
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {} [{}]", self.what, self.rule)
    }
}

/// A line of a file, counted from 1 (0: the whole file), and the finding.
type Hit = (usize, String);

/// A rule: its name, and its check of a file.
struct Rule {
    name: &'static str,
    find: fn(&Source) -> Vec<Hit>,
}

fn check() -> Result<(usize, Vec<Finding>), Failure> {
    let root = workspace::root()?;
    let sources = sources::load(&root)?;
    let mut findings: Vec<Finding> = sources.iter().flat_map(findings_in).collect();
    findings.extend(guides::findings(&root, &sources));
    findings.extend(links::findings(&root, &sources));
    Ok((sources.len(), findings))
}

fn findings_in(source: &Source) -> impl Iterator<Item = Finding> {
    RULES.iter().flat_map(move |rule| {
        let hits = (rule.find)(source).into_iter();
        hits.map(move |(line, what)| Finding { rule: rule.name, path: source.path.clone(), line, what })
    })
}

const RULES: &[Rule] = &[
    Rule { name: "header", find: size::header },
    Rule { name: "budget", find: size::budget },
    Rule { name: "names", find: names::find },
    Rule { name: "serde-derives", find: serde_derives::find },
    Rule { name: "machine-paths", find: machine_paths::find },
    Rule { name: "sleep", find: sleep::find },
    Rule { name: "servers", find: servers::find },
];
