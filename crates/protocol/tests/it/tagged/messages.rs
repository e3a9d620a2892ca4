//! The unions of messages: what the CLI says, what it says of the session, and what lies within.

use agentwire_protocol::{
    Message, System, Unknown,
    message::Origin,
    usage::{CreditStatus, Iteration},
};

use super::Union;

union! { Message:
    "assistant" {
        "message": r#"{"id":"m","model":"x","content":[{"type":"text","text":"hi"}],"stop_reason":null}"#,
        "parent_tool_use_id": "null", "session_id": r#""s""#,
    }
    "user" { "message": r#"{"role":"user","content":"\"quoted\" \u00e9\n"}"#, "parent_tool_use_id": r#""t""#, "uuid": r#""u""# }
    "system" { "subtype": r#""status""#, "status": "null", "permissionMode": r#""plan""# }
    "result" { "duration_api_ms": "5", "subtype": r#""success""#, "is_error": "false", "result": r#""done""# }
    "stream_event" { "event": r#"{"index":0,"delta":{"text":"a","type":"text_delta"},"type":"content_block_delta"}"# }
    "tool_progress" { "tool_use_id": r#""t""#, "tool_name": r#""Bash""#, "elapsed_time_seconds": "2.5", "parent_tool_use_id": "null" }
    "tool_use_summary" { "summary": r#""s""#, "preceding_tool_use_ids": r#"["t"]"# }
    "command_lifecycle" { "command_uuid": r#""c""#, "state": r#""later""# }
    "prompt_suggestion" { "suggestion": r#""s""# }
    "conversation_reset" { "new_conversation_id": r#""n""#, "trigger": r#""clear""# }
    "active_goal" { "value": r#"{"condition":"c","iterations":1,"set_at":2,"tokens_at_start":3}"# }
    "autocompact_state" { "value": r#"{"enabled":true,"source":"s"}"# }
    "rate_limit_event" { "rate_limit_info": r#"{"status":"allowed"}"#, "uuid": r#""u""# }
    "auth_status" { "isAuthenticating": "true", "output": r#"["\u00e9"]"# }
    "transcript_mirror" { "filePath": r#""\/f""#, "entries": r#"[{"b":1.10,"type":"x","a":[ ]}]"# }
    "control_request" { "request_id": r#""r""#, "request": r#"{"subtype":"later","x":1}"# }
    "control_response" { "response": r#"{"subtype":"success","request_id":"r"}"# }
    "control_cancel_request" { "request_id": r#""r""# }
    "keep_alive" {}
}
union! { System:
    "init" { "session_id": r#""s""#, "cwd": r#""\/w""#, "model": r#""m""#, "tools": r#"["Bash"]"# }
    "status" { "status": r#""requesting""#, "session_id": r#""s""# }
    "session_state_changed" { "state": r#""idle""#, "sdk_host_only": "true" }
    "thinking_tokens" { "estimated_tokens": "2", "estimated_tokens_delta": "1" }
    "api_retry" { "attempt": "1", "max_retries": "10", "retry_delay_ms": "500.5", "error_status": "null", "error": r#""overloaded""# }
    "model_fallback" { "trigger": r#""overloaded""#, "original_model": r#""a""#, "fallback_model": r#""b""# }
    "model_refusal_fallback" {
        "trigger": r#""refusal""#, "direction": r#""retry""#, "original_model": r#""a""#, "fallback_model": r#""b""#,
        "request_id": "null", "api_refusal_category": "null", "content": r#""c""#,
    }
    "model_refusal_no_fallback" { "original_model": r#""a""#, "request_id": r#""r""#, "content": r#""""# }
    "compact_boundary" { "compact_metadata": r#"{"trigger":"auto","pre_tokens":5}"# }
    "permission_denied" { "tool_name": r#""Bash""#, "tool_use_id": r#""t""#, "message": r#""no""# }
    "hook_started" { "hook_id": r#""h""#, "hook_name": r#""Stop""#, "hook_event": r#""Stop""# }
    "hook_progress" {
        "hook_id": r#""h""#, "hook_name": r#""Stop""#, "hook_event": r#""Stop""#,
        "stdout": r#""o""#, "stderr": r#""e""#, "output": r#""oe""#,
    }
    "hook_response" {
        "hook_id": r#""h""#, "hook_name": r#""Stop""#, "hook_event": r#""Stop""#,
        "output": r#""oe""#, "stdout": r#""o""#, "stderr": r#""e""#, "exit_code": "-1", "outcome": r#""error""#,
    }
    "task_started" { "task_id": r#""t""#, "description": r#""d""# }
    "task_updated" { "task_id": r#""t""#, "patch": r#"{"status":"killed"}"# }
    "task_progress" { "task_id": r#""t""#, "description": r#""d""#, "usage": r#"{"total_tokens":1,"tool_uses":2,"duration_ms":3}"# }
    "task_notification" { "task_id": r#""t""#, "status": r#""stopped""#, "output_file": r#""""#, "summary": r#""s""# }
    "background_tasks_changed" { "tasks": r#"[{"task_id":"t","task_type":"local_bash","description":"d"}]"# }
    "informational" { "content": r#""c""#, "level": r#""info""# }
    "notification" { "key": r#""k""#, "text": r#""t""#, "priority": r#""low""# }
    "local_command_output" { "content": r#""c""# }
    "control_request_progress" { "request_id": r#""r""#, "status": r#""api_retry""#, "error_status": "null" }
    "elicitation_complete" { "mcp_server_name": r#""srv""#, "elicitation_id": r#""e""# }
    "plugin_install" { "status": r#""started""# }
    "memory_recall" { "mode": r#""select""#, "memories": r#"[{"path":"\/m","scope":"team"}]"# }
    "files_persisted" { "files": r#"[{"filename":"f","file_id":"i"}]"#, "failed": "[]" }
    "commands_changed" { "commands": r#"[{"name":"n","description":"d","argumentHint":""}]"# }
    "session_title_changed" { "title": r#""\u00e9""# }
    "ui_invalidate" { "event": r#""ui.render""# }
    "session_writes_lost" { "error_code": r#""ENOSPC""#, "lost": r#"["transcript"]"# }
    "mirror_error" { "error": r#""e""#, "key": r#"{"projectKey":"p","sessionId":"s"}"# }
    "worker_shutting_down" { "reason": r#""host_exit""# }
}
union! { Origin:
    "human" {}
    "channel" { "server": r#""s""# }
    "peer" { "from": r#""p""#, "fromMode": r#""bypass""#, "verifiedPeerPid": "7" }
    "task-notification" { "subkind": r#""external-event""#, "runId": r#""r""#, "producer": r#""session-task""# }
    "coordinator" {}
    "unclassified" {}
    "observer" { "from": r#""o""#, "senderTaskId": r#""t""# }
    "auto-continuation" {}
    "observer-activity" {}
}
union! { Iteration:
    "message" { "input_tokens": "1", "output_tokens": "2", "cache_creation": "null", "model": r#""m""# }
    "compaction" { "input_tokens": "1", "output_tokens": "2" }
    "advisor_message" { "input_tokens": "1", "model": r#""m""# }
    "fallback_message" { "cache_creation": r#"{"ephemeral_1h_input_tokens":1,"ephemeral_5m_input_tokens":2}"# }
}
union! { CreditStatus:
    "redeemed" {}
    "not_applied" { "reason": r#""expired""#, "remove_to_redeem": "null" }
}

/// Runs one check for every union in this file.
macro_rules! for_every_union_of_messages {
    ($check:ident) => {{
        $check::<agentwire_protocol::Message>();
        $check::<agentwire_protocol::System>();
        $check::<agentwire_protocol::message::Origin>();
        $check::<agentwire_protocol::usage::Iteration>();
        $check::<agentwire_protocol::usage::CreditStatus>();
    }};
}
