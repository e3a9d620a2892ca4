//! The names of Redis keys.

use agentwire_sessions::SessionKey;

/// The Redis keys for a key of the store, its session and its project.
///
/// The project is in braces, so that all of its keys are in one slot of a cluster, as a script requires.
pub(crate) struct Keys {
    /// A list of the entries, in order.
    pub(crate) entries: String,
    /// A set of the ids of entries.
    pub(crate) ids: String,
    /// A set of the session's subpaths.
    pub(crate) subpaths: String,
}

impl Keys {
    /// Returns the names for this key.
    pub(crate) fn of(prefix: &str, key: &SessionKey) -> Self {
        let session = key.session_id();
        let subpath = key.subpath().map(|subpath| format!("/{subpath}")).unwrap_or_default();
        Self {
            // An id has 36 characters, so the subpath after it is unambiguous.
            entries: name(prefix, key.project(), &format!("entries:{session}{subpath}")),
            ids: name(prefix, key.project(), &format!("ids:{session}{subpath}")),
            subpaths: name(prefix, key.project(), &format!("subpaths:{session}")),
        }
    }
}

/// Returns the sorted set of a project's sessions, by the time of their last append in milliseconds.
pub(crate) fn sessions(prefix: &str, project: &str) -> String {
    name(prefix, project, "sessions")
}

/// Returns the hash of the summaries of a project's sessions.
pub(crate) fn summaries(prefix: &str, project: &str) -> String {
    name(prefix, project, "summaries")
}

fn name(prefix: &str, project: &str, what: &str) -> String {
    format!("{}:{{{}}}:{what}", escape(prefix), escape(project))
}

/// Escapes braces.
fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('{', "%7B").replace('}', "%7D")
}

#[cfg(test)]
mod tests {
    use agentwire_sessions::SessionKey;

    use super::{Keys, sessions};

    const ID: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";

    #[test]
    fn a_project_is_the_one_part_in_braces() {
        let key = SessionKey::new("-home-me", ID.into()).unwrap().with_subpath("subagents/agent-1").unwrap();
        let keys = Keys::of("agentwire", &key);
        assert_eq!(keys.entries, format!("agentwire:{{-home-me}}:entries:{ID}/subagents/agent-1"));
        assert_eq!(keys.subpaths, format!("agentwire:{{-home-me}}:subpaths:{ID}"));
        assert_eq!(sessions("a{", "}{b}%7B"), "a%7B:{%7D%7Bb%7D%257B}:sessions");
    }
}
