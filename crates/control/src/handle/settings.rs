//! Settings, and what is read from the disk again.

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
    /// Which settings are in force, and where they come from (`get_settings`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn settings(&self) -> Result<GetSettingsReply, ControlError> {
        self.call(&GetSettings::default()).await
    }

    /// Lays settings over the session's own (`apply_flag_settings`), as `--settings` does; nothing is saved.
    ///
    /// A key that comes again replaces the whole earlier value, and one that is `null` cancels it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// Where one of them is invalid none is applied, and the CLI's text names it.
    pub async fn apply_flag_settings(&self, settings: impl Into<RawSettings>) -> Result<(), ControlError> {
        self.done(&ApplyFlagSettings::new(settings)).await
    }

    /// Saves settings in a file (`update_settings`).
    ///
    /// The project's local ones take `outputStyle` only, the user's `effortLevel` only. CLI 2.1.197 does not know it.
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

    /// Reads the plugins again, and loads more (`reload_plugins`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// With `refuse_if_busy` the CLI refuses it while the session works, with `reload_plugins_busy`.
    pub async fn reload_plugins(&self, request: &ReloadPlugins) -> Result<ReloadPluginsReply, ControlError> {
        self.call(request).await
    }

    /// Reads the skills again (`reload_skills`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn reload_skills(&self) -> Result<ReloadSkillsReply, ControlError> {
        self.call(&ReloadSkills::default()).await
    }

    /// Reads the output styles again (`reload_output_styles`). CLI 2.1.197 does not know it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn reload_output_styles(&self) -> Result<ReloadOutputStylesReply, ControlError> {
        self.call(&ReloadOutputStyles::default()).await
    }
}
