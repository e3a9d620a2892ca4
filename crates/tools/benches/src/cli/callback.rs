//! The bench CLI's requests and the right answers, as frames of the real CLI.

use std::{borrow::Cow, io::Write};

use memchr::memmem;

/// A kind of request. Each variant names the right answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callback {
    /// `hook_callback` of `PreToolUse`: the hook allows the call, with the command as the reason.
    Hook,
    /// `can_use_tool`: allowed with the unchanged input.
    Permission,
    /// `mcp_message` with a `tools/call`: the tool returns a text with its input.
    Mcp,
}

impl Callback {
    /// Returns the name in tables and arguments.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Permission => "permission",
            Self::Mcp => "mcp",
        }
    }

    /// Returns the requests before the first one, as lines: the CLI connects to a server before it calls its tools.
    pub(super) fn before(self) -> Vec<String> {
        let connect = if self == Self::Mcp { CONNECT } else { &[] };
        let line = |(number, message): (usize, &&str)| {
            format!(
                r#"{{"type":"control_request","request_id":"{ID}{number:012}","request":{{"subtype":"mcp_message","server_name":"shelf","message":{message}}}}}"#
            ) + "\n"
        };
        connect.iter().enumerate().map(line).collect()
    }

    /// Appends the request with this number as a line. Its ids have the length of real ones.
    pub(super) fn ask(self, number: u64, line: &mut Vec<u8>) {
        // Writing to memory does not fail.
        let _: std::io::Result<()> = match self {
            Self::Hook => writeln!(
                line,
                r#"{{"type":"control_request","request_id":"{ID}{number:012}","request":{{"subtype":"hook_callback","callback_id":"hook_0","input":{{"session_id":"{SESSION}","transcript_path":"/home/user/.claude/projects/-project/{SESSION}.jsonl","cwd":"/project","prompt_id":"00000000-0000-4000-8000-000000000006","permission_mode":"default","effort":{{"level":"medium"}},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"echo {number:012} > a.txt","description":"Write a.txt"}},"tool_use_id":"toolu_01M0{number:020}"}},"tool_use_id":"toolu_01M0{number:020}"}}}}"#
            ),
            Self::Permission => writeln!(
                line,
                r#"{{"type":"control_request","request_id":"{ID}{number:012}","request":{{"subtype":"can_use_tool","tool_name":"Bash","display_name":"Bash","input":{{"command":"echo {number:012} > a.txt","description":"Write a.txt"}},"description":"Write a.txt","permission_suggestions":[{{"type":"addRules","rules":[{{"toolName":"Bash","ruleContent":"echo one *"}}],"behavior":"allow","destination":"localSettings"}},{{"type":"addDirectories","directories":["/project"],"destination":"session"}}],"blocked_path":"/project/a.txt","tool_use_id":"toolu_01M0{number:020}"}}}}"#
            ),
            Self::Mcp => writeln!(
                line,
                r#"{{"type":"control_request","request_id":"{ID}{number:012}","request":{{"subtype":"mcp_message","server_name":"shelf","message":{{"method":"tools/call","params":{{"name":"read","arguments":{{"n":{n}}},"_meta":{{"claudecode/toolUseId":"toolu_01M0{number:020}","progressToken":{n}}}}},"jsonrpc":"2.0","id":{n}}}}}}}"#,
                n = number + RPC_OFFSET,
            ),
        };
    }

    /// Returns whether this is the right answer to the request with this number, apart from its id.
    pub(super) fn is_right(self, number: u64, answer: &[u8]) -> bool {
        let has = |needle: &str| memmem::find(answer, needle.as_bytes()).is_some();
        let n = number + RPC_OFFSET;
        has(r#""subtype":"success""#)
            && match self {
                Self::Hook => {
                    has(r#""permissionDecision":"allow""#)
                        && has(&format!(r#""permissionDecisionReason":"echo {number:012} > a.txt""#))
                }
                Self::Permission => {
                    has(r#""behavior":"allow""#)
                        && has(&format!(
                            r#""updatedInput":{{"command":"echo {number:012} > a.txt","description":"Write a.txt"}}"#
                        ))
                }
                Self::Mcp => {
                    has(r#""mcp_response":{"#)
                        && has(&format!(r#""id":{n}"#))
                        && has(&format!(r#""text":"row {n}""#))
                        && !has(r#""isError":true"#)
                }
            }
    }
}

/// Removes white space between the tokens of a line, which clients in other languages may write.
pub(super) fn compact(line: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(line.get(..SPACED).unwrap_or(line), b"\": ").is_none() {
        return Cow::Borrowed(line);
    }
    let (mut inside, mut escaped) = (false, false);
    let mut compact = line.to_vec();
    compact.retain(|byte| {
        let kept = inside || !byte.is_ascii_whitespace();
        inside ^= *byte == b'"' && !escaped;
        escaped = inside && *byte == b'\\' && !escaped;
        kept
    });
    Cow::Owned(compact)
}

/// Returns the number of the request that a line answers, if it answers one of ours.
pub(super) fn number_of(answer: &[u8]) -> Option<u64> {
    let id = after(answer, REQUEST_ID)?.get(..ID_LEN)?;
    std::str::from_utf8(id.strip_prefix(ID.as_bytes())?).ok()?.parse().ok()
}

fn after<'a>(line: &'a [u8], needle: &[u8]) -> Option<&'a [u8]> {
    let at = memmem::find(line, needle)?;
    line.get(at + needle.len()..)
}

/// If a line has spaces after colons, the first one is among this many bytes.
const SPACED: usize = 16;
const REQUEST_ID: &[u8] = br#""request_id":""#;
const ID: &str = "00000000-0000-4000-8000-";
const ID_LEN: usize = 36;
const SESSION: &str = "00000000-0000-4000-8000-000000000002";
/// The first JSON-RPC id after the handshake with the server.
const RPC_OFFSET: u64 = 10;
const CONNECT: &[&str] = &[
    r#"{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.330"}},"jsonrpc":"2.0","id":0}"#,
    r#"{"method":"notifications/initialized","jsonrpc":"2.0"}"#,
    r#"{"method":"tools/list","jsonrpc":"2.0","id":1}"#,
];

#[cfg(test)]
mod tests {
    use super::{Callback, compact, number_of};

    #[test]
    fn white_space_between_words_does_not_count() {
        let spaced = br#"{"type": "x", "text": "a: \"b\\", "n": [1, 2]}"#;
        assert_eq!(&*compact(spaced), br#"{"type":"x","text":"a: \"b\\","n":[1,2]}"#);
        assert_eq!(&*compact(br#"{"type":"x y"}"#), br#"{"type":"x y"}"#);
    }

    #[test]
    fn requests_are_json_and_have_numbers_as_their_ids() {
        for callback in [Callback::Hook, Callback::Permission, Callback::Mcp] {
            let mut request = Vec::new();
            callback.ask(7, &mut request);
            assert!(serde_json::from_slice::<serde_json::Value>(&request).is_ok(), "{callback:?}");
            assert_eq!(number_of(&request), Some(7), "{callback:?}");
        }
        assert_eq!(Callback::Mcp.before().len(), 3);
    }

    #[test]
    fn only_the_right_answer_is_right() {
        let right = br#"{"type":"control_response","response":{"subtype":"success","request_id":"00000000-0000-4000-8000-000000000007","response":{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"echo 000000000007 > a.txt"}}}}"#;
        assert_eq!(number_of(right), Some(7));
        assert!(Callback::Hook.is_right(7, right));
        assert!(!Callback::Hook.is_right(8, right));
        let denied = String::from_utf8_lossy(right).replace("allow", "deny");
        assert!(!Callback::Hook.is_right(7, denied.as_bytes()));
        let failed = String::from_utf8_lossy(right).replace("success", "error");
        assert!(!Callback::Hook.is_right(7, failed.as_bytes()));
        assert!(!Callback::Permission.is_right(7, right) && !Callback::Mcp.is_right(7, right));
    }
}
