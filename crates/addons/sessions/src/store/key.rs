//! Keys of stores.

use std::fmt;

use agentwire_protocol::SessionId;

use super::error::KeyError;
use crate::ids::is_uuid;

/// A key in a store: a project, a session, and optionally a subpath of the session.
///
/// The parts are safe in paths: a session's id is a UUID, a project has no slash, and a subpath has no `..`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    project: Box<str>,
    session_id: SessionId,
    subpath: Option<Box<str>>,
}

impl SessionKey {
    /// Returns the key of a session.
    ///
    /// The owner of the store chooses the project's name; a mirror uses the name of the CLI's folder for it.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, or the project is not a single path component.
    pub fn new(project: impl Into<Box<str>>, session_id: SessionId) -> Result<Self, KeyError> {
        let project = project.into();
        if !is_part(&project) {
            return Err(KeyError::Project(project.into()));
        }
        if !is_uuid(session_id.as_str()) {
            return Err(KeyError::Session(session_id.to_string()));
        }
        Ok(Self { project, session_id, subpath: None })
    }

    /// Returns the key of a subpath of the session, such as `subagents/agent-1`.
    ///
    /// # Errors
    ///
    /// If a part between the slashes is empty, `.` or `..`, or contains a backslash or a control character.
    pub fn with_subpath(&self, subpath: impl Into<Box<str>>) -> Result<Self, KeyError> {
        let subpath = subpath.into();
        if !subpath.split('/').all(is_part) {
            return Err(KeyError::Subpath(subpath.into()));
        }
        Ok(Self {
            project: self.project.clone(),
            session_id: self.session_id.clone(),
            subpath: Some(subpath),
        })
    }

    /// Returns the key of the session, without the subpath.
    pub fn session(&self) -> Self {
        Self { project: self.project.clone(), session_id: self.session_id.clone(), subpath: None }
    }

    /// Returns the project.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// Returns the session's id, a UUID.
    pub fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// Returns the subpath, such as `subagents/agent-1`; `None` for the session itself.
    pub fn subpath(&self) -> Option<&str> {
        self.subpath.as_deref()
    }
}

/// Writes the parts with slashes between them.
impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project, self.session_id)?;
        self.subpath.as_ref().map_or(Ok(()), |subpath| write!(f, "/{subpath}"))
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionKey({self})")
    }
}

/// Returns whether the text is a single path component on any system.
fn is_part(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains(['/', '\\']) && !text.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::{KeyError, SessionKey};

    const ID: &str = "0b0e7a3e-57a1-4a4c-9D3F-0d8c5a2f1b11";

    #[test]
    fn keys_can_not_leave_their_folder() {
        let key = SessionKey::new("-home-me", ID.into()).unwrap();
        let beneath = key.with_subpath("subagents/agent-1").unwrap();
        assert_eq!(beneath.to_string(), format!("-home-me/{ID}/subagents/agent-1"));
        assert_eq!(beneath.session(), key);
        for project in ["", ".", "..", "a/b", "a\\b", "a\0"] {
            assert_eq!(SessionKey::new(project, ID.into()), Err(KeyError::Project(project.to_owned())));
        }
        for id in
            ["", "..", "sess", &ID[1..], &format!("{ID}0"), &ID.replace('e', "g"), &ID.replace('-', "/")]
        {
            assert_eq!(SessionKey::new("a", id.into()), Err(KeyError::Session(id.to_owned())));
        }
        for subpath in ["", "/a", "a/", "a//b", "../a", "a/../b", "a/.", "a\\b", "a\nb"] {
            assert_eq!(key.with_subpath(subpath), Err(KeyError::Subpath(subpath.to_owned())));
        }
    }
}
