//! `cargo xtask book`: the guide as an mdBook below `target/book`.

use std::fs;
use std::path::Path;

use crate::failure::{Failure, While as _};
use crate::machine;
use crate::program;
use crate::workspace;

/// Builds the guide, and checks its pages, links and search index
#[derive(Debug, clap::Args)]
pub(crate) struct Args;

/// Fails if a page of the guide is missing, a link is dead, or the book can't be searched.
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    let root = workspace::root()?;
    let (docs, book) = (root.join("docs"), root.join("target/book"));
    program::run(machine::mdbook()?.arg("build").arg(&docs))?;
    let summary =
        fs::read_to_string(docs.join("SUMMARY.md")).while_doing(|| "reading SUMMARY.md".to_owned())?;
    let pages: Vec<&str> = targets(&summary, "](", ')').collect();
    let mut faults = Vec::new();
    for page in &pages {
        faults.extend(dead_links(&book, &page.replace(".md", ".html"))?);
    }
    if !has_search_index(&book)? {
        faults.push("there is no search index".to_owned());
    }
    if faults.is_empty() {
        println!("    {} pages in {}", pages.len(), book.display());
        return Ok(());
    }
    Err(Failure::new(format!("{} faults in the book\n  {}", faults.len(), faults.join("\n  "))))
}

/// Returns the links of a page to files that the book lacks.
fn dead_links(book: &Path, page: &str) -> Result<Vec<String>, Failure> {
    let file = book.join(page);
    let html = fs::read_to_string(&file).while_doing(|| format!("reading {page}"))?;
    let folder = file.parent().unwrap_or(book);
    let local = targets(&html, "href=\"", '"').filter(|link| !link.contains(':'));
    let files = local.filter_map(|link| link.split('#').next()).filter(|link| !link.is_empty());
    let dead = files.filter(|link| !folder.join(link).exists());
    Ok(dead.map(|link| format!("{page}: there is no {link}")).collect())
}

/// The texts between each `start` and the next `end`.
fn targets<'a>(text: &'a str, start: &'a str, end: char) -> impl Iterator<Item = &'a str> {
    text.split(start).skip(1).filter_map(move |rest| rest.split(end).next())
}

fn has_search_index(book: &Path) -> Result<bool, Failure> {
    let entries = fs::read_dir(book).while_doing(|| "listing the book".to_owned())?;
    let mut names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.any(|name| name.starts_with("searchindex")))
}

#[cfg(test)]
mod tests {
    use super::dead_links;

    #[test]
    fn dead_link_of_a_page_is_found() {
        let book = tempfile::tempdir().unwrap();
        std::fs::write(book.path().join("a.html"), r##"<a href="a.html#b"><a href="#b"><a href="c.html">"##)
            .unwrap();
        assert_eq!(dead_links(book.path(), "a.html").unwrap(), ["a.html: there is no c.html"]);
    }
}
