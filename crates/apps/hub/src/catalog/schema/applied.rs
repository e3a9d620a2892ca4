//! The size of the parts of a schema that apply to a value.

use serde_json::Value;

use super::REFERENCES;

/// Returns whether the parts of a schema that apply within a value have at most this many bytes of JSON.
///
/// A part counts each time that it applies: once for each value, and once for each way that leads to it.
pub(super) fn is_within(limit: usize, schema: &Value, value: &Value) -> bool {
    Budget { schema, left: limit }.spend(schema, value, MAX_WAY).is_some()
}

struct Budget<'a> {
    schema: &'a Value,
    left: usize,
}

impl Budget<'_> {
    /// Subtracts the size of a part for this value and all values in it. Returns `None` if the rest is too small, or the way
    /// too long.
    fn spend(&mut self, part: &Value, value: &Value, way: usize) -> Option<()> {
        let way = way.checked_sub(1)?;
        self.left = self.left.checked_sub(2)?;
        match part {
            Value::Object(keywords) => keywords.iter().try_for_each(|(keyword, inner)| {
                self.left = self.left.checked_sub(keyword.len() + 4)?;
                self.keyword(keyword, inner, value, way)
            }),
            Value::Array(parts) => parts.iter().try_for_each(|part| self.spend(part, value, way)),
            Value::String(text) => self.left.checked_sub(text.len()).map(|left| self.left = left),
            _ => Some(()),
        }
    }

    fn keyword(&mut self, keyword: &str, inner: &Value, value: &Value, way: usize) -> Option<()> {
        match (keyword, inner, value) {
            ("$defs" | "definitions", ..) => Some(()),
            ("properties", Value::Object(parts), _) => {
                let mut named = parts.iter().filter_map(|(name, part)| Some((part, value.get(name)?)));
                named.try_for_each(|(part, value)| self.spend(part, value, way))
            }
            (_, Value::String(target), _) if REFERENCES.contains(&keyword) => {
                let part = target.strip_prefix('#').and_then(|target| self.schema.pointer(target));
                // The whole schema is larger than any part that an anchor or an id names.
                self.spend(part.unwrap_or(self.schema), value, way)
            }
            (_, _, Value::Array(values)) if OF_ITEMS.contains(&keyword) => {
                values.iter().try_for_each(|value| self.spend(inner, value, way))
            }
            (_, _, Value::Object(values)) if OF_FIELDS.contains(&keyword) => {
                values.values().try_for_each(|value| self.spend(inner, value, way))
            }
            _ if OF_ITEMS.contains(&keyword) || OF_FIELDS.contains(&keyword) => Some(()),
            _ => self.spend(inner, value, way),
        }
    }
}

/// The keywords whose parts apply to the items of a list, and to the fields of an object.
const OF_ITEMS: [&str; 5] = ["additionalItems", "contains", "items", "prefixItems", "unevaluatedItems"];
const OF_FIELDS: [&str; 4] =
    ["additionalProperties", "patternProperties", "propertyNames", "unevaluatedProperties"];
/// How many parts may be nested, because each takes a part of the stack.
const MAX_WAY: usize = 10_000;
