//! The generated part of a page, between two marks.

use std::fs;

use crate::failure::{Failure, While as _};
use crate::workspace;

/// Puts `text` between the marks of the command that writes it, or, with `check`, fails if it is not there.
pub(crate) fn update(page: &str, command: &str, text: &str, check: bool) -> Result<(), Failure> {
    let file = workspace::root()?.join(page);
    let old = fs::read_to_string(&file).while_doing(|| format!("reading {page}"))?;
    let new = replace(&old, command, text)?;
    if new == old {
        return Ok(());
    }
    if check {
        return Err(Failure::new(format!("{page} is not current: `{command}`")));
    }
    fs::write(&file, new).while_doing(|| format!("writing {page}"))
}

fn replace(page: &str, command: &str, text: &str) -> Result<String, Failure> {
    let begin = format!("<!-- begin: written by `{command}` -->");
    let no_marks = || Failure::new(format!("the page lacks the lines `{begin}` and `{END}`"));
    let (before, rest) = page.split_once(&begin).ok_or_else(no_marks)?;
    let (_, after) = rest.split_once(END).ok_or_else(no_marks)?;
    Ok(format!("{before}{begin}\n\n{}\n\n{END}{after}", text.trim_end()))
}

const END: &str = "<!-- end -->";

#[cfg(test)]
mod tests {
    use super::{END, replace};

    #[test]
    fn text_between_the_marks_is_replaced() {
        let page = |text: &str| format!("a\n<!-- begin: written by `x` -->\n\n{text}\n\n{END}\nb\n");
        assert_eq!(replace(&page("old"), "x", "new\n").unwrap(), page("new"));
        assert!(replace("a", "x", "new").is_err());
    }
}
