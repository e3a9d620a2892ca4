//! Whether a text is a regular expression of JavaScript's, as the CLI reads one: without flags.
//!
//! Not what it matches: only what is a mistake there, since a matcher with a mistake matches nothing, and nobody is told.

/// Looks for mistakes.
///
/// # Errors
///
/// The first mistake.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    let mut reader = Reader { rest: pattern, open: Vec::new(), repeatable: false };
    while let Some(char) = reader.next() {
        reader.take(char)?;
    }
    if reader.open.is_empty() { Ok(()) } else { Err("a `(` is not closed".to_owned()) }
}

struct Reader<'a> {
    rest: &'a str,
    /// The open groups: whether each can be repeated once it is closed.
    open: Vec<bool>,
    /// Whether what stands before can be repeated.
    repeatable: bool,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let char = chars.next();
        self.rest = chars.as_str();
        char
    }

    fn skip(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn take(&mut self, char: char) -> Result<(), String> {
        match char {
            '\\' => match self.next() {
                None => return Err("it ends in a `\\`".to_owned()),
                Some(escaped) => self.repeatable = !matches!(escaped, 'b' | 'B'),
            },
            '[' => {
                self.class()?;
                self.repeatable = true;
            }
            '(' => {
                let repeatable = self.group()?;
                self.open.push(repeatable);
                self.repeatable = false;
            }
            ')' => self.repeatable = self.open.pop().ok_or("a `)` closes nothing")?,
            '*' | '+' | '?' => self.repeat(char)?,
            '{' => match self.count() {
                Some((least, most)) => {
                    if least > most {
                        return Err(format!("{{{least},{most}}} is the wrong way round"));
                    }
                    self.repeat(char)?;
                }
                // It stands for itself.
                None => self.repeatable = true,
            },
            '|' | '^' | '$' => self.repeatable = false,
            _ => self.repeatable = true,
        }
        Ok(())
    }

    fn repeat(&mut self, char: char) -> Result<(), String> {
        if !self.repeatable {
            return Err(format!("there is nothing before `{char}` that could be repeated"));
        }
        self.skip("?");
        self.repeatable = false;
        Ok(())
    }

    /// What follows a `(`; gives whether the group can be repeated.
    fn group(&mut self) -> Result<bool, String> {
        if !self.skip("?") {
            return Ok(true);
        }
        for (start, repeatable) in [(":", true), ("=", true), ("!", true), ("<=", false), ("<!", false)] {
            if self.skip(start) {
                return Ok(repeatable);
            }
        }
        let end = self.rest.find([':', '>', ')']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let named = rest.starts_with('>') && word.strip_prefix('<').is_some_and(is_word);
        let flags = rest.starts_with(':') && word.chars().all(|char| "ims-".contains(char));
        if !named && !flags {
            return Err(format!("JavaScript has no group that begins with `(?{word}`"));
        }
        self.rest = &rest[1..];
        Ok(true)
    }

    /// A class, behind its `[`.
    fn class(&mut self) -> Result<(), String> {
        let not_closed = || "a `[` is not closed".to_owned();
        self.skip("^");
        let mut last = None;
        loop {
            match self.next().ok_or_else(not_closed)? {
                ']' => return Ok(()),
                '\\' => {
                    self.next().ok_or_else(not_closed)?;
                    last = None;
                }
                '-' if last.is_some() && !self.rest.starts_with([']', '\\']) => {
                    let end = self.next().ok_or_else(not_closed)?;
                    if last > Some(end) {
                        return Err("a range is the wrong way round".to_owned());
                    }
                    last = None;
                }
                char => last = Some(char),
            }
        }
    }

    /// What follows a `{`, where it is a count: the least and the most.
    fn count(&mut self) -> Option<(u64, u64)> {
        let (inner, rest) = self.rest.split_once('}')?;
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse().unwrap_or(u64::MAX))
        };
        let count = match inner.split_once(',') {
            None => number(inner).map(|count| (count, count)),
            Some((least, "")) => number(least).map(|least| (least, u64::MAX)),
            Some((least, most)) => number(least).zip(number(most)),
        }?;
        self.rest = rest;
        Some(count)
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|char: char| char.is_alphabetic() || char == '_' || char == '$')
        && text.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '$')
}

#[cfg(test)]
mod tests {
    use super::check;

    /// All of these were tried on the CLI: none of them matched anything.
    #[test]
    fn mistakes_are_found() {
        for pattern in [
            "(",
            "[",
            "Ba(",
            "Edit|(Bash",
            "(Bash",
            "Bash)",
            "(?i)bash",
            "+",
            "?",
            "**",
            "\\",
            "Bash\\",
            "(?<=x)*Bash",
            "Ba{2,1}sh",
            "[z-a]|Bash",
            "\\b+Bash",
            "^*Bash",
            "Ba(?P<x>s)h",
            "{1}Bash",
            "x|*",
            "(?:Bash",
        ] {
            check(pattern).unwrap_err();
        }
    }

    #[test]
    fn what_is_no_mistake_is_left_alone() {
        for pattern in [
            "Ba.*",
            "^(Edit|Bash)$",
            "(?!Edit)",
            "(?i:bash)",
            "(?<n>Bash)",
            "B{1}ash",
            "(?=B)*Bash",
            "Bash{",
            "Bash}",
            "Bash]",
            "Bash{,2}",
            "(|Bash)",
            "()",
            "x||Bash",
            "Ba.*?",
            "a{2,}?b",
            "[^a-z]x",
            "[]a",
            "[a-]",
            "[\\]x]",
            "mcp__.*__(read|list)_.*",
            "x{99999999999999}|Bash",
            "Ünd|Bash",
            "(?<!x)Bash",
        ] {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
        }
    }
}
