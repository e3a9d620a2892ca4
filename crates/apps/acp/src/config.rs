//! The mode and the model of a session, and what can be chosen. No I/O.

use agent_client_protocol::v1::schema::{
    ConfigOptionUpdate, CurrentModeUpdate, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigSelectOption, SessionMode, SessionModeState, SessionUpdate,
};
use agentwire::{
    Message, PermissionMode, System,
    protocol::{control::InitializeReply, model_info::ModelInfo},
};

/// The mode and the model of a session.
#[derive(Debug)]
pub(crate) struct Config {
    mode: PermissionMode,
    model: Box<str>,
    models: Vec<ModelInfo>,
    /// Whether the mode without any question is offered.
    allow_bypass: bool,
}

impl Config {
    /// Returns what the CLI has reported in the handshake.
    pub(crate) fn of(reply: &InitializeReply, allow_bypass: bool) -> Self {
        let mode = reply.current_permission_mode.clone().unwrap_or(PermissionMode::Default);
        let models = reply.models.clone();
        let default = models.iter().find(|model| &*model.value == DEFAULT).or(models.first());
        let model = default.map_or_else(|| DEFAULT.into(), |model| model.value.clone());
        Self { mode, model, models, allow_bypass }
    }

    /// Returns the modes, with the current one.
    pub(crate) fn modes(&self) -> SessionModeState {
        let modes =
            self.map_modes(|id, name, description| SessionMode::new(id, name).description(description));
        SessionModeState::new(self.mode.as_str().to_owned(), modes)
    }

    /// Returns the mode and the model as options.
    pub(crate) fn options(&self) -> Vec<SessionConfigOption> {
        let modes = self.map_modes(|id, name, description| {
            SessionConfigSelectOption::new(id, name).description(description)
        });
        let mode = SessionConfigOption::select(MODE, "Mode", self.mode.as_str().to_owned(), modes)
            .category(SessionConfigOptionCategory::Mode);
        let models: Vec<_> = self
            .models
            .iter()
            .map(|model| {
                SessionConfigSelectOption::new(model.value.to_string(), &*model.display_name)
                    .description(model.description.clone())
            })
            .collect();
        if models.is_empty() {
            return vec![mode];
        }
        let model = SessionConfigOption::select(MODEL, "Model", self.model.to_string(), models)
            .category(SessionConfigOptionCategory::Model);
        vec![mode, model]
    }

    /// Returns the mode with this id, if it is offered.
    pub(crate) fn mode(&self, id: &str) -> Option<PermissionMode> {
        self.offered().find(|mode| mode.as_str() == id).cloned()
    }

    /// Returns whether the CLI has offered this model.
    pub(crate) fn has_model(&self, value: &str) -> bool {
        self.models.iter().any(|model| &*model.value == value)
    }

    /// Sets the model, after the CLI has accepted it.
    pub(crate) fn set_model(&mut self, value: &str) {
        self.model = value.into();
    }

    /// Sets the mode, and returns the updates if it changed.
    pub(crate) fn set_mode(&mut self, mode: &PermissionMode) -> Vec<SessionUpdate> {
        if self.mode == *mode {
            return Vec::new();
        }
        self.mode = mode.clone();
        vec![
            SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(mode.as_str().to_owned())),
            SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(self.options())),
        ]
    }

    /// Returns the updates for a mode and a model that the CLI reports: they change by approved plans and commands too.
    pub(crate) fn updates(&mut self, message: &Message) -> Vec<SessionUpdate> {
        let mode = match message {
            Message::System(System::Init(init)) => init.permission_mode.as_ref(),
            Message::System(System::Status(status)) => status.permission_mode.as_ref(),
            _ => None,
        };
        let mut updates = mode.map(|mode| self.set_mode(mode)).unwrap_or_default();
        if let Message::System(System::Init(init)) = message {
            updates.extend(self.used_model(&init.model));
        }
        updates
    }

    /// Selects the model that the CLI uses, unless it is the current one, and returns the update.
    pub(crate) fn used_model(&mut self, name: &str) -> Option<SessionUpdate> {
        let is_used = |model: &&ModelInfo| model.resolved_model.as_deref().unwrap_or(&model.value) == name;
        // Several values may stand for one model.
        if self.models.iter().filter(is_used).any(|model| model.value == self.model) {
            return None;
        }
        self.model = self.models.iter().find(is_used)?.value.clone();
        Some(SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(self.options())))
    }

    /// Returns the modes to choose from, made of their id, name and description.
    fn map_modes<T>(&self, make: impl Fn(String, String, Option<String>) -> T) -> Vec<T> {
        let mode = |mode: &PermissionMode| {
            let (name, description) = words(mode);
            make(mode.as_str().to_owned(), name, description)
        };
        self.offered().map(mode).collect()
    }

    /// Returns the modes to choose from. The current one is always among them.
    fn offered(&self) -> impl Iterator<Item = &PermissionMode> {
        let has_auto = self.models.iter().any(|model| model.supports_auto_mode == Some(true));
        let is_offered = move |mode: &&PermissionMode| match mode {
            PermissionMode::BypassPermissions => self.allow_bypass,
            PermissionMode::Auto => has_auto,
            _ => true,
        };
        let current =
            Some(&self.mode).filter(|mode| !MODES.iter().filter(is_offered).any(|one| one == *mode));
        MODES.iter().filter(is_offered).chain(current)
    }
}

fn words(mode: &PermissionMode) -> (String, Option<String>) {
    let (name, description) = match mode {
        PermissionMode::Default => ("Ask", "Asks before it edits files or runs commands"),
        PermissionMode::AcceptEdits => {
            ("Accept edits", "Edits files in the working directories without asking")
        }
        PermissionMode::Plan => ("Plan", "Reads and plans, and changes nothing"),
        PermissionMode::DontAsk => ("Don't ask", "Denies what no rule allows"),
        PermissionMode::Auto => ("Auto", "A classifier decides instead of you"),
        PermissionMode::BypassPermissions => ("Bypass permissions", "Runs everything without asking"),
        other => return (other.as_str().to_owned(), None),
    };
    (name.to_owned(), Some(description.to_owned()))
}

/// The id of the option for the mode.
pub(crate) const MODE: &str = "mode";
/// The id of the option for the model.
pub(crate) const MODEL: &str = "model";
const DEFAULT: &str = "default";
const MODES: &[PermissionMode] = &[
    PermissionMode::Default,
    PermissionMode::AcceptEdits,
    PermissionMode::Plan,
    PermissionMode::DontAsk,
    PermissionMode::Auto,
    PermissionMode::BypassPermissions,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn config(mode: &str, allow_bypass: bool) -> Config {
        let reply = format!(
            r#"{{"current_permission_mode":"{mode}","models":[{{"value":"default","displayName":"Default"}},{{"value":"haiku","displayName":"Haiku"}}]}}"#
        );
        Config::of(&serde_json::from_str(&reply).unwrap(), allow_bypass)
    }

    fn ids(config: &Config) -> Vec<String> {
        config.modes().available_modes.iter().map(|mode| mode.id.to_string()).collect()
    }

    #[test]
    fn bypass_is_offered_only_if_it_is_allowed_or_in_force() {
        let usual = ["default", "acceptEdits", "plan", "dontAsk"];
        assert_eq!(ids(&config("default", false)), usual);
        assert!(config("default", false).mode("bypassPermissions").is_none());
        assert!(config("default", true).mode("bypassPermissions").is_some());
        assert_eq!(ids(&config("bypassPermissions", false))[4], "bypassPermissions");
    }

    #[test]
    fn model_that_the_cli_uses_is_shown_once() {
        let reply = r#"{"models":[{"value":"default","displayName":"Default","resolvedModel":"model-a"},
            {"value":"a","displayName":"A","resolvedModel":"model-a"},
            {"value":"b","displayName":"B","resolvedModel":"model-b"}]}"#;
        let mut config = Config::of(&serde_json::from_str(reply).unwrap(), false);
        let mut used = |model: &str| {
            let init = format!(r#"{{"type":"system","subtype":"init","model":"{model}"}}"#);
            let updates = config.updates(&Message::from_line(&init).unwrap());
            (config.model.to_string(), updates.len())
        };
        assert_eq!(used("model-a"), ("default".to_owned(), 0));
        assert_eq!(used("model-b"), ("b".to_owned(), 1));
        assert_eq!(used("model-b"), ("b".to_owned(), 0));
        assert_eq!(used("another"), ("b".to_owned(), 0));
        assert_eq!(used("model-a"), ("default".to_owned(), 1));
    }

    #[test]
    fn mode_that_the_cli_reports_is_shown_once() {
        let mut config = config("default", false);
        let status = Message::from_line(
            r#"{"type":"system","subtype":"status","status":null,"permissionMode":"plan"}"#,
        );
        let status = status.unwrap();
        assert_eq!(config.updates(&status).len(), 2);
        assert!(config.updates(&status).is_empty());
        assert_eq!(config.modes().current_mode_id.to_string(), "plan");
    }
}
