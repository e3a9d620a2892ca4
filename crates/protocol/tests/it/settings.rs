//! Settings and sandbox: typed keys round-trip, other keys are kept as text, and `Debug` hides secrets.

use agentwire_protocol::{
    sandbox::{AwsPair, CredentialFile, CredentialMode, CredentialVar, SandboxRipgrep, SandboxSettings},
    settings::{
        CommandHook, PermissionSettings, RawSettings, Settings, SettingsHook, SettingsHookMatcher, StatusLine,
    },
};
use serde::{Serialize, de::DeserializeOwned};

use crate::tree::Tree;

#[test]
fn typed_settings_round_trip() {
    comes_back::<Settings>(SETTINGS);
    comes_back::<SandboxSettings>(SANDBOX);
    for empty in ["{}", r#"{"permissions":{},"sandbox":{},"env":{},"hooks":{}}"#] {
        comes_back::<Settings>(empty);
    }
}

#[test]
fn raw_settings_keep_every_key_and_show_no_value() {
    let text = r#"{"later":1.10,"env":{"KEY":"hush"},"model":"opus","model":"haiku"}"#;
    let raw: RawSettings = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&raw).unwrap(), text);
    assert_eq!(raw.field::<f64>("later").unwrap(), Some(1.1));
    assert_eq!(raw.field::<f64>("absent").unwrap(), None);
    let debug = format!("{raw:?}");
    assert!(debug.contains("later") && !debug.contains("hush") && !debug.contains("opus"), "{debug}");
    let text = r#"{"env":{"KEY":"hush"},"hooks":{"Stop":[{"hooks":[{"type":"http","url":"u","headers":{"A":"hush"}}]}]}}"#;
    let settings = serde_json::from_str::<RawSettings>(text).unwrap().typed().unwrap();
    let debug = format!("{settings:?}");
    assert!(!debug.contains("hush") && debug.contains("Http"), "{debug}");
}

#[test]
fn debug_hides_marketplaces_arguments_of_hooks_and_paths_of_hook_urls() {
    let text = r#"{"extraKnownMarketplaces":{"m":{"source":{"source":"url","url":"u","headers":{"A":"hush"}}}},"hooks":{"Stop":[{"hooks":[{"type":"http","url":"https://far/hush?k=hush"},{"type":"command","command":"c","args":["--token","hush"]}]}]}}"#;
    let settings: Settings = serde_json::from_str(text).unwrap();
    let debug = format!("{settings:?}");
    assert!(debug.contains("https://far/<hidden>") && debug.contains("args: Some(2)"), "{debug}");
    assert!(!debug.contains("hush"), "{debug}");
}

#[test]
fn host_settings_are_written() {
    let mut settings = Settings::default();
    settings.permissions = Some(PermissionSettings::default());
    let hook = SettingsHook::Command(Box::new(CommandHook::new("true")));
    settings.hooks = Some([("Stop".into(), vec![SettingsHookMatcher::new(vec![hook])])].into());
    settings.status_line = Some(StatusLine::new("date"));
    let mut sandbox = SandboxSettings::default();
    sandbox.ripgrep = Some(SandboxRipgrep::new("rg"));
    settings.sandbox = Some(sandbox);
    assert_eq!(
        serde_json::to_string(&settings).unwrap(),
        r#"{"permissions":{},"sandbox":{"ripgrep":{"command":"rg"}},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]},"statusLine":{"type":"command","command":"date"}}"#
    );
    let file = CredentialFile::new("/k", CredentialMode::Deny);
    assert_eq!(serde_json::to_string(&file).unwrap(), r#"{"path":"/k","mode":"deny"}"#);
    let var = CredentialVar::new("KEY", CredentialMode::Mask);
    assert_eq!(serde_json::to_string(&var).unwrap(), r#"{"name":"KEY","mode":"mask"}"#);
    let pair = AwsPair::new("A", "B");
    assert_eq!(serde_json::to_string(&pair).unwrap(), r#"{"accessKeyIdVar":"A","secretAccessKeyVar":"B"}"#);
}

fn comes_back<T: DeserializeOwned + Serialize>(text: &str) {
    let value: T = serde_json::from_str(text).unwrap();
    let written = serde_json::to_string(&value).unwrap();
    assert_eq!(Tree::of(&written).sorted(), Tree::of(text).sorted());
}

const SETTINGS: &str = r#"{
    "model":"opus","fallbackModel":["haiku"],"availableModels":[],"effortLevel":"high","alwaysThinkingEnabled":true,
    "fastMode":false,"agent":"a","language":"l","outputStyle":"terse","env":{"A":"1"},
    "permissions":{"allow":["Bash(ls:*)"],"deny":[],"ask":["Read"],"defaultMode":"plan",
        "disableBypassPermissionsMode":"disable","disableAutoMode":"disable","denyInsteadOfPrompting":true,
        "additionalDirectories":["/a"],"blockReadsOutsideWorkingDirectories":true,
        "blockWritesOutsideWorkingDirectories":true,"blockReadsExemptPaths":["/b"],
        "workingDirectoriesAsGiven":["/c"],"workingDirectoriesExclude":["/d"]},
    "hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
        {"type":"command","command":"c","args":["a"],"if":"Bash(git *)","shell":"bash","timeout":1.5,"onFailure":"block",
            "statusMessage":"m","once":true,"async":true,"asyncRewake":false},
        {"type":"prompt","prompt":"p","if":"i","timeout":1.5,"model":"m","continueOnBlock":true,"statusMessage":"m","once":true},
        {"type":"agent","prompt":"p","if":"i","timeout":1.5,"model":"m","statusMessage":"m","once":true},
        {"type":"http","url":"u","if":"i","timeout":1.5,"onFailure":"continue","headers":{"A":"b"},
            "allowedEnvVars":["A"],"statusMessage":"m","once":true},
        {"type":"mcp_tool","server":"s","tool":"t","input":{"b":1.10},"if":"i","timeout":1.5,"onFailure":"block",
            "statusMessage":"m","once":true},
        {"type":"later","x":1}]}]},
    "disableAllHooks":false,"allowManagedHooksOnly":true,"allowManagedPermissionRulesOnly":true,
    "enableAllProjectMcpServers":true,"enabledMcpjsonServers":["a"],"disabledMcpjsonServers":["b"],
    "allowedMcpServers":[{"serverName":"a"},{"serverCommand":["c","d"]},{"serverUrl":"https://*"}],"deniedMcpServers":[],
    "allowManagedMcpServersOnly":true,"enabledPlugins":{"p@m":true,"q@m":["1"]},
    "extraKnownMarketplaces":{"m":{"source":{"source":"github","repo":"a/b"}}},
    "statusLine":{"type":"command","command":"c","padding":0.5,"refreshInterval":1.5,"hideVimModeIndicator":true},
    "apiKeyHelper":"/bin/key","cleanupPeriodDays":30,"respectGitignore":true,"includeCoAuthoredBy":false,
    "attribution":{"commit":""},"autoCompactEnabled":true,"autoMemoryEnabled":false,"fileCheckpointingEnabled":true
}"#;

const SANDBOX: &str = r#"{
    "enabled":true,"failIfUnavailable":true,"autoAllowBashIfSandboxed":true,"allowUnsandboxedCommands":false,
    "network":{"allowedDomains":["a"],"deniedDomains":["b"],"strictAllowlist":true,"allowManagedDomainsOnly":true,
        "allowUnixSockets":["/s"],"allowAllUnixSockets":false,"allowLocalBinding":true,"allowMachLookup":["m"],
        "httpProxyPort":1,"socksProxyPort":2,"tlsTerminate":{"caCertPath":"/c","caKeyPath":"/k"}},
    "filesystem":{"allowWrite":["/a"],"denyWrite":[],"denyRead":["/b"],"allowRead":["/c"],
        "allowManagedReadPathsOnly":true,"disabled":false},
    "credentials":{
        "files":[{"path":"/k","mode":"mask","extract":"x","onExtractNoMatch":"warn","decode":"jwt","maskClaims":["c"],
            "maskDuplicates":true,"injectHosts":["h"]}],
        "envVars":[{"name":"K","mode":"deny","extract":"x","onExtractNoMatch":"error","decode":"jwt","maskClaims":["c"],
            "injectHosts":["h"]}],
        "allowPlaintextInject":false,
        "awsPairs":[{"accessKeyIdVar":"A","secretAccessKeyVar":"B","sessionTokenVar":"C"}],
        "sigv4":{"streaming":"deny","presigned":"passthrough","sigv4a":"deny"}},
    "ignoreViolations":{"git":["/x"]},"enableWeakerNestedSandbox":true,"allowNestedUserNamespaces":true,
    "enableWeakerNetworkIsolation":true,"allowAppleEvents":true,"excludedCommands":["docker"],
    "ripgrep":{"command":"rg","args":["-n"]},"bwrapPath":"/b","socatPath":"/s"
}"#;
