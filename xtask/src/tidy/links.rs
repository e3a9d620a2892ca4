//! Links of pages lead to files of the repository.

use std::path::Path;

use super::{Finding, Source};

/// Finds the links of pages to missing files of the repository.
pub(super) fn findings(root: &Path, sources: &[Source]) -> Vec<Finding> {
    let pages = sources.iter().filter(|source| source.path.ends_with(".md"));
    pages.flat_map(|page| findings_in(root, page)).collect()
}

fn findings_in(root: &Path, page: &Source) -> Vec<Finding> {
    let folder = root.join(&page.path).parent().map(Path::to_owned).unwrap_or_default();
    let mut findings = Vec::new();
    let mut is_code = false;
    for (number, line) in page.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let is_there = |target: &&str| match target.strip_prefix(HOSTED) {
            Some(path) => root.join(path).exists(),
            None => folder.join(target).exists(),
        };
        let dead = targets(line).filter(|target| !is_code && !is_there(target));
        findings.extend(dead.map(|target| Finding {
            rule: "links",
            path: page.path.clone(),
            line: number + 1,
            what: format!("there is no `{target}`"),
        }));
    }
    findings
}

/// The files that a line links to, without URLs, places on the same page and Rust items.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', ' ', '#']).next()?;
        let is_file = target.contains(['/', '.']) && !target.contains(':');
        (is_file || target.starts_with(HOSTED)).then_some(target)
    })
}

/// Files outside of the book are linked by their address.
const HOSTED: &str = "https://github.com/agentwire/agentwire/blob/main/";

#[cfg(test)]
mod tests {
    use super::{Source, findings};

    #[test]
    fn a_link_to_what_is_not_there_is_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("docs")).unwrap();
        std::fs::write(folder.path().join("docs/a.md"), "").unwrap();
        let found = |text: &str| {
            let found = findings(folder.path(), &[Source::new("docs/b.md", text)]);
            found.into_iter().map(|finding| (finding.line, finding.what)).collect::<Vec<_>>()
        };
        let there =
            "[a](a.md), [a](../docs/a.md#place), [up](..), [here](#here), [web](https://x.org/c.md)\n";
        assert_eq!(found(there), []);
        assert_eq!(found("[item](crate::Item), [item](Item), `f[0](c.md)`\n").len(), 1);
        assert_eq!(found("```text\n[c](c.md)\n```\n"), []);
        let dead = [(2, "there is no `c.md`".to_owned()), (2, "there is no `../d/`".to_owned())];
        assert_eq!(found("\n[c](c.md) and [d](../d/)\n"), dead);
        let hosted = format!("[a]({0}docs/a.md), [c]({0}docs/c.md)\n", super::HOSTED);
        assert_eq!(found(&hosted).len(), 1);
        // Other files are not checked.
        assert!(findings(folder.path(), &[Source::new("docs/b.rs", "//! [c](c.md)\n")]).is_empty());
    }
}
