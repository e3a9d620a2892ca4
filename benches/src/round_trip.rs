//! One callback after the other through a whole session in one thread, for counting.

use std::error::Error;

use agentwire::{Session, SessionBuilder};
use bytes::Bytes;
use memchr::memmem;

use crate::{
    handlers::{hooks, permissions, servers},
    peer::{self, RESULT},
};

/// What is asked, in the words of the `bench` program's workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "asked for here alone")]
pub enum Callback {
    /// A `PreToolUse` hook that reads its input and puts some of it into its answer.
    Hook,
    /// A permission question, allowed with the input that was asked about.
    Permission,
    /// A tool of an in-process server that answers with a text that is made of its input.
    Mcp,
}

/// Has a session answer so many requests, each once the one before is answered.
///
/// # Errors
///
/// When an answer is not right, or the session ends.
pub fn round_trips(callback: Callback, times: usize) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (mut session, peer) = peer::connect(callback.session()).await?;
        let turn = session.ask("Go.").await?;
        let asking = async {
            peer::line(&peer).await?;
            let request = Bytes::from(callback.request());
            let mut length = 0;
            for _ in 0..times {
                peer.write(request.clone()).await?;
                let answer = peer::line(&peer).await?;
                // The first is read, the others are as long: that costs nothing.
                if length == 0 && callback.is_answered_by(&answer) {
                    length = answer.len();
                }
                if answer.len() != length {
                    return Err(format!("a wrong answer: {}", String::from_utf8_lossy(&answer)).into());
                }
            }
            Ok::<_, Box<dyn Error>>(peer.write(RESULT).await?)
        };
        let (result, asked) = tokio::join!(turn.finish(), asking);
        asked?;
        result?.ok_or("the turn has no result")?;
        Ok(())
    })
}

impl Callback {
    fn session(self) -> SessionBuilder {
        let session = Session::builder();
        match self {
            Self::Hook => session.hooks(hooks()),
            Self::Permission => session.permissions(permissions()),
            Self::Mcp => session.mcp_servers(servers()),
        }
    }

    /// As the CLI writes it.
    const fn request(self) -> &'static str {
        match self {
            Self::Hook => HOOK,
            Self::Permission => PERMISSION,
            Self::Mcp => MCP,
        }
    }

    fn is_answered_by(self, answer: &[u8]) -> bool {
        let parts: &[&str] = match self {
            Self::Hook => {
                &[r#""permissionDecision":"allow""#, r#""permissionDecisionReason":"echo 7 > a.txt""#]
            }
            Self::Permission => &[r#""behavior":"allow""#, r#""command":"echo 7 > a.txt""#],
            Self::Mcp => &[r#""id":7"#, r#""text":"row 7""#],
        };
        let has = |text: &str| memmem::find(answer, text.as_bytes()).is_some();
        has(r#""subtype":"success""#) && parts.iter().all(|part| has(part))
    }
}

const HOOK: &str = concat!(
    r#"{"type":"control_request","request_id":"00000000-0000-4000-8000-000000000007","request":{"subtype":"hook_callback","#,
    r#""callback_id":"hook_0","input":{"session_id":"00000000-0000-4000-8000-000000000002","#,
    r#""transcript_path":"/home/user/.claude/projects/-project/00000000-0000-4000-8000-000000000002.jsonl","#,
    r#""cwd":"/project","prompt_id":"00000000-0000-4000-8000-000000000006","permission_mode":"default","#,
    r#""effort":{"level":"medium"},"hook_event_name":"PreToolUse","tool_name":"Bash","#,
    r#""tool_input":{"command":"echo 7 > a.txt","description":"Write a.txt"},"#,
    r#""tool_use_id":"toolu_01M000000000000000000007"},"tool_use_id":"toolu_01M000000000000000000007"}}"#,
    "\n"
);
const PERMISSION: &str = concat!(
    r#"{"type":"control_request","request_id":"00000000-0000-4000-8000-000000000007","request":{"subtype":"can_use_tool","#,
    r#""tool_name":"Bash","display_name":"Bash","input":{"command":"echo 7 > a.txt","description":"Write a.txt"},"#,
    r#""description":"Write a.txt","permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","#,
    r#""ruleContent":"echo one *"}],"behavior":"allow","destination":"localSettings"},{"type":"addDirectories","#,
    r#""directories":["/project"],"destination":"session"}],"blocked_path":"/project/a.txt","#,
    r#""tool_use_id":"toolu_01M000000000000000000007"}}"#,
    "\n"
);
const MCP: &str = concat!(
    r#"{"type":"control_request","request_id":"00000000-0000-4000-8000-000000000007","request":{"subtype":"mcp_message","#,
    r#""server_name":"shelf","message":{"method":"tools/call","params":{"name":"read","arguments":{"n":7},"#,
    r#""_meta":{"claudecode/toolUseId":"toolu_01M000000000000000000007","progressToken":7}},"jsonrpc":"2.0","id":7}}}"#,
    "\n"
);
