//! A JSON object that keeps the exact text of unchanged fields.

use std::fmt;

use agentwire_protocol::{DecodeError, RawJson};
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ChangeError;
use crate::RawEntry;
use crate::read::is_true;

/// Fields in their order; if a name is repeated, the last counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    fields: Vec<(String, RawJson)>,
}

impl Object {
    /// Decodes an entry.
    pub(super) fn of(entry: &RawEntry) -> Result<Self, DecodeError> {
        entry.decode()
    }

    /// Returns an object with only the field `type`.
    pub(super) fn of_kind(kind: &str) -> Self {
        let mut object = Self::default();
        object.set("type", kind);
        object
    }

    pub(super) fn get(&self, name: &str) -> Option<&RawJson> {
        self.fields.iter().rev().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// Returns a string field.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name)?.decode().ok()
    }

    /// Returns an object field.
    pub(super) fn object(&self, name: &str) -> Option<Self> {
        self.get(name)?.decode().ok()
    }

    /// Returns a list field.
    pub(super) fn list(&self, name: &str) -> Option<Vec<RawJson>> {
        self.get(name)?.decode().ok()
    }

    /// Returns whether JavaScript and Python treat the field as true.
    pub(super) fn is(&self, name: &str) -> bool {
        self.get(name).and_then(|value| value.decode().ok()).is_some_and(|value| is_true(&value))
    }

    /// Returns whether the field is this string.
    pub(super) fn has_text(&self, name: &str, text: &str) -> bool {
        self.text(name).is_some_and(|value| value == text)
    }

    /// Sets the field at its place, or appends it.
    ///
    /// `value` must be encodable as JSON, as strings, lists and objects are.
    pub(super) fn set<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        let value = RawJson::encode(value).unwrap_or_else(|_| RawJson::empty_object());
        match self.fields.iter().position(|(field, _)| field == name) {
            Some(at) => {
                self.fields[at].1 = value;
                let mut seen = false;
                self.fields.retain(|(field, _)| field != name || !std::mem::replace(&mut seen, true));
            }
            None => self.fields.push((name.to_owned(), value)),
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.fields.retain(|(field, _)| field != name);
    }

    pub(super) fn into_entry(self) -> Result<RawEntry, ChangeError> {
        let text = RawJson::encode(&self).unwrap_or_else(|_| RawJson::empty_object());
        Ok(RawEntry::from_json(text)?)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (name, value) in &self.fields {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Object { fields })
    }
}

#[cfg(test)]
mod tests {
    use super::Object;
    use crate::RawEntry;

    #[test]
    fn unchanged_fields_keep_their_text() {
        let text = r#"{"type":"x","n":12345678901234567890123,"a":1.0,"a":"b","o":{"k":1,"k":2}}"#;
        let mut object = Object::of(&RawEntry::parse(text).unwrap()).unwrap();
        assert_eq!(object.clone().into_entry().unwrap().as_str(), text);
        assert!(object.has_text("a", "b") && object.is("a") && !object.is("none"));
        object.set("a", "c");
        object.set("z", &["d"]);
        object.remove("type");
        let changed = r#"{"n":12345678901234567890123,"a":"c","o":{"k":1,"k":2},"z":["d"]}"#;
        assert_eq!(object.into_entry().unwrap().as_str(), changed);
    }
}
