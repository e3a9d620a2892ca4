//! Requests about settings, and reloading plugins, skills and output styles.

use agentwire_protocol::{
    control::{
        ApplyFlagSettings, GetSettings, GetSettingsReply, ReloadOutputStyles, ReloadOutputStylesReply,
        ReloadPlugins, ReloadPluginsReply, ReloadSkills, ReloadSkillsReply, UpdateSettings,
        UpdateSettingsSource,
    },
    settings::RawSettings,
};

use super::{Control, calls};

calls! {
    /// Returns the effective settings and their sources (`get_settings`).
    fn settings() -> GetSettingsReply = &GetSettings::default();

    /// Overrides settings for this session, as `--settings` does, without saving them (`apply_flag_settings`).
    ///
    /// A repeated key replaces its whole earlier value; `null` removes the override.
    /// If one setting is invalid none is applied, and the error names it; but the CLI (2.1.330) ignores an unknown key, an
    /// invalid `effortLevel` and an unknown event in `hooks`.
    fn apply_flag_settings(settings: impl Into<RawSettings>) -> () = &ApplyFlagSettings::new(settings);

    /// Saves settings in a file (`update_settings`).
    ///
    /// Local project settings accept only `outputStyle`, user settings only `effortLevel`. CLI 2.1.197 does not support
    /// it. The CLI refuses other keys, and its error names them.
    fn update_settings(source: UpdateSettingsSource, settings: impl Into<RawSettings>) -> () =
        &UpdateSettings::new(source, settings);

    /// Reloads the plugins, and loads more (`reload_plugins`).
    /// With `refuse_if_busy` the CLI refuses it during a turn, with `reload_plugins_busy`.
    fn reload_plugins(request: &ReloadPlugins) -> ReloadPluginsReply = request;

    /// Reloads the skills (`reload_skills`).
    fn reload_skills() -> ReloadSkillsReply = &ReloadSkills::default();

    /// Reloads the output styles (`reload_output_styles`). CLI 2.1.197 does not support it.
    fn reload_output_styles() -> ReloadOutputStylesReply = &ReloadOutputStyles::default();
}
