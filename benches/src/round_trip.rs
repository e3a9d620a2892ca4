//! One hook after the other through a whole session in one thread, for counting.

use std::error::Error;

use agentwire::{
    Session,
    hooks::{Hooks, Matcher},
    protocol::{
        DecodeError,
        hook::{HookReply, PreToolUse},
    },
};
use bytes::Bytes;
use memchr::memmem;
use serde::Deserialize;

use crate::peer::{self, RESULT};

/// Has a session answer so many hooks, each once the one before is answered.
///
/// The handler reads its input and puts some of it into its answer.
///
/// # Errors
///
/// When an answer is not right, or the session ends.
pub fn hooks(times: usize) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let hooks = Hooks::new().on_matching(PreToolUse, Matcher::tools(["Bash"]), async |input, _cx| {
            let Bash { command } = input.tool_input.decode()?;
            let mut reply = HookReply::allow();
            reply.output.get_or_insert_default().permission_decision_reason = Some(command);
            Ok::<_, DecodeError>(reply)
        });
        let (mut session, peer) = peer::connect(Session::builder().hooks(hooks)).await?;
        let turn = session.ask("Go.").await?;
        let asking = async {
            peer::line(&peer).await?;
            let request = Bytes::from(REQUEST);
            let mut length = 0;
            for _ in 0..times {
                peer.write(request.clone()).await?;
                let answer = peer::line(&peer).await?;
                // The first is read, the others are as long: that costs nothing.
                if length == 0 && is_right(&answer) {
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

#[derive(Deserialize)]
struct Bash {
    command: String,
}

fn is_right(answer: &[u8]) -> bool {
    let has = |text: &str| memmem::find(answer, text.as_bytes()).is_some();
    has(r#""subtype":"success""#)
        && has(r#""permissionDecision":"allow""#)
        && has(r#""permissionDecisionReason":"echo 7 > a.txt""#)
}

/// As the CLI writes it.
const REQUEST: &str = concat!(
    r#"{"type":"control_request","request_id":"00000000-0000-4000-8000-000000000007","request":{"subtype":"hook_callback","#,
    r#""callback_id":"hook_0","input":{"session_id":"00000000-0000-4000-8000-000000000002","#,
    r#""transcript_path":"/home/user/.claude/projects/-project/00000000-0000-4000-8000-000000000002.jsonl","#,
    r#""cwd":"/project","prompt_id":"00000000-0000-4000-8000-000000000006","permission_mode":"default","#,
    r#""effort":{"level":"medium"},"hook_event_name":"PreToolUse","tool_name":"Bash","#,
    r#""tool_input":{"command":"echo 7 > a.txt","description":"Write a.txt"},"#,
    r#""tool_use_id":"toolu_01M000000000000000000007"},"tool_use_id":"toolu_01M000000000000000000007"}}"#,
    "\n"
);
