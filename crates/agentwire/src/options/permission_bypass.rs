//! Warnings about options that keep the permission handler from being called, which would look like a broken handler.

use agentwire_hooks::normalized;
use agentwire_protocol::{
    PermissionMode,
    permission::{Plan, Questions, Rule, RuleError},
};

use super::{FlagSettings, Options, PermissionPrompts, Warning};

impl Options {
    /// Returns a warning for each option that keeps the permission handler from being called.
    ///
    /// Rules for the tools of `in_process` servers are skipped: the host wrote these tools itself.
    pub(crate) fn permission_bypass_warnings(&self, in_process: &[Box<str>]) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.permission_prompts == Some(PermissionPrompts::None) {
            warnings.push(not_asked("permissionPrompts", "none", DENIED));
        }
        warnings.extend(self.permission_mode.as_ref().and_then(mode_bypass_warning));
        let settings = match &self.settings {
            Some(FlagSettings::Inline(settings)) => settings.typed().ok(),
            _ => None,
        };
        let settings = settings.unwrap_or_default();
        let sandboxes = [("sandbox", &self.sandbox), ("settings", &settings.sandbox)];
        let mut sandboxes =
            sandboxes.into_iter().filter_map(|(option, sandbox)| Some((option, sandbox.as_ref()?)));
        let is_off = sandboxes.clone().find_map(|(_, sandbox)| sandbox.enabled) == Some(false);
        let auto_allow =
            sandboxes.find_map(|(option, sandbox)| Some((option, sandbox.auto_allow_bash_if_sandboxed?)));
        if let Some((option, true)) = auto_allow
            && !is_off
        {
            warnings.push(not_asked(option, "autoAllowBashIfSandboxed", IN_SANDBOX));
        }
        let permissions = settings.permissions.unwrap_or_default();
        if permissions.deny_instead_of_prompting == Some(true) {
            warnings.push(not_asked("settings", "permissions.denyInsteadOfPrompting", DENIED));
        }
        let allowed = permissions.allow.unwrap_or_default();
        for (option, rules) in [("allowedTools", &self.allowed_tools), ("settings", &allowed)] {
            let tools = rules.iter().flat_map(|rules| whole_tools(rules));
            let tools: Vec<String> = tools.filter(|tool| !is_of(in_process, tool)).collect();
            if !tools.is_empty() {
                warnings.push(not_asked(option, tools.join(", "), PASS));
            }
        }
        warnings
    }
}

/// Returns a warning if the mode leaves almost no questions to the permission handler.
pub(crate) fn mode_bypass_warning(mode: &PermissionMode) -> Option<Warning> {
    let instead = match mode {
        PermissionMode::BypassPermissions => PASS,
        PermissionMode::DontAsk => DENIED,
        PermissionMode::Auto => "a classifier decides",
        _ => return None,
    };
    Some(not_asked("permissionMode", mode.as_str(), instead))
}

fn not_asked(option: &'static str, value: impl Into<String>, instead: &'static str) -> Warning {
    Warning::NotAsked { option, value: value.into(), instead }
}

/// Returns the tools that the rules allow entirely; the text may contain several rules.
fn whole_tools(rules: &str) -> Vec<String> {
    let whole = rules_of(rules).flatten().filter(Rule::is_whole);
    let tools = whole.map(|rule| String::from(rule.tool_name));
    tools.filter(|tool| !ALWAYS_ASK.contains(&&**tool) && !is_idle(tool)).collect()
}

/// Returns whether the text contains a rule that allows nothing because of its tool's name.
pub(super) fn has_idle_rule(rules: &str) -> bool {
    rules_of(rules).flatten().any(|rule| is_idle(&rule.tool_name))
}

/// Returns whether an allow rule for this tool allows nothing: a `*` counts only behind the name of a server, as in
/// `mcp__server__*`. Measured on CLI 2.1.332.
fn is_idle(tool: &str) -> bool {
    tool.split_once('*').is_some_and(|(start, _)| start.matches("__").count() < 2)
}

/// Returns the rules of a text as the CLI reads it on the command line, separated by commas and blanks.
///
/// Measured on CLI 2.1.330 and 2.1.197, which drop text that is not a rule; 2.1.330 prints no error.
/// A separator in parentheses does not count, except after a `)` that has a backslash before it or other text behind it.
pub(super) fn rules_of(text: &str) -> impl Iterator<Item = Result<Rule, RuleError>> {
    let (mut depth, mut before) = (0_usize, ' ');
    let rules = text.split(move |char: char| {
        match char {
            '(' if before != '\\' => depth += 1,
            ')' if before != '\\' => depth = depth.saturating_sub(1),
            _ if char == ')' || before == ')' && !matches!(char, ',' | ' ') => depth = 0,
            _ => {}
        }
        before = char;
        depth == 0 && matches!(char, ',' | ' ')
    });
    rules.filter(|rule| !rule.is_empty()).map(str::parse::<Rule>)
}

/// Returns whether the rule applies to a tool of one of these servers, or to all of its tools.
fn is_of(servers: &[Box<str>], tool: &str) -> bool {
    let tool = normalized(tool, "*");
    servers.iter().any(|server| {
        let rest = tool.strip_prefix(&normalized(&format!("mcp__{server}"), ""));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
    })
}

const PASS: &str = "its tool uses pass without a question";
const IN_SANDBOX: &str = "commands in the sandbox run without a question";
const DENIED: &str = "such tool uses are denied without a question";
/// Tools that always ask, regardless of rules. The last is that of the sandbox's requests.
const ALWAYS_ASK: [&str; 3] = [Questions::TOOL, Plan::TOOL, "SandboxNetworkAccess"];
