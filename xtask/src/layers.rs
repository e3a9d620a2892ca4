//! `cargo xtask layers`: the order of the crates and of their modules, and what each crate may cost.

mod budgets;
mod cycles;
mod features;
mod manifests;
mod names;
mod order;
mod rules;
mod tree;

use crate::failure::Failure;
use crate::metadata::Metadata;
use crate::workspace;

/// Checks the order of the crates and of their modules, and the dependency budgets
#[derive(Debug, clap::Args)]
pub(crate) struct Args;

/// `cargo xtask layers`: prints the figures, fails with every finding.
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    let report = check()?;
    for figure in &report.figures {
        println!("    {figure}");
    }
    if report.findings.is_empty() {
        return Ok(());
    }
    let count = report.findings.len();
    Err(Failure::new(format!("{count} findings\n  {}", report.findings.join("\n  "))))
}

/// The measurements and the findings.
#[derive(Debug, Default)]
struct Report {
    figures: Vec<String>,
    findings: Vec<String>,
}

fn check() -> Result<Report, Failure> {
    let metadata = Metadata::load()?;
    let mut report = Report::default();
    for package in metadata.members() {
        report.findings.extend(order::findings(package));
    }
    report.findings.extend(manifests::check(&metadata)?);
    report.findings.extend(cycles::check(&metadata)?);
    report.findings.extend(features::check()?);
    report.findings.extend(names::check(&workspace::root()?.join("xtask/api"))?);
    budgets::check(&metadata, &mut report)?;
    Ok(report)
}
