//! The options of a session: plain data, set before it starts.

mod bare;
mod check;
mod conversation;
mod define;
mod deserialize;
mod environment;
mod folder;
mod launch_plan;
mod limits;
mod mcp;
mod model;
mod output;
mod output_schema;
mod permission_bypass;
mod permissions;
mod plugins;
mod prompt;
mod sandbox;
mod secrets;
mod settings;
mod strict;
mod suggestion;
mod table;
mod tools;
mod trace;
mod warning;

pub use conversation::SessionStoreFlush;
pub use launch_plan::{LaunchPlan, PrivateFile};
pub use limits::TaskBudget;
pub use mcp::Delivery;
pub use model::ThinkingConfig;
pub use output::OutputFormat;
pub use permissions::PermissionPrompts;
pub use prompt::SystemPrompt;
pub use settings::{FlagSettings, SettingSource};
pub use table::{OptionInfo, OptionOrigin, Options};
pub use tools::{AskUserQuestionConfig, PreviewFormat, Skills, ToolConfig, Tools};
pub use trace::TraceContext;
pub use warning::Warning;

pub(crate) use bare::{check_in_force, is_on};
#[cfg(feature = "sessions")]
pub(crate) use conversation::NO_STORE;
pub(crate) use folder::FolderFiles;
pub(crate) use launch_plan::{AWAIT_INITIALIZE, refuse, resumes};
pub(crate) use permission_bypass::mode_bypass_warning;
pub(crate) use permissions::PROMPT_TOOL;
pub(crate) use settings::check_applied;

use crate::Error;

impl Options {
    /// Returns the defaults: the CLI's own, with an empty system prompt.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a description of every option: name, type, default, effect and version.
    pub fn described() -> &'static [OptionInfo] {
        table::TABLE
    }

    /// Returns those of the given options that differ from the default.
    pub(crate) fn changed(&self, mut among: Vec<&'static OptionInfo>) -> Vec<&'static OptionInfo> {
        // The list is usually empty, and the comparison is slow.
        if !among.is_empty() {
            let values = |options: &Self| serde_json::to_value(options).unwrap_or_default();
            let (ours, default) = (values(self), values(&Self::default()));
            among.retain(|option| ours[option.name] != default[option.name]);
        }
        among
    }

    /// Returns the command line, environment, files and handshake that these options result in.
    ///
    /// Nothing is started or written.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if an option can't be used as set.
    pub fn to_launch_plan(&self) -> Result<LaunchPlan, Error> {
        self.check()?;
        let mut plan = LaunchPlan::stream_json();
        self.rows_to_cli(&mut plan);
        self.thinking_to_cli(&mut plan);
        self.conversation_to_cli(&mut plan);
        self.prompt_to_cli(&mut plan);
        self.tools_to_cli(&mut plan);
        plan.client_composed = self.verbatim_prompts;
        plan.flag("task-budget", self.task_budget.map(|budget| budget.total));
        self.output_format_to_cli(&mut plan)?;
        self.mcp_to_cli(&mut plan)?;
        self.plugins_to_cli(&mut plan)?;
        self.settings_to_cli(&mut plan)?;
        self.process_to_cli(&mut plan)?;
        Ok(plan)
    }
}
