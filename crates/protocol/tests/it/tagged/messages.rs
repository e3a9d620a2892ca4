//! The unions of messages: the CLI's messages, session events, and their inner unions.

use agentwire_protocol::{
    Message, System, Unknown,
    message::Origin,
    usage::{CreditStatus, Iteration},
};

use super::{Union, example};
use crate::messages::known_fixtures;

union! { Message from (known_fixtures().map(|fixture| example::<Message>(&fixture.text))):
    "user" { "message": r#"{"role":"user","content":"\"quoted\" \u00e9\n"}"#, "parent_tool_use_id": r#""t""#, "uuid": r#""u""# }
    "auth_status" { "isAuthenticating": "true", "output": r#"["\u00e9"]"# }
    "transcript_mirror" { "filePath": r#""\/f""#, "entries": r#"[{"b":1.10,"type":"x","a":[ ]}]"# }
}
union! { System from (known_fixtures().filter(|fixture| fixture.folder.starts_with("system.")).map(|fixture| example::<System>(&fixture.text))):
    "api_retry" { "attempt": "1", "max_retries": "10", "retry_delay_ms": "500.5", "error_status": "null", "error": r#""overloaded""# }
    "session_title_changed" { "title": r#""\u00e9""# }
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
