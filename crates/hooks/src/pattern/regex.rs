//! Checks that a matcher's regular expression compiles, and that each of its branches can match a tool's name.
//!
//! For an invalid pattern, or a pattern without a matching tool, the CLI reports no error and never calls the hook.

use regress::Regex;

use super::name::{self, KNOWN};

/// Checks a regular expression, and if `of_tools`, that each part of it can match a tool's name.
pub(super) fn check(pattern: &str, of_tools: bool) -> Result<(), String> {
    if pattern.len() > MAX_LENGTH || pattern.matches('(').count() > MAX_GROUPS {
        return Err("it is too long to be checked; register several hooks".to_owned());
    }
    let regex = compile(pattern)?;
    let mut reader = Reader { rest: pattern, of_tools, branches: 0, looks_around: false };
    let samples = reader.alternatives()?;
    if !of_tools {
        return Ok(());
    }
    let mut covered = vec![false; reader.branches];
    for sample in samples.iter().filter(|sample| sample.matches(&regex)) {
        sample.branches.iter().for_each(|&branch| covered[branch] = true);
    }
    let Some(missing) = covered.iter().position(|covered| !covered) else { return Ok(()) };
    // Samples ignore lookarounds.
    if reader.looks_around && KNOWN.iter().any(|tool| regex.find(tool).is_some()) {
        return Ok(());
    }
    let sample = samples.iter().find(|sample| sample.branches.contains(&missing));
    let sample = sample.map_or("", |sample| &sample.text);
    Err(format!(
        "a part of it matches no tool's name (it asks for something like `{}`): a name has letters, digits, `_` and `-`, and \
         that of a tool of an MCP server is `mcp__server__tool`",
        sample.escape_debug()
    ))
}

/// Returns whether the pattern matches one of these names.
pub(super) fn matches_any<'a>(pattern: &str, mut names: impl Iterator<Item = &'a str>) -> bool {
    compile(pattern).is_ok_and(|regex| names.any(|name| regex.find(name).is_some()))
}

fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| format!("it is not a regular expression: {error}"))
}

/// A text that some branches of the pattern match, apart from their assertions.
#[derive(Clone, Default)]
struct Sample {
    text: String,
    branches: Vec<usize>,
}

impl Sample {
    fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), branches: Vec::new() }
    }

    /// Returns whether the pattern matches a tool's name that equals or contains the sample.
    fn matches(&self, regex: &Regex) -> bool {
        let text = &self.text;
        let after = ["", "x", "__x", "_x__x"].map(|end| format!("{text}{end}"));
        let before = ["mcp__x__", "mcp__x"].map(|start| format!("{start}{text}"));
        let mut names = after.iter().chain(before.iter().filter(|_| !name::begins_like_mcp(text)));
        names.any(|name| name::check(name).is_ok() && regex.find(name).is_some())
    }

    /// Concatenates both texts.
    fn then(&self, next: &Self) -> Self {
        let mut joined = self.clone();
        joined.push(&next.text);
        joined.branches.extend(&next.branches);
        joined
    }

    /// Appends text up to the maximum length of a name.
    fn push(&mut self, text: &str) {
        let room = (name::MAX_LENGTH + 1).saturating_sub(self.text.len());
        self.text.extend(text.chars().take(room));
    }
}

/// A parser for a valid pattern.
struct Reader<'a> {
    rest: &'a str,
    of_tools: bool,
    /// The number of branches so far: alternatives of the pattern and of its groups.
    branches: usize,
    /// Whether the pattern contains a `(?=` or a `(?<=`.
    looks_around: bool,
}

impl<'a> Reader<'a> {
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

    /// Reads alternatives up to the end of the pattern or group.
    fn alternatives(&mut self) -> Result<Vec<Sample>, String> {
        let mut all = Vec::new();
        loop {
            let branch = self.branches;
            self.branches += 1;
            let mut samples = self.sequence()?;
            samples.iter_mut().for_each(|sample| sample.branches.push(branch));
            all.append(&mut samples);
            if !self.skip("|") {
                return Ok(all);
            }
        }
    }

    fn sequence(&mut self) -> Result<Vec<Sample>, String> {
        let mut samples = vec![Sample::default()];
        // The possible name of a rule `Name(…)`, and the samples after it.
        let mut plain = Some(String::new());
        let mut rule = None;
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let start = self.rest;
            let atom = self.atom()?;
            let repeated = self.repeated(&atom);
            let asserts =
                ["^", "$", r"\b", r"\B", "(?<=", "(?<!"].into_iter().any(|one| start.starts_with(one));
            if asserts && repeated.is_some() {
                return Err("an assertion can't be repeated".to_owned());
            }
            if let Some(name) = &mut plain {
                match start.chars().next() {
                    Some('^') => {}
                    Some('(') if !start.starts_with("(?") && repeated.is_none() => {
                        rule = Some((std::mem::take(name), atom.clone()));
                        plain = None;
                    }
                    Some(char) if name::is_of_name(char) && repeated.is_none() => name.push(char),
                    _ => plain = None,
                }
            } else if !start.starts_with('$') {
                rule = None;
            }
            samples = join(&samples, &repeated.unwrap_or(atom));
        }
        match rule {
            Some((name, inner)) if self.of_tools && is_rule(&name, &inner) => Err(format!(
                "`{name}(…)` looks like a permission rule, and the tool's name alone is compared; look at the tool's \
                 input in the handler"
            )),
            _ => Ok(samples),
        }
    }

    fn atom(&mut self) -> Result<Vec<Sample>, String> {
        let start = self.rest;
        let sample = match self.next() {
            Some('^' | '$') | None => Sample::default(),
            Some('(') => return self.group(),
            Some('\\') => match self.escape()? {
                'b' | 'B' => Sample::default(),
                char if char.is_ascii_alphanumeric() => self.one_of(start),
                char => Sample::of(char),
            },
            Some('[') => {
                while let Some(char) = self.next() {
                    match char {
                        '\\' => _ = self.escape()?,
                        ']' => break,
                        _ => {}
                    }
                }
                self.one_of(start)
            }
            Some('.') => self.one_of(start),
            Some(char) => Sample::of(char),
        };
        Ok(vec![sample])
    }

    /// Reads after a `\`: a class, a boundary, or a literal character.
    fn escape(&mut self) -> Result<char, String> {
        match self.next() {
            Some(char) if char.is_ascii_alphanumeric() && !"dDwWsSbB".contains(char) => {
                Err(format!("`\\{char}` is not used in matchers: write the character itself"))
            }
            char => Ok(char.unwrap_or('\\')),
        }
    }

    /// Returns a character that the class since `start` matches, preferably a character of names.
    fn one_of(&self, start: &str) -> Sample {
        let class = &start[..start.len() - self.rest.len()];
        let regex = compile(&format!("^{class}$"));
        let fits = |char: &char| {
            regex.as_ref().is_ok_and(|regex| regex.find(char.encode_utf8(&mut [0; 4])).is_some())
        };
        Sample::of(
            ('a'..='z').rev().chain('A'..='Z').chain('0'..='9').chain(['_', '-']).find(fits).unwrap_or(' '),
        )
    }

    /// Reads a group after its `(`.
    fn group(&mut self) -> Result<Vec<Sample>, String> {
        let ahead = ["?=", "?<="].into_iter().any(|start| self.skip(start));
        let looks = ahead || ["?!", "?<!"].into_iter().any(|start| self.skip(start));
        if !looks && !self.skip("?:") && self.rest.starts_with('?') {
            return Err("a `(?` is followed by `:`, `=`, `!`, `<=` or `<!` in matchers: versions of JavaScript differ in \
                        the other groups"
                .to_owned());
        }
        let branches = self.branches;
        let samples = self.alternatives()?;
        self.skip(")");
        if !looks {
            return Ok(samples);
        }
        self.looks_around |= ahead;
        self.branches = branches;
        Ok(vec![Sample::default()])
    }

    /// Applies a quantifier to the atom before it, or returns `None` if there is no quantifier.
    fn repeated(&mut self, atom: &[Sample]) -> Option<Vec<Sample>> {
        let (least, rest) = match self.rest.split_at_checked(1)? {
            ("*" | "?", rest) => (0, rest),
            ("+", rest) => (1, rest),
            ("{", rest) => least(rest)?,
            _ => return None,
        };
        self.rest = rest;
        self.skip("?");
        let times = |sample: &Sample| {
            let mut repeated = Sample { text: String::new(), branches: sample.branches.clone() };
            (0..least.clamp(1, name::MAX_LENGTH + 1)).for_each(|_| repeated.push(&sample.text));
            repeated
        };
        let mut repeated: Vec<Sample> = atom.iter().map(times).collect();
        if least == 0 {
            repeated.push(Sample::default());
        }
        Some(repeated)
    }
}

/// Reads after a `{`: returns the minimum of `{min,max}` and the text behind it, or `None` for a literal brace.
fn least(text: &str) -> Option<(usize, &str)> {
    let (count, rest) = text.split_once('}')?;
    let (least, most) = count.split_once(',').unwrap_or((count, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_count = !least.is_empty() && digits(least) && digits(most);
    is_count.then(|| (least.parse().unwrap_or(usize::MAX), rest))
}

/// Concatenates all pairs, or, if there would be too many, enough pairs to use each sample at least once.
fn join(before: &[Sample], after: &[Sample]) -> Vec<Sample> {
    if before.len() * after.len() <= MAX_SAMPLES {
        return before.iter().flat_map(|first| after.iter().map(|next| first.then(next))).collect();
    }
    let pairs = before.iter().cycle().zip(after.iter().cycle());
    pairs.take(before.len().max(after.len())).map(|(first, next)| first.then(next)).collect()
}

/// Returns whether `Name(…)` looks like a permission rule, since no tool's name continues with the group.
fn is_rule(name: &str, inner: &[Sample]) -> bool {
    let is_start = name.is_empty() || name.ends_with(['_', '-']);
    let may_be_empty = inner.iter().any(|sample| sample.text.is_empty());
    let is_known = |name: &str| KNOWN.contains(&name);
    let all_known = inner.iter().all(|sample| is_known(&format!("{name}{}", sample.text)));
    !is_start && !may_be_empty && !all_known && (inner.len() == 1 || is_known(name))
}

const MAX_LENGTH: usize = 4_096;
/// Bounds the recursion into nested groups.
const MAX_GROUPS: usize = 128;
const MAX_SAMPLES: usize = 256;
