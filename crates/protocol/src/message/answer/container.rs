//! The container in which the API ran code.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

/// The container in which the API ran code for an answer (`container`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Container {
    /// Its id, by which a later request may use it again.
    pub id: Box<str>,
    /// When it goes away, as ISO 8601 text.
    pub expires_at: Option<Box<str>>,
    /// The skills loaded in it.
    #[serialize_always]
    pub skills: Option<Vec<ContainerSkill>>,
}

/// A skill in a container of the API's.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContainerSkill {
    /// The skill's id.
    pub skill_id: Box<str>,
    /// Who made it (`type`).
    #[serde(rename = "type")]
    pub source: Option<SkillSource>,
    /// Its version, or `latest`.
    pub version: Option<Box<str>>,
}

open_enum! {
    /// Who made a skill.
    pub enum SkillSource {
        /// The vendor of the API.
        Vendor = "anthropic",
        /// The user of the API.
        Custom = "custom",
    }
}
