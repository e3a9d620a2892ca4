//! The known differences, from the table in docs/internals/protocol.md.

use std::fs;
use std::path::Path;

use super::Findings;
use crate::failure::{Failure, While as _};

/// The rows of the table.
#[derive(Debug)]
pub(super) struct Exceptions(Vec<String>);

impl Exceptions {
    pub(super) fn load(root: &Path) -> Result<Self, Failure> {
        let file = root.join("docs/internals/protocol.md");
        Self::parse(&fs::read_to_string(&file).while_doing(|| format!("reading {}", file.display()))?)
    }

    /// Parses the rows below the heading: names in backticks, which may end with `*`, and a reason.
    fn parse(text: &str) -> Result<Self, Failure> {
        let mut rows = Vec::new();
        let section = text.lines().skip_while(|line| *line != HEADING).skip(1);
        for line in section.take_while(|line| !line.starts_with("## ")) {
            let Some(row) = line.strip_prefix("| `") else { continue };
            let (whats, reason) =
                row.split_once("` |").ok_or_else(|| Failure::new(format!("no row: {line}")))?;
            if reason.trim_matches(['|', ' ']).is_empty() {
                return Err(Failure::new(format!("`{whats}` is listed without a reason")));
            }
            rows.extend(whats.split("`, `").map(str::to_owned));
        }
        Ok(Self(rows))
    }

    /// The findings that no row lists, and how many rows cover.
    pub(super) fn split(&self, findings: &Findings) -> (Vec<(String, String)>, usize) {
        let mut missing = Vec::new();
        let mut excepted = 0;
        for (what, count, detail) in findings.iter() {
            if self.0.iter().any(|row| fits(row, what)) {
                excepted += 1;
                continue;
            }
            let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
            missing.push((what.to_owned(), format!("{detail}{times}")));
        }
        (missing, excepted)
    }

    /// The rows that match no finding.
    pub(super) fn stale(&self, findings: &Findings) -> Vec<&str> {
        let fits_none = |row: &&String| !findings.iter().any(|(what, _, _)| fits(row, what));
        self.0.iter().filter(fits_none).map(String::as_str).collect()
    }
}

fn fits(row: &str, what: &str) -> bool {
    match row.strip_suffix('*') {
        Some(start) => what.starts_with(start),
        None => what == row,
    }
}

const HEADING: &str = "## Known differences";

#[cfg(test)]
mod tests {
    use super::{Exceptions, Findings};

    #[test]
    fn rows_except_findings_and_stale_rows_are_found() {
        let text = "# A\n| `field x` | not here |\n## Known differences\n\n| what | why |\n|---|---|\n\
            | `field A.b` | for a reason |\n| `option *`, `gone` | later |\n\n## More\n| `kind q` | no |\n";
        let exceptions = Exceptions::parse(text).unwrap();
        let mut findings = Findings::default();
        for what in ["field A.b", "option z", "field x", "field A.bc"] {
            findings.add(what, "seen");
        }
        findings.add("field x", "again");
        let (missing, excepted) = exceptions.split(&findings);
        assert_eq!(excepted, 2);
        let seen = |what: &str, detail: &str| (what.to_owned(), detail.to_owned());
        assert_eq!(missing, [seen("field A.bc", "seen"), seen("field x", "seen (2 times)")]);
        assert_eq!(exceptions.stale(&findings), ["gone"]);
    }

    #[test]
    fn a_row_needs_a_reason() {
        assert!(Exceptions::parse("## Known differences\n| `a` |  |\n").is_err());
    }
}
