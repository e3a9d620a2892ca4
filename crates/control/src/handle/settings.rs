//! Requests about settings, and reloading plugins, skills and output styles.

use agentwire_protocol::{
    control::{
        ApplyFlagSettings, GetSettings, GetSettingsReply, ReloadOutputStyles, ReloadOutputStylesReply,
        ReloadPlugins, ReloadPluginsReply, ReloadSkills, ReloadSkillsReply, UpdateSettings,
        UpdateSettingsSource,
    },
    settings::RawSettings,
};

use crate::{Control, ControlError};

impl Control {
    /// Returns the effective settings and their sources (`get_settings`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn settings(&self) -> Result<GetSettingsReply, ControlError> {
        self.call(&GetSettings::default()).await
    }

    /// Overrides settings for this session, as `--settings` does, without saving them (`apply_flag_settings`).
    ///
    /// A repeated key replaces its whole earlier value; `null` removes the override.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// If one setting is invalid none is applied, and the CLI's text names it.
    pub async fn apply_flag_settings(&self, settings: impl Into<RawSettings>) -> Result<(), ControlError> {
        self.done(&ApplyFlagSettings::new(settings)).await
    }

    /// Saves settings in a file (`update_settings`).
    ///
    /// Local project settings accept only `outputStyle`, user settings only `effortLevel`. CLI 2.1.197 does not support it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses other keys by name.
    pub async fn update_settings(
        &self,
        source: UpdateSettingsSource,
        settings: impl Into<RawSettings>,
    ) -> Result<(), ControlError> {
        self.done(&UpdateSettings::new(source, settings)).await
    }

    /// Reloads the plugins, and loads more (`reload_plugins`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// With `refuse_if_busy` the CLI refuses it during a turn, with `reload_plugins_busy`.
    pub async fn reload_plugins(&self, request: &ReloadPlugins) -> Result<ReloadPluginsReply, ControlError> {
        self.call(request).await
    }

    /// Reloads the skills (`reload_skills`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn reload_skills(&self) -> Result<ReloadSkillsReply, ControlError> {
        self.call(&ReloadSkills::default()).await
    }

    /// Reloads the output styles (`reload_output_styles`). CLI 2.1.197 does not support it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn reload_output_styles(&self) -> Result<ReloadOutputStylesReply, ControlError> {
        self.call(&ReloadOutputStyles::default()).await
    }
}
