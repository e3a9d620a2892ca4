//! Prints options: only those that differ from the default, and no secrets.

use std::fmt;

use super::Options;

/// Prints the fields that differ from the default; those after `names of` without values, those after `number of` as a
/// count.
macro_rules! shown {
    ($options:ident, $to:ident: $($field:ident)+; names of $($named:ident)+; number of $($counted:ident)+) => {
        let default = Options::default();
        $( if $options.$field != default.$field { $to.field(stringify!($field), &$options.$field); } )+
        $( if $options.$named != default.$named { $to.field(stringify!($named), &$options.$named.keys()); } )+
        $( if $options.$counted != default.$counted { $to.field(stringify!($counted), &$options.$counted.len()); } )+
    };
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = self;
        let mut to = f.debug_struct("Options");
        shown! { options, to:
            model fallback_model agent agents effort thinking max_thinking_tokens betas system_prompt
            plan_mode_instructions tools allowed_tools disallowed_tools tool_aliases tool_config skills
            permission_mode allow_dangerously_skip_permissions permission_prompt_tool_name permission_prompts
            max_turns max_budget_usd task_budget resume continue_last fork_session session_id resume_session_at
            resume_drops_turn persist_session title session_store_flush load_timeout_ms
            session_store_flush_timeout_ms session_store_append_timeout_ms session_store_max_pending_bytes
            session_store_project output_format include_partial_messages include_hook_events forward_subagent_text verbatim_prompts
            prompt_suggestions agent_progress_summaries supported_dialog_kinds per_task_stop_affordance
            mcp_servers mcp_servers_delivery mcp_config_files strict_mcp_config plugins plugin_delivery
            settings managed_settings setting_sources sandbox cwd additional_directories project_config_root
            path_to_claude_code_executable executable env_remove env_clear user client_app debug debug_file
            enable_file_checkpointing max_buffer_size trace_context version_check;
            names of env extra_args; number of executable_args
        }
        to.finish_non_exhaustive()
    }
}
