//! Replaces variables in a text by their values.

use std::{ffi::OsStr, path::MAIN_SEPARATOR_STR};

use super::{super::ProblemKind, Variables};

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference<'t> {
    Environment(&'t str),
    Input(&'t str),
    WorkspaceFolder,
    WorkspaceFolderBasename,
    UserHome,
    PathSeparator,
}

/// The value of a variable.
// No `Debug`: values may be secrets.
#[derive(Clone)]
pub(crate) enum Value {
    Known(String),
    /// No value: the default is used, and without a default this is the problem.
    None(ProblemKind),
    /// The value is not known yet, and the result of this pass will not be used.
    Later,
}

/// Returns the text with the values of its variables, or all its problems.
///
/// `lookup` is called for the variables that are needed: not for those in an unused default.
/// A text without `${` stays unchanged.
pub(crate) fn expand(
    text: &str,
    lookup: &mut dyn FnMut(Reference<'_>) -> Value,
) -> Result<String, Vec<ProblemKind>> {
    let mut expansion =
        Expansion { out: String::with_capacity(text.len().min(LIMIT)), lookup, wrong: Vec::new() };
    if let Err(Broken) = expansion.run(text, 0, true) {
        expansion.wrong(ProblemKind::Reference);
    }
    if expansion.wrong.is_empty() { Ok(expansion.out) } else { Err(expansion.wrong) }
}

struct Expansion<'l> {
    out: String,
    lookup: &'l mut dyn FnMut(Reference<'_>) -> Value,
    wrong: Vec<ProblemKind>,
}

/// A reference without its end, or nested too deep.
struct Broken;

impl Expansion<'_> {
    /// Expands up to the end of the text or, in a default, past its closing brace. Returns the rest.
    ///
    /// The text is skipped unless it `counts`.
    fn run<'t>(&mut self, mut text: &'t str, depth: usize, counts: bool) -> Result<&'t str, Broken> {
        loop {
            let Some(at) = text.find(|c| c == '$' || (c == '}' && depth > 0)) else {
                self.push(text, counts);
                return if depth == 0 { Ok("") } else { Err(Broken) };
            };
            let (plain, rest) = text.split_at(at);
            self.push(plain, counts);
            text = if let Some(rest) = rest.strip_prefix("$${") {
                self.push("${", counts);
                rest
            } else if let Some(rest) = rest.strip_prefix("${") {
                self.reference(rest, depth + 1, counts)?
            } else if let Some(rest) = rest.strip_prefix('$') {
                self.push("$", counts);
                rest
            } else {
                return Ok(rest.strip_prefix('}').unwrap_or(rest));
            };
        }
    }

    /// Expands one reference after its `${`. Returns the rest after its end.
    fn reference<'t>(&mut self, text: &'t str, depth: usize, counts: bool) -> Result<&'t str, Broken> {
        if depth > DEPTH {
            return Err(Broken);
        }
        let (head, after) = text.split_once('}').ok_or(Broken)?;
        let name = head.split_once(":-").map_or(head, |(name, _)| name);
        let reference = Reference::of(name);
        let value = match reference {
            _ if !counts => None,
            Some(reference) => Some((self.lookup)(reference)),
            None => {
                self.wrong(unknown(name));
                None
            }
        };
        let default = text[name.len()..].strip_prefix(":-").filter(|_| name.len() < head.len());
        match (value, default) {
            (Some(Value::Known(value)), _) => self.push(&value, true),
            (Some(Value::None(_)), Some(default)) => return self.run(default, depth, true),
            (Some(Value::None(problem)), None) => self.wrong(problem),
            (Some(Value::Later) | None, _) => {}
        }
        match default {
            Some(default) => self.run(default, depth, false),
            None => Ok(after),
        }
    }

    fn push(&mut self, text: &str, counts: bool) {
        if counts && self.out.len() + text.len() <= LIMIT {
            self.out.push_str(text);
        } else if counts {
            self.wrong(ProblemKind::TooLong);
        }
    }

    /// Reports each problem once.
    fn wrong(&mut self, problem: ProblemKind) {
        if self.wrong.len() < PROBLEMS && !self.wrong.contains(&problem) {
            self.wrong.push(problem);
        }
    }
}

impl<'t> Reference<'t> {
    fn of(name: &'t str) -> Option<Self> {
        Some(match name {
            "workspaceFolder" => Self::WorkspaceFolder,
            "workspaceFolderBasename" => Self::WorkspaceFolderBasename,
            "userHome" => Self::UserHome,
            "pathSeparator" | "/" => Self::PathSeparator,
            _ => match name.split_once(':') {
                Some(("env", name)) if is_name(name) => Self::Environment(name),
                Some(("input", id)) if is_name(id) => Self::Input(id),
                None if is_plain_name(name) => Self::Environment(name),
                _ => return None,
            },
        })
    }
}

/// Returns the problem of an unknown name.
fn unknown(name: &str) -> ProblemKind {
    let form = FOREIGN.into_iter().find(|form| name.starts_with(form.trim_end_matches('…')));
    form.map_or(ProblemKind::Reference, |variable| ProblemKind::Foreign { variable })
}

/// Returns whether a name is valid after `env:` or `input:`, where names such as `ProgramFiles(x86)` are allowed.
fn is_name(name: &str) -> bool {
    (1..=NAME).contains(&name.len()) && !name.contains(|c: char| c.is_control() || "${=".contains(c))
}

fn is_plain_name(name: &str) -> bool {
    is_name(name)
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

impl Variables {
    /// Returns the value of a variable. Inputs have none here.
    pub(crate) fn value(&self, reference: Reference<'_>) -> Value {
        let folder = self.workspace_folder();
        let (name, value) = match reference {
            Reference::Environment(name) => (name, self.env(name)),
            Reference::Input(id) => return Value::None(ProblemKind::NoInput { id: id.to_owned() }),
            Reference::WorkspaceFolder => ("workspaceFolder", folder.and_then(|path| text(path.as_os_str()))),
            Reference::WorkspaceFolderBasename => {
                ("workspaceFolderBasename", folder.and_then(|path| text(path.file_name()?)))
            }
            Reference::UserHome => ("userHome", self.home_folder().and_then(|path| text(path.as_os_str()))),
            Reference::PathSeparator => ("pathSeparator", Some(MAIN_SEPARATOR_STR.to_owned())),
        };
        match value {
            Some(value) => Value::Known(value),
            None => Value::None(ProblemKind::Unset { variable: name.to_owned() }),
        }
    }
}

/// Returns a path as text; `None` if it is not Unicode.
fn text(path: &OsStr) -> Option<String> {
    path.to_str().map(str::to_owned)
}

/// The longest result in bytes: no system allows longer arguments.
const LIMIT: usize = 1 << 20;
/// The limit of nested defaults.
const DEPTH: usize = 16;
/// The longest name, in bytes.
const NAME: usize = 256;
/// Variables of VS Code: a folder by name, a setting, and the output of a command.
const FOREIGN: [&str; 3] = ["workspaceFolder:…", "config:…", "command:…"];
/// The limit of problems of one text.
const PROBLEMS: usize = 20;

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::{DEPTH, LIMIT, expand};
    use crate::{ProblemKind, Variables};

    fn variables() -> Variables {
        let environment = |name: &str| {
            let value = match name {
                "A" => "a",
                "EMPTY" => "",
                "QUOTES" => "\"},{\"x\": \"\\\\n\\",
                "REFERENCE" => "${A}$${A}}",
                "ProgramFiles(x86)" => "C:\\Program Files",
                "workspaceFolder" => "of the environment",
                "BIG" => return Some("x".repeat(LIMIT / 2)),
                _ => return None,
            };
            Some(value.to_owned())
        };
        Variables::new().environment(environment).workspace("/w/project").home("/me")
    }

    fn expanded(text: &str) -> Result<String, Vec<ProblemKind>> {
        let variables = variables();
        expand(text, &mut |reference| variables.value(reference))
    }

    fn unset(name: &str) -> ProblemKind {
        ProblemKind::Unset { variable: name.to_owned() }
    }

    #[test]
    fn variables_are_replaced_by_their_values() {
        for (text, value) in [
            ("${A}", "a"),
            ("x${A}y${A}z", "xayaz"),
            ("${env:A}", "a"),
            ("${env:ProgramFiles(x86)}", "C:\\Program Files"),
            ("${EMPTY}", ""),
            // As in the CLI: an empty variable counts as set.
            ("${EMPTY:-d}", ""),
            ("${A:-d}", "a"),
            ("${U:-d}", "d"),
            ("${env:U:-d}", "d"),
            ("${U:-}", ""),
            ("${U:-a:-b}", "a:-b"),
            ("${U:-${A}}", "a"),
            ("${U:-${V:-${W:-x}y}z}!", "xyz!"),
            ("${U:-http://${V:-localhost}:80/}", "http://localhost:80/"),
            ("${A:-${U}}", "a"),
            ("${A:-${U:-${V}}}b", "ab"),
            ("${input:-d}", "d"),
            ("${env:-d}", "d"),
            ("${workspaceFolder}/x", "/w/project/x"),
            ("${workspaceFolderBasename}", "project"),
            ("${env:workspaceFolder}", "of the environment"),
            ("${userHome}", "/me"),
            ("${pathSeparator}", std::path::MAIN_SEPARATOR_STR),
            ("${/}", std::path::MAIN_SEPARATOR_STR),
            // Values are literal.
            ("${QUOTES}", "\"},{\"x\": \"\\\\n\\"),
            ("${REFERENCE}", "${A}$${A}}"),
            ("${U:-$${A}", "${A"),
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn other_text_is_literal() {
        for text in ["", "$A", "$5.00", "100%", "$", "$$", "a$", "{A}", "}", "$(A)", "$ {A}", "${", "\\${x"] {
            let same =
                if text.contains("${") { Err(vec![ProblemKind::Reference]) } else { Ok(text.to_owned()) };
            assert_eq!(expanded(text), same, "{text}");
        }
        for (text, value) in [("$${A}", "${A}"), ("$${", "${"), ("a$${A}${A}", "a${A}a"), ("$$${A}", "$${A}")]
        {
            assert_eq!(expanded(text).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn unset_variables_are_reported_by_name() {
        for (text, names) in [
            ("${U}", vec!["U"]),
            ("${env:U}", vec!["U"]),
            ("${a}", vec!["a"]),
            ("${U}${V}${U}", vec!["U", "V"]),
            ("${U:-${V}}", vec!["V"]),
            ("${cwd}", vec!["cwd"]),
        ] {
            assert_eq!(expanded(text), Err(names.into_iter().map(unset).collect()), "{text}");
        }
        let bare = Variables::new().environment(|_| None);
        for name in ["workspaceFolder", "workspaceFolderBasename"] {
            let text = format!("${{{name}}}");
            assert_eq!(expand(&text, &mut |r| bare.value(r)), Err(vec![unset(name)]));
            let text = format!("${{{name}:-d}}");
            assert_eq!(expand(&text, &mut |r| bare.value(r)).as_deref(), Ok("d"));
        }
    }

    #[test]
    fn invalid_references_are_reported() {
        for text in [
            "${",
            "${A",
            "${A:-",
            "${A:-${A}",
            "${}",
            "${:-x}",
            "${ A}",
            "${A-b}",
            "${A%%.*}",
            "${1A}",
            "${env:}",
            "${input:}",
            "${${A}}",
            "${env:A=b}",
            "${é}",
        ] {
            assert_eq!(expanded(text), Err(vec![ProblemKind::Reference]), "{text}");
        }
        // The rest is checked too.
        assert_eq!(expanded("${-}${U}${A"), Err(vec![ProblemKind::Reference, unset("U")]));
    }

    #[test]
    fn unsupported_variables_are_reported_by_their_form() {
        for (text, variable) in [
            ("${workspaceFolder:s3cr3t}", "workspaceFolder:…"),
            ("${config:s3cr3t:-x}", "config:…"),
            ("a${command:s3cr3t}${command:other}", "command:…"),
        ] {
            let reported = expanded(text).unwrap_err();
            assert_eq!(reported, [ProblemKind::Foreign { variable }], "{text}");
            assert_eq!(reported[0].to_string(), format!("the hub has no variables like `${{{variable}}}`"));
        }
        assert_eq!(expanded("${A:-${config:x}}").as_deref(), Ok("a"));
    }

    #[test]
    fn expansion_is_bounded() {
        let nested = |depth: usize| "${U:-".repeat(depth) + "x" + &"}".repeat(depth);
        assert_eq!(expanded(&nested(DEPTH)).as_deref(), Ok("x"));
        assert_eq!(expanded(&nested(DEPTH + 1)), Err(vec![ProblemKind::Reference]));
        assert_eq!(expanded(&"${U:-".repeat(100_000)), Err(vec![ProblemKind::Reference]));
        assert!(expanded("${BIG}${BIG}").is_ok());
        assert_eq!(expanded("${BIG}${BIG}x"), Err(vec![ProblemKind::TooLong]));
        assert_eq!(expanded(&"${BIG}".repeat(10_000)), Err(vec![ProblemKind::TooLong]));
        let long = format!("${{env:{}}}", "x".repeat(257));
        assert_eq!(expanded(&long), Err(vec![ProblemKind::Reference]));
        let many: String = (0..1000).map(|i| format!("${{U{i}}}")).collect();
        assert_eq!(expanded(&many).unwrap_err().len(), 20);
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in any::<String>()) {
            _ = expanded(&text);
        }

        #[test]
        fn no_similar_text_causes_a_panic(text in "([$]|[{]|[}]|:-|A|U|é|env:|input:|[$][{]){0,60}") {
            _ = expanded(&text);
        }

        #[test]
        fn text_without_a_reference_is_unchanged(text in "([$]|[}]|[^{]){0,60}") {
            prop_assert_eq!(expanded(&text), Ok(text));
        }

        #[test]
        fn any_value_passes_through(value in any::<String>(), before in "[^$]{0,9}", after in "[^$]{0,9}") {
            let variables = Variables::new().environment({
                let value = value.clone();
                move |_| Some(value.clone())
            });
            let text = format!("{before}${{X}}{after}");
            let expanded = expand(&text, &mut |reference| variables.value(reference));
            prop_assert_eq!(expanded, Ok(format!("{before}{value}{after}")));
        }

        #[test]
        fn any_text_can_be_escaped(text in "([$]|[{]|[}]|:-|A|é){0,60}") {
            // A `$` before the escape would belong to it: `$$${` is `$` and then an escape, as it is here.
            prop_assert_eq!(expanded(&text.replace("${", "$${")), Ok(text));
        }
    }
}
