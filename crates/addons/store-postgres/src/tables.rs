//! The names of the two tables, and their statements.

use agentwire_sessions::StoreError;

/// The tables of one store, quoted.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    schema: Option<String>,
    name: String,
}

impl Default for Tables {
    fn default() -> Self {
        Self { schema: None, name: "agentwire_sessions".to_owned() }
    }
}

impl Tables {
    /// Sets the schema.
    pub(crate) fn set_schema(&mut self, schema: String) -> Result<(), StoreError> {
        check(&schema, LONGEST)?;
        self.schema = Some(schema);
        Ok(())
    }

    /// Sets the name of the first table, which is the prefix of the second.
    pub(crate) fn set_name(&mut self, name: String) -> Result<(), StoreError> {
        check(&name, LONGEST - ENTRIES.len())?;
        self.name = name;
        Ok(())
    }

    /// Replaces `{keys}` and `{entries}` in a statement by the tables' names.
    pub(crate) fn fill(&self, statement: &str) -> String {
        let keys = self.quoted("");
        // A table's name may contain the placeholder `{keys}`.
        let parts: Vec<String> =
            statement.split("{entries}").map(|part| part.replace("{keys}", &keys)).collect();
        parts.join(&self.quoted(ENTRIES))
    }

    fn quoted(&self, ending: &str) -> String {
        let schema = self.schema.as_ref().map(|schema| format!("{}.", quote(schema))).unwrap_or_default();
        format!("{schema}{}", quote(&format!("{}{ending}", self.name)))
    }
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Refuses longer names, because the server would truncate them, possibly to another table's name.
fn check(name: &str, longest: usize) -> Result<(), StoreError> {
    if (1..=longest).contains(&name.len()) && !name.contains('\0') {
        return Ok(());
    }
    let why = format!("a name has from 1 to {longest} bytes, and no NUL");
    Err(StoreError::new(format_args!("naming {name:?} in PostgreSQL"), why))
}

pub(crate) const CREATE: &str = include_str!("tables.sql");

/// Locks the key's row until the end of the transaction, so that appends to one key are serialized, and adds the
/// entries.
///
/// The server waits for the rest of a message without a time limit, so a lock taken before the message with the
/// entries could outlive a lost writer.
pub(crate) const ADD: &str = "with taken as ( \
        insert into {keys} (project, session_id, subpath) values ($1, $2, $3) \
        on conflict (project, session_id, subpath) do update set next = {keys}.next \
        returning id, next, summary \
    ), added as ( \
        insert into {entries} (key, position, uuid, entry) \
        select id, next + at - 1, sha256(uuid), entry \
        from taken, unnest($4, $5) with ordinality as given (uuid, entry, at) order by at \
        on conflict do nothing returning position \
    ) select id, next, summary, array(select position from added) from taken";

pub(crate) const CLOSE: &str = "update {keys} set next = $2, summary = $3, \
    modified_ms = greatest(modified_ms, (extract(epoch from clock_timestamp()) * 1000)::bigint) where id = $1";

pub(crate) const LOAD: &str = "select entry from {entries} join {keys} on id = key \
    where project = $1 and session_id = $2 and subpath = $3 order by position";

pub(crate) const SESSIONS: &str =
    "select session_id, modified_ms from {keys} where project = $1 and subpath = ''";

pub(crate) const SUMMARIES: &str = "select session_id, modified_ms, summary from {keys} \
    where project = $1 and subpath = '' and summary is not null";

pub(crate) const SUBKEYS: &str =
    "select subpath from {keys} where project = $1 and session_id = $2 and subpath <> ''";

pub(crate) const DELETE: &str =
    "delete from {keys} where project = $1 and session_id = $2 and (subpath = $3 or $3 = '')";

const ENTRIES: &str = "_entries";
/// PostgreSQL's limit on names.
const LONGEST: usize = 63;

#[cfg(test)]
mod tests {
    use super::Tables;

    #[test]
    fn names_are_quoted_and_not_filled_again() {
        let mut tables = Tables::default();
        assert_eq!(tables.fill("{keys}, {entries}"), r#""agentwire_sessions", "agentwire_sessions_entries""#);
        tables.set_schema("My \"schema\"".to_owned()).unwrap();
        tables.set_name("{entries}; drop".to_owned()).unwrap();
        assert_eq!(
            tables.fill("{keys}, {entries}"),
            r#""My ""schema"""."{entries}; drop", "My ""schema"""."{entries}; drop_entries""#
        );
    }

    #[test]
    fn names_that_the_server_would_truncate_are_refused() {
        let mut tables = Tables::default();
        assert!(tables.set_name("x".repeat(55)).is_ok());
        for name in [String::new(), "x".repeat(56), "a\0b".to_owned()] {
            assert!(tables.set_name(name).is_err());
        }
        assert!(tables.set_schema("x".repeat(64)).is_err());
    }
}
