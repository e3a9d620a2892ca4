//! The container of the API's code execution.

/// The container in which the API ran code for an answer (`container`).
#[wire]
pub struct Container {
    /// The id, to reuse the container in a later request.
    pub id: Box<str>,
    /// The expiry time, as ISO 8601 text.
    pub expires_at: Option<Box<str>>,
    /// The skills loaded in it.
    #[serialize_always]
    pub skills: Option<Vec<ContainerSkill>>,
}

/// A skill in a container of the API.
#[wire]
pub struct ContainerSkill {
    /// The skill's id.
    pub skill_id: Box<str>,
    /// The author (`type`).
    #[serde(rename = "type")]
    pub source: Option<SkillSource>,
    /// The version, or `latest`.
    pub version: Option<Box<str>>,
}

/// The author of a skill.
#[wire]
pub enum SkillSource {
    /// The vendor of the API.
    Vendor = "anthropic",
    /// The user of the API.
    Custom = "custom",
}
