//! What the bench CLI asks, and what it takes for a right answer: frames as the real CLI writes them.

use std::io::Write;

use memchr::memmem;

/// A kind of request, asked again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "these are all that are measured")]
pub enum Workload {
    /// `hook_callback` of `PreToolUse`: the hook allows the call and says which command it saw.
    Hook,
    /// `can_use_tool`: allowed with the input that was asked about.
    Permission,
    /// `mcp_message` with a `tools/call`: the tool answers with a text that is made of its input.
    Mcp,
}

impl Workload {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Hook, Self::Permission, Self::Mcp];

    /// What tables and arguments call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Permission => "permission",
            Self::Mcp => "mcp",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|workload| workload.name() == name)
    }

    /// Appends the request of this number as a line; what is told apart by numbers is as long as the real ids.
    pub fn ask(self, number: u64, line: &mut Vec<u8>) {
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

    /// Whether the answer to the request of this number says what it must, beside its id.
    pub fn is_right(self, number: u64, answer: &[u8]) -> bool {
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

    /// Writes the right answer to a request without reading more of it than what differs from one to the next.
    ///
    /// A request of another kind is acknowledged; `false` where the line is none at all, and nothing is written.
    pub fn answer(self, request: &[u8], line: &mut Vec<u8>) -> bool {
        line.clear();
        let Some(id) = after(request, REQUEST_ID).and_then(|rest| rest.get(..ID_LEN)) else { return false };
        line.extend_from_slice(
            br#"{"type":"control_response","response":{"subtype":"success","request_id":""#,
        );
        line.extend_from_slice(id);
        line.extend_from_slice(br#"","response":"#);
        let parts: Option<[&[u8]; 5]> = match self {
            Self::Hook => after(request, br#""command":""#).and_then(|rest| until(rest, b'"')).map(|command| {
                let start = br#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":""#;
                [&start[..], command, br#""}}"#, b"", b""]
            }),
            Self::Permission => after(request, br#""input":"#)
                .and_then(|rest| until(rest, b'}'))
                .map(|input| [&br#"{"behavior":"allow","updatedInput":"#[..], input, b"}}", b"", b""]),
            Self::Mcp => after(request, br#"{"n":"#).and_then(|rest| until(rest, b'}')).map(|n| {
                let text = br#","result":{"content":[{"type":"text","text":"row "#;
                let end = br#""}],"isError":false}}}"#;
                [&br#"{"mcp_response":{"jsonrpc":"2.0","id":"#[..], n, text, n, end]
            }),
        };
        for part in parts.unwrap_or([b"{}", b"", b"", b"", b""]) {
            line.extend_from_slice(part);
        }
        line.extend_from_slice(b"}}\n");
        true
    }
}

/// The number of the request that a line of ours answers; `None` where it answers none.
pub fn number_of(answer: &[u8]) -> Option<u64> {
    let id = after(answer, REQUEST_ID)?.get(..ID_LEN)?;
    std::str::from_utf8(id.strip_prefix(ID.as_bytes())?).ok()?.parse().ok()
}

fn after<'a>(line: &'a [u8], needle: &[u8]) -> Option<&'a [u8]> {
    let at = memmem::find(line, needle)?;
    line.get(at + needle.len()..)
}

fn until(line: &[u8], end: u8) -> Option<&[u8]> {
    line.get(..memchr::memchr(end, line)?)
}

const REQUEST_ID: &[u8] = br#""request_id":""#;
const ID: &str = "00000000-0000-4000-8000-";
const ID_LEN: usize = 36;
const SESSION: &str = "00000000-0000-4000-8000-000000000002";
/// The ids of JSON-RPC that the handshake with the server takes.
const RPC_OFFSET: u64 = 10;

#[cfg(test)]
mod tests {
    use super::{Workload, number_of};

    #[test]
    fn the_answer_without_an_sdk_is_right_and_another_ones_is_not() {
        for workload in Workload::ALL {
            let (mut request, mut answer) = (Vec::new(), Vec::new());
            workload.ask(7, &mut request);
            assert!(serde_json::from_slice::<serde_json::Value>(&request).is_ok(), "{workload:?}");
            assert!(workload.answer(&request, &mut answer));
            assert!(serde_json::from_slice::<serde_json::Value>(&answer).is_ok(), "{workload:?}");
            assert_eq!(number_of(&answer), Some(7));
            assert!(workload.is_right(7, &answer), "{workload:?}");
            assert!(!workload.is_right(8, &answer), "{workload:?}");
        }
    }

    #[test]
    fn names_are_told_apart() {
        for workload in Workload::ALL {
            assert_eq!(Workload::named(workload.name()), Some(workload));
        }
        assert_eq!(Workload::named("none"), None);
    }
}
