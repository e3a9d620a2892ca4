//! The unions within an answer of the model: blocks, stream events and final properties.

use agentwire_protocol::{
    Block, Unknown,
    content::{
        AdvisorContent, BashCodeExecutionContent, BrowserChange, CacheControl, Caller, Citation,
        CodeExecutionContent, CodeOutput, DocumentSource, FallbackTrigger, ImageSource, TextEditorContent,
        ToolChange, ToolSearchContent, WebFetchContent, WebSearchFailure, WebSearchItem,
    },
    message::{CacheMissReason, ContextEdit, Delta, Event, InputTransformation, StopDetails},
};

use super::Union;

union! { Block:
    "text" {
        "text": r#""\u0061\t\"""#,
        "citations": r#"[{"type":"page_location","cited_text":"c","document_index":0,"start_page_number":1,"end_page_number":2},{"type":"later"}]"#,
        "cache_control": r#"{"type":"ephemeral","ttl":"1h"}"#,
    }
    "thinking" { "thinking": r#""hm""#, "signature": r#""sig""# }
    "redacted_thinking" { "data": r#""AAAA""# }
    "tool_use" {
        "id": r#""t""#, "input": r#"{"z":1.10,"a":12345678901234567890123,"a":2}"#, "name": r#""Bash""#,
        "caller": r#"{"type":"direct"}"#, "toolset_name": r#""browser""#,
    }
    "tool_result" { "tool_use_id": r#""t""#, "content": r#"[{"text":"x","type":"text"}]"#, "is_error": "true", "toolset_name": r#""browser""# }
    "image" { "source": r#"{"data":"AAAA","media_type":"image/png","type":"base64"}"#, "transformations": r#"{"oversized_image":"error"}"# }
    "document" { "source": r#"{"type":"url","url":"u"}"#, "title": r#""t""#, "context": r#""c""#, "citations": r#"{"enabled":true}"# }
    "search_result" { "content": r#"[{"text":"x","type":"text"}]"#, "source": r#""s""#, "title": r#""t""#, "citations": "{}" }
    "server_tool_use" { "id": r#""t""#, "name": r#""web_search""#, "input": r#"{"query":1.0}"#, "caller": r#"{"type":"later","x":1}"# }
    "web_search_tool_result" {
        "tool_use_id": r#""t""#,
        "content": r#"[{"type":"web_search_result","url":"u","title":"t","encrypted_content":"e","page_age":"1 day"},{"type":"later","n":1.10}]"#,
    }
    "web_fetch_tool_result" {
        "content": r#"{"content":{"source":{"data":"d","media_type":"text/plain","type":"text"},"type":"document"},"retrieved_at":"now","type":"web_fetch_result","url":"u"}"#,
        "tool_use_id": r#""t""#,
    }
    "advisor_tool_result" { "tool_use_id": r#""t""#, "content": r#"{"type":"advisor_result","text":"a","stop_reason":"end_turn"}"# }
    "code_execution_tool_result" {
        "tool_use_id": r#""t""#,
        "content": r#"{"type":"code_execution_result","stdout":"o","stderr":"","return_code":-1,"content":[{"file_id":"f","type":"code_execution_output"}]}"#,
    }
    "bash_code_execution_tool_result" {
        "tool_use_id": r#""t""#,
        "content": r#"{"stdout":"o","stderr":"","return_code":0,"content":[],"type":"bash_code_execution_result"}"#,
    }
    "text_editor_code_execution_tool_result" {
        "tool_use_id": r#""t""#, "content": r#"{"is_file_update":true,"type":"text_editor_code_execution_create_result"}"#,
    }
    "tool_search_tool_result" {
        "tool_use_id": r#""t""#,
        "content": r#"{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"n"}]}"#,
    }
    "mcp_tool_use" { "id": r#""t""#, "name": r#""n""#, "server_name": r#""s""#, "input": "[1.10]" }
    "mcp_tool_result" { "tool_use_id": r#""t""#, "content": r#"[{"type":"text","text":"x"}]"#, "is_error": "false" }
    "mcp_tool_listing" { "mcp_server_name": r#""s""#, "tools": r#"[{"name":"n","description":"d","input_schema":{"b":1,"a":1.0}}]"# }
    "container_upload" { "file_id": r#""f""# }
    "compaction" {
        "content": "null", "encrypted_content": r#""e""#, "signature": r#""s""#,
        "tool_changes": r#"[{"type":"tool_removal","tool":{"name":"n","type":"tool_reference"}}]"#,
    }
    "fallback" { "from": r#"{"model":"a"}"#, "to": r#"{"model":"b"}"#, "trigger": r#"{"type":"refusal","category":null}"# }
    "tool_addition" { "tool": r#"{"type":"tool_definition","definition":{"name":"n"}}"# }
    "tool_removal" { "tool": r#"{"server_name":"s","type":"mcp_toolset_reference"}"# }
    "tool_reference" { "tool_name": r#""n""# }
    "browser_state" {
        "tabs": r#"[{"tab_id":"1","title":"t","url":"u","active":true}]"#,
        "state_changes": r#"[{"type":"tab_opened","tab_id":"1"}]"#,
    }
}
union! { Citation:
    "char_location" {
        "cited_text": r#""c""#, "document_index": "0", "document_title": r#""t""#, "start_char_index": "1",
        "end_char_index": "2", "file_id": r#""f""#,
    }
    "page_location" { "cited_text": r#""c""#, "document_index": "0", "start_page_number": "1", "end_page_number": "2" }
    "content_block_location" { "cited_text": r#""c""#, "document_index": "0", "start_block_index": "1", "end_block_index": "2" }
    "web_search_result_location" { "cited_text": r#""c""#, "encrypted_index": r#""e""#, "title": r#""t""#, "url": r#""u""# }
    "search_result_location" {
        "cited_text": r#""c""#, "search_result_index": "0", "source": r#""s""#, "start_block_index": "1", "end_block_index": "2",
    }
}
union! { CacheControl:
    "ephemeral" { "ttl": r#""5m""# }
}
union! { Caller:
    "direct" {}
    "code_execution_20250825" { "tool_id": r#""t""# }
    "code_execution_20260120" { "tool_id": r#""t""# }
}
union! { ImageSource:
    "base64" { "media_type": r#""image\/png""#, "data": r#""AAAA""# }
    "url" { "url": r#""u""# }
    "file" { "file_id": r#""f""# }
}
union! { DocumentSource:
    "base64" { "media_type": r#""application/pdf""#, "data": r#""AAAA""# }
    "text" { "data": r#""words""#, "media_type": r#""text/plain""# }
    "content" { "content": r#"[{"text":"x","type":"text"}]"# }
    "url" { "url": r#""u""# }
    "file" { "file_id": r#""f""# }
}
union! { WebSearchItem:
    "web_search_result" { "url": r#""u""#, "title": r#""t""#, "encrypted_content": r#""e""# }
}
union! { WebSearchFailure:
    "web_search_tool_result_error" { "error_code": r#""query_too_long""# }
}
union! { WebFetchContent:
    "web_fetch_result" { "url": r#""u""#, "content": r#"{"type":"later","x":1e400}"# }
    "web_fetch_tool_result_error" { "error_code": r#""url_too_long""# }
}
union! { AdvisorContent:
    "advisor_result" { "text": r#""a""# }
    "advisor_redacted_result" { "encrypted_content": r#""e""#, "stop_reason": r#""max_tokens""# }
    "advisor_tool_result_error" { "error_code": r#""overloaded""# }
}
union! { CodeExecutionContent:
    "code_execution_result" { "stdout": r#""o""#, "stderr": r#""""#, "return_code": "0", "content": "[]" }
    "encrypted_code_execution_result" { "encrypted_stdout": r#""o""#, "stderr": r#""""#, "return_code": "0", "content": "[]" }
    "code_execution_tool_result_error" { "error_code": r#""new code""# }
}
union! { BashCodeExecutionContent:
    "bash_code_execution_result" {
        "stdout": r#""o""#, "stderr": r#""""#, "return_code": "0", "content": r#"[{"type":"bash_code_execution_output","file_id":"f"}]"#,
    }
    "bash_code_execution_tool_result_error" { "error_code": r#""output_file_too_large""# }
}
union! { CodeOutput:
    "code_execution_output" { "file_id": r#""f""# }
    "bash_code_execution_output" { "file_id": r#""f""# }
}
union! { TextEditorContent:
    "text_editor_code_execution_view_result" {
        "content": r#""c""#, "file_type": r#""text""#, "num_lines": "1", "start_line": "1", "total_lines": "1",
    }
    "text_editor_code_execution_create_result" { "is_file_update": "false" }
    "text_editor_code_execution_str_replace_result" {
        "lines": r#"["-a","+b"]"#, "new_lines": "1", "new_start": "1", "old_lines": "1", "old_start": "1",
    }
    "text_editor_code_execution_tool_result_error" { "error_code": r#""file_not_found""#, "error_message": r#""gone""# }
}
union! { ToolSearchContent:
    "tool_search_tool_search_result" { "tool_references": r#"[{"type":"later"}]"# }
    "tool_search_tool_result_error" { "error_code": r#""unavailable""#, "error_message": r#""no""# }
}
union! { ToolChange:
    "tool_reference" { "name": r#""n""# }
    "mcp_tool_reference" { "name": r#""n""#, "server_name": r#""s""# }
    "mcp_toolset_reference" { "server_name": r#""s""# }
    "tool_definition" { "definition": r#"{"b":1,"a":1.0}"# }
}
union! { FallbackTrigger:
    "refusal" { "category": r#""bio""# }
}
union! { BrowserChange:
    "tab_opened" { "tab_id": r#""1""# }
    "download_started" { "download_id": r#""d""#, "url": r#""u""# }
    "download_completed" { "download_id": r#""d""#, "url": r#""u""#, "path": r#""p""#, "size_bytes": "5" }
    "download_failed" { "download_id": r#""d""#, "url": r#""u""#, "error": r#""e""# }
}
union! { Event:
    "message_start" { "message": r#"{"id":"m","model":"x","content":[],"stop_reason":null}"# }
    "content_block_start" { "index": "0", "content_block": r#"{"text":"","type":"text"}"# }
    "content_block_delta" { "index": "1", "delta": r#"{"thinking":"x","type":"thinking_delta"}"# }
    "content_block_stop" { "index": "2" }
    "message_delta" {
        "delta": r#"{"stop_reason":"end_turn","stop_sequence":null,"stop_details":{"type":"later"},"container":{"id":"c","expires_at":"e","skills":null}}"#,
        "usage": r#"{"input_tokens":1,"output_tokens":5}"#,
        "context_management": r#"{"applied_edits":[{"type":"later"}]}"#,
        "input_transformations": r#"[{"type":"thinking_dropped","path":"p"}]"#,
    }
    "message_stop" {}
    "ping" {}
    "error" { "error": r#"{"type":"overloaded_error","message":"m"}"#, "request_id": r#""r""# }
}
union! { Delta:
    "text_delta" { "text": r#""a""# }
    "thinking_delta" { "thinking": r#""a""#, "estimated_tokens": "50" }
    "signature_delta" { "signature": r#""a""# }
    "input_json_delta" { "partial_json": r#""{\"a\":""# }
    "citations_delta" { "citation": r#"{"type":"later","n":1.10}"# }
    "compaction_delta" { "content": r#""s""#, "encrypted_content": r#""e""# }
}
union! { StopDetails:
    "refusal" {
        "category": r#""cyber""#, "explanation": "null", "fallback_credit_token": r#""c""#,
        "fallback_has_prefill_claim": "true", "recommended_model": r#""m""#,
    }
}
union! { ContextEdit:
    "clear_tool_uses_20250919" { "cleared_input_tokens": "5", "cleared_tool_uses": "1" }
    "clear_thinking_20251015" { "cleared_thinking_turns": "1", "cleared_input_tokens": "7" }
}
union! { CacheMissReason:
    "model_changed" { "cache_missed_input_tokens": "5" }
    "system_changed" { "cache_missed_input_tokens": "5" }
    "tools_changed" { "cache_missed_input_tokens": "5" }
    "messages_changed" { "cache_missed_input_tokens": "5" }
    "previous_message_not_found" {}
    "unavailable" {}
}
union! { InputTransformation:
    "thinking_dropped" { "path": r#""messages.0.content.1""#, "reason": r#""model_binding_mismatch""# }
    "thinking_mismatch_allowed" { "path": r#""messages.0.content.1""#, "reason": r#""new""# }
}

/// Runs one check for every union in this file.
macro_rules! for_every_union_of_answers {
    ($check:ident) => {{
        $check::<agentwire_protocol::Block>();
        $check::<agentwire_protocol::content::AdvisorContent>();
        $check::<agentwire_protocol::content::BashCodeExecutionContent>();
        $check::<agentwire_protocol::content::BrowserChange>();
        $check::<agentwire_protocol::content::CacheControl>();
        $check::<agentwire_protocol::content::Caller>();
        $check::<agentwire_protocol::content::Citation>();
        $check::<agentwire_protocol::content::CodeExecutionContent>();
        $check::<agentwire_protocol::content::CodeOutput>();
        $check::<agentwire_protocol::content::DocumentSource>();
        $check::<agentwire_protocol::content::FallbackTrigger>();
        $check::<agentwire_protocol::content::ImageSource>();
        $check::<agentwire_protocol::content::TextEditorContent>();
        $check::<agentwire_protocol::content::ToolChange>();
        $check::<agentwire_protocol::content::ToolSearchContent>();
        $check::<agentwire_protocol::content::WebFetchContent>();
        $check::<agentwire_protocol::content::WebSearchFailure>();
        $check::<agentwire_protocol::content::WebSearchItem>();
        $check::<agentwire_protocol::message::CacheMissReason>();
        $check::<agentwire_protocol::message::ContextEdit>();
        $check::<agentwire_protocol::message::Delta>();
        $check::<agentwire_protocol::message::Event>();
        $check::<agentwire_protocol::message::InputTransformation>();
        $check::<agentwire_protocol::message::StopDetails>();
    }};
}
