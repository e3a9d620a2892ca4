//! The generated part of a page, between two marks.

use crate::failure::Failure;

/// Returns the page with `text` between the marks of the command that writes it.
pub(crate) fn replace(page: &str, command: &str, text: &str) -> Result<String, Failure> {
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
