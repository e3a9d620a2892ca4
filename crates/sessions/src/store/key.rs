//! Under what a store keeps entries.

use std::fmt;

use agentwire_protocol::SessionId;

use super::error::KeyError;

/// Names what a store keeps: a project, a session, and in it the session itself or something beneath it.
///
/// Its parts are safe as parts of a path: a session's id is a UUID, a project has no slash, and a subpath leads
/// downwards.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    project: Box<str>,
    session_id: SessionId,
    subpath: Option<Box<str>>,
}

impl SessionKey {
    /// The key of a session itself.
    ///
    /// A project is whatever its owner calls it; a mirror uses the name of the CLI's folder for it.
    ///
    /// # Errors
    ///
    /// When the id is not a UUID, or the project is not one part of a path.
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

    /// The key of something beneath the session, such as `subagents/agent-1`.
    ///
    /// # Errors
    ///
    /// When a part between the slashes is empty, `.` or `..`, or holds a backslash or a control character.
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

    /// The key of the session that this is beneath; of the session itself, the same.
    pub fn session(&self) -> Self {
        Self { project: self.project.clone(), session_id: self.session_id.clone(), subpath: None }
    }

    /// The project.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// The session's id, a UUID.
    pub fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// What lies beneath the session, such as `subagents/agent-1`; `None` for the session itself.
    pub fn subpath(&self) -> Option<&str> {
        self.subpath.as_deref()
    }
}

/// The parts with slashes between them.
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

/// Whether the text is a UUID as it is commonly written, in either case.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether the text names one step downwards in a folder, on any system.
fn is_part(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains(['/', '\\']) && !text.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::{KeyError, SessionKey};

    const ID: &str = "0b0e7a3e-57a1-4a4c-9D3F-0d8c5a2f1b11";

    #[test]
    fn only_what_stays_in_its_place_is_a_key() {
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
