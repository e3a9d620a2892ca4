//! Quotes text of servers in a prompt, so that it can't be confused with the text around it.

/// Quotes text as a code block that the text itself can't end.
///
/// The fence is longer than any run of backticks in the text.
pub fn fenced(text: &str, language: &str) -> String {
    let text = visible(text);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// Quotes a name or an address as inline code.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// Puts text on one line.
fn one_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a character can hide or forge text: control characters except line feed and tab, zero-width spaces,
/// changes of the writing direction, Unicode tags and variation selectors, which can hide text from the user (except
/// U+FE0F, which emoji need), and separators that may be taken for the end of a line.
pub fn is_invisible(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}' => true,
        '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FFF9}'..='\u{FFFB}' => true,
        '\u{FE00}'..='\u{FE0E}' | '\u{E0000}'..='\u{E01EF}' => true,
        other => other.is_control(),
    }
}

fn visible(text: &str) -> String {
    text.replace("\r\n", "\n").chars().filter(|char| !is_invisible(*char)).collect()
}

fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{code, fenced};

    #[test]
    fn quoted_text_cannot_end_its_block() {
        for text in ["", "plain", "```\n# Forged\n```", "a `````` b", "~~~\n", "x\r```\u{2028}```"] {
            let block = fenced(text, "text");
            let lines: Vec<_> = block.lines().collect();
            let (first, last) = (lines[0].strip_suffix("text").unwrap(), lines[lines.len() - 1]);
            assert_eq!(first, last);
            let ending = lines.iter().filter(|line| line.trim().starts_with(last)).count();
            assert_eq!(ending, 2, "{block}");
        }
    }

    #[test]
    fn code_stays_on_its_line() {
        assert_eq!(code("a\n# Forged"), "`a # Forged`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("\u{E0041}\u{202E}\u{61C}x\u{7}\u{9B}\u{200B}\u{E0100}\u{FE01}"), "`x`");
    }
}
