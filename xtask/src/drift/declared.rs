//! Compares the declarations with our types, which read samples of each declaration.

use std::collections::BTreeMap;

use agentwire::Options;
use agentwire_codec::Line;
use agentwire_inspect::{From, Inspector, Reader, Registry, view};
use agentwire_protocol::effort::EffortLevel;
use agentwire_protocol::message::{ApiMessage, Event};
use agentwire_protocol::permission::{Decision, PermissionUpdate};
use agentwire_protocol::sandbox::SandboxSettings;
use agentwire_protocol::settings::{McpServerRule, PermissionSettings, SettingsHookMatcher, StatusLine};
use agentwire_protocol::tagged::Tagged as _;
use agentwire_protocol::{
    Block, InboundRequest, account, agent, mcp, model_info, plugin, session_info, slash_command,
    usage::{ModelUsage, Usage},
};
use serde_json::{Value, json};

use super::foreign;
use super::sets::{Set, lacking};
use crate::typescript::{Declarations, FREE, Sampler};
use agentwire_cli::drift::{Findings, general};

/// Adds what our types lack of the declarations.
pub(super) fn compare(declarations: &Declarations, known: &[Set], findings: &mut Findings) {
    let mut drift = Drift {
        sampler: Sampler::new(declarations, foreign::samples()),
        registry: Registry::new(),
        findings,
    };
    drift.messages();
    drift.requests();
    drift.hooks();
    drift.hook_replies();
    for (name, reader) in OTHERS {
        let samples = drift.sampler.of(name);
        drift.listed(name, &samples, *reader);
    }
    for (name, field, reader) in FIELDS {
        let samples = drift.sampler.of_field(name, field);
        drift.listed(&format!("{name}.{field}"), &samples, *reader);
    }
    drift.options();
    drift.sets(known);
}

/// Adds what our types lack of the Messages API's declarations.
pub(super) fn compare_api(declarations: &Declarations, known: &[Set], findings: &mut Findings) {
    let mut drift = Drift {
        sampler: Sampler::new(declarations, foreign::of_the_api()),
        registry: Registry::new(),
        findings,
    };
    for (name, reader) in API {
        let samples = drift.sampler.of(name);
        drift.listed(name, &samples, *reader);
    }
    drift.sets(known);
}

struct Drift<'a> {
    sampler: Sampler<'a>,
    registry: Registry,
    findings: &'a mut Findings,
}

impl Drift<'_> {
    fn messages(&mut self) {
        let mut inspector = Inspector::new();
        let mut arms = self.sampler.arms("SDKMessage");
        let mut others = self.sampler.arms("StdoutMessage");
        others.retain(|arm| !arms.contains(arm));
        arms.extend(others);
        for arm in arms.iter().filter(|arm| *arm != "SDKControlRequest") {
            for sample in self.sampler.of(arm) {
                let verdict = inspector.inspect(From::Cli, &Line::from(sample.to_string().as_str()));
                let kind = verdict.kind.unwrap_or_default();
                if !verdict.known {
                    self.findings.add(format!("kind {kind}"), arm.as_str());
                    continue;
                }
                if let Some(why) = verdict.undecodable {
                    self.findings.add(format!("undecodable {arm}"), why);
                }
                for why in verdict.set_aside {
                    self.findings.add(format!("set aside {arm}"), why);
                }
                if !verdict.lossless {
                    self.findings.add(format!("changed {arm}"), "");
                }
                self.unknown(arm, verdict.unknown_fields);
                self.untyped(arm, &sample, verdict.raw);
            }
        }
    }

    fn requests(&mut self) {
        for arm in self.sampler.arms("SDKControlRequestInner") {
            for subtype in self.sampler.literals(&arm, "subtype") {
                let inbound = InboundRequest::KINDS.contains(&&*subtype);
                let call = self.registry.calls.get(&*subtype).copied();
                if inbound {
                    self.read(&arm, view::<InboundRequest>, "");
                }
                if let Some(call) = call {
                    self.read(&arm, call.request, "subtype");
                    let reply =
                        REPLIES.iter().find(|(of, _)| *of == subtype).map(|(_, reply)| (*reply).to_owned());
                    let reply = reply.unwrap_or_else(|| arm.replace("Request", "Response"));
                    self.read(&reply, call.reply, "");
                }
                if !inbound && call.is_none() {
                    self.findings.add(format!("request {subtype}"), arm.as_str());
                }
            }
        }
    }

    fn hooks(&mut self) {
        for arm in self.sampler.arms("HookInput") {
            for event in self.sampler.literals(&arm, "hook_event_name") {
                let Some(types) = self.registry.events.get(&*event).copied() else {
                    self.findings.add(format!("hook {event}"), arm.as_str());
                    continue;
                };
                self.read(&arm, types.input, "hook_event_name");
                self.read(&arm.replace("HookInput", "HookSpecificOutput"), types.output, "hookEventName");
            }
        }
    }

    /// The answers of hooks: the fields for all events, together with those for one event.
    fn hook_replies(&mut self) {
        for name in ["SyncHookJSONOutput", "AsyncHookJSONOutput"] {
            for sample in self.sampler.of(name) {
                let event = sample.pointer("/hookSpecificOutput/hookEventName").and_then(Value::as_str);
                if let Some(types) = self.registry.events.get(event.unwrap_or("PreToolUse")).copied() {
                    self.judge(name, &sample, types.reply, "");
                }
            }
        }
    }

    /// Reads the samples of a declaration as a type of ours.
    fn read(&mut self, name: &str, reader: Reader, tag: &str) {
        for sample in self.sampler.of(name) {
            self.judge(name, &sample, reader, tag);
        }
    }

    /// Reads the samples of a declaration that our list has.
    fn listed(&mut self, name: &str, samples: &[Value], reader: Reader) {
        if samples.is_empty() {
            self.findings.add(format!("declaration {name}"), "not declared, so not compared");
        }
        for sample in samples {
            self.judge(name, sample, reader, "");
        }
    }

    fn judge(&mut self, name: &str, sample: &Value, reader: Reader, tag: &str) {
        let view = match reader(&sample.to_string()) {
            Ok(view) => view,
            Err(error) => return self.findings.add(format!("undecodable {name}"), error.to_string()),
        };
        if view.unknown.iter().any(String::is_empty) {
            return self.findings.add(format!("arm {name}"), sample.to_string());
        }
        if !view.changed.is_empty() {
            self.findings.add(format!("changed {name}"), view.changed.join(", "));
        }
        let missing =
            view.missing.into_iter().chain(view.unknown).filter(|path| path != tag || tag.is_empty());
        self.unknown(name, missing.collect());
        self.untyped(name, sample, view.raw);
    }

    fn unknown(&mut self, name: &str, paths: Vec<String>) {
        for path in paths.iter().filter(|path| !path.contains(FREE) && !is_typed_by_another(name, path)) {
            self.findings.add(format!("field {name} {}", general(path)), "");
        }
    }

    /// Adds fields that have a declared shape, but are kept as text.
    fn untyped(&mut self, name: &str, sample: &Value, paths: Vec<String>) {
        for path in paths {
            if is_shaped(at(sample, &path)) && !is_typed_by_another(name, &path) {
                self.findings.add(format!("untyped {name} {}", general(&path)), "");
            }
        }
    }

    fn options(&mut self) {
        for option in self.sampler.fields("Options") {
            let read: Result<Options, _> = serde_json::from_value(json!({option.as_str(): null}));
            if read.is_err_and(|error| error.to_string().starts_with("unknown field")) {
                self.findings.add(format!("option {option}"), "");
            }
        }
    }

    fn sets(&mut self, known: &[Set]) {
        let events: Set =
            ("HookEvent".to_owned(), self.registry.events.keys().map(|name| (*name).to_owned()).collect());
        let known: Vec<Set> = known.iter().cloned().chain([events]).collect();
        for (set, place) in std::mem::take(&mut self.sampler.sets) {
            if let Some((name, strings)) = lacking(&set, &known) {
                self.findings
                    .add(format!("strings {place}"), format!("{} not in {name}", strings.join(", ")));
            }
        }
        for name in &self.sampler.missing {
            self.findings
                .add(format!("declaration {name}"), "taken from elsewhere, without a sample in xtask");
        }
    }
}

/// The value at a path, or null.
fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    let pointer = format!("/{}", path.replace('[', ".").replace(']', "").replace('.', "/"));
    if path.is_empty() { value } else { value.pointer(&pointer).unwrap_or(&Value::Null) }
}

/// Whether a sample has a shape that a type could have.
fn is_shaped(sample: &Value) -> bool {
    match sample {
        Value::Object(fields) => {
            fields.keys().any(|name| !name.starts_with("any_")) || fields.values().any(is_shaped)
        }
        Value::Array(items) => items.iter().any(is_shaped),
        _ => false,
    }
}

fn is_typed_by_another(name: &str, path: &str) -> bool {
    TYPED_BY_ANOTHER.contains(&(name, general(path).as_str()))
}

/// Fields that are kept as text, because another type of ours reads them.
///
/// The open requests in a response are declared as any request; those of the CLI are the ones that come, and each
/// of them is compared separately, as are the inputs of hooks.
const TYPED_BY_ANOTHER: &[(&str, &str)] = &[
    ("SDKControlResponse", "response.response"),
    ("SDKControlResponse", "response.pending_elicitation_requests[].request"),
    ("SDKControlResponse", "response.pending_elicitation_requests[].request.input"),
    ("SDKControlResponse", "response.pending_permission_requests[].request"),
    ("SDKControlResponse", "response.pending_permission_requests[].request.input"),
    ("SDKControlResponse", "response.pending_user_dialog_requests[].request"),
    ("SDKControlResponse", "response.pending_user_dialog_requests[].request.input"),
    ("SDKHookCallbackRequest", "input"),
    ("SyncHookJSONOutput", "hookSpecificOutput"),
    ("BetaContentBlockParam", "content"),
];

/// Replies whose declarations do not have the request's name.
const REPLIES: &[(&str, &str)] = &[
    ("rewind_files", "RewindFilesResult"),
    ("mcp_set_servers", "McpSetServersResult"),
    ("mcp_call", "CallToolResult"),
];

/// The parts of the Messages API that the CLI passes on.
const API: &[(&str, Reader)] = &[
    ("BetaContentBlock", view::<Block>),
    ("BetaContentBlockParam", view::<Block>),
    ("BetaMessage", view::<ApiMessage>),
    ("BetaRawMessageStreamEvent", view::<Event>),
    ("BetaUsage", view::<Usage>),
];

/// Declarations that are a type of ours by themselves.
const OTHERS: &[(&str, Reader)] = &[
    ("AccountInfo", view::<account::AccountInfo>),
    ("AgentDefinition", view::<agent::AgentDefinition>),
    ("AgentInfo", view::<agent::AgentInfo>),
    ("McpServerConfigForProcessTransport", view::<mcp::McpServerConfig>),
    ("McpServerStatus", view::<mcp::McpServerStatus>),
    ("McpServerToolPolicy", view::<mcp::ToolPolicy>),
    ("ModelInfo", view::<model_info::ModelInfo>),
    ("ModelUsage", view::<ModelUsage>),
    ("PermissionResult", view::<Decision>),
    ("PermissionUpdate", view::<PermissionUpdate>),
    ("SDKSessionInfo", view::<session_info::SessionInfo>),
    ("SdkPluginConfig", view::<plugin::PluginConfig>),
    ("SessionMessage", view::<session_info::SessionMessage>),
    ("SlashCommand", view::<slash_command::SlashCommand>),
];

/// Fields of declarations that are a type of ours by themselves.
const FIELDS: &[(&str, &str, Reader)] = &[
    ("Settings", "allowedMcpServers", view::<Vec<McpServerRule>>),
    ("Settings", "deniedMcpServers", view::<Vec<McpServerRule>>),
    ("Settings", "effortLevel", view::<EffortLevel>),
    ("Settings", "hooks", view::<BTreeMap<Box<str>, Vec<SettingsHookMatcher>>>),
    ("Settings", "permissions", view::<PermissionSettings>),
    ("Settings", "sandbox", view::<SandboxSettings>),
    ("Settings", "statusLine", view::<StatusLine>),
];

#[cfg(test)]
mod tests {
    use super::{Findings, compare, compare_api};
    use crate::typescript::example;

    #[test]
    fn additions_of_the_declarations_are_found() {
        let mut findings = Findings::default();
        compare(&example(), &[], &mut findings);
        let found: Vec<&str> = findings.iter().map(|(what, _, _)| what).collect();
        for what in [
            "field KeepAlive zz",
            "kind zz_new/x",
            "request zz_asked",
            "field Interrupt zz",
            "hook ZzHook",
            "option zzOption",
            "field Settings.sandbox zz",
            "declaration Settings.hooks",
            "field ModelInfo zz",
            "strings ModelInfo.zz",
        ] {
            assert!(found.contains(&what), "{what}: {found:?}");
        }
    }

    #[test]
    fn blocks_and_events_are_compared() {
        let mut findings = Findings::default();
        compare_api(&example(), &[], &mut findings);
        let found: Vec<&str> = findings.iter().map(|(what, _, _)| what).collect();
        assert_eq!(
            found,
            [
                "arm BetaContentBlock",
                "declaration BetaContentBlockParam",
                "declaration BetaMessage",
                "declaration BetaUsage",
                "field BetaContentBlock zz",
                "undecodable BetaRawMessageStreamEvent"
            ]
        );
    }
}
