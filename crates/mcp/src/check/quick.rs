//! A check of what most schemas say and no more, which makes nothing of the text: where it says yes, so does the full one.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// What a value must be, of a schema that says nothing else.
#[derive(Debug)]
pub(super) struct Quick {
    /// The kinds that it may be of, as bits.
    kinds: u8,
    /// The bounds of a whole number.
    least: Option<i64>,
    most: Option<i64>,
    items: Option<Box<Quick>>,
    properties: Vec<(Box<str>, Quick)>,
    /// Which of the properties must be there, as bits.
    required: u64,
    /// Whether there may be no others.
    is_closed: bool,
}

impl Quick {
    /// `None` where the schema says more than is known here, or something that no schema may say.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        match schema {
            Value::Bool(true) => Some(Self::any()),
            Value::Object(schema) => {
                schema.iter().try_fold(Self::any(), |quick, says| quick.and(schema, says))
            }
            _ => None,
        }
    }

    /// Whether the text is a value that surely fits. Where it says no, the full check decides.
    pub(super) fn admits(&self, text: &str) -> bool {
        let mut text = serde_json::Deserializer::from_str(text);
        self.deserialize(&mut text).is_ok() && text.end().is_ok()
    }

    const fn any() -> Self {
        Self {
            kinds: u8::MAX,
            least: None,
            most: None,
            items: None,
            properties: Vec::new(),
            required: 0,
            is_closed: false,
        }
    }

    fn and(mut self, schema: &Map<String, Value>, (keyword, says): (&String, &Value)) -> Option<Self> {
        match keyword.as_str() {
            // Formats are told, and not checked, by the version of JSON Schema that is meant where none is named.
            "title" | "description" | "format" => {
                says.as_str()?;
            }
            "default" => {}
            "type" => self.kinds = kinds(says)?,
            "minimum" => self.least = Some(says.as_i64()?),
            "maximum" => self.most = Some(says.as_i64()?),
            "items" => self.items = Some(Box::new(Self::of(says)?)),
            "properties" => {
                let property = |(name, schema): (&String, _)| Some((name.as_str().into(), Self::of(schema)?));
                self.properties = says.as_object()?.iter().map(property).collect::<Option<_>>()?;
                self.required = required(&self.properties, schema.get("required"))?;
            }
            // Read with the properties, of which it names some.
            "required" if schema.contains_key("properties") => {}
            "additionalProperties" => self.is_closed = !says.as_bool()?,
            _ => return None,
        }
        Some(self)
    }

    fn is<E: Error>(&self, kind: u8) -> Result<(), E> {
        if self.kinds & kind == 0 { Err(unsure()) } else { Ok(()) }
    }

    fn is_whole<E: Error>(&self, number: i128) -> Result<(), E> {
        let in_bounds = self.least.is_none_or(|least| i128::from(least) <= number)
            && self.most.is_none_or(|most| number <= i128::from(most));
        if in_bounds { self.is(NUMBER | INTEGER) } else { Err(unsure()) }
    }
}

fn kinds(says: &Value) -> Option<u8> {
    let kind = |says: &Value| {
        Some(match says.as_str()? {
            "null" => NULL,
            "boolean" => BOOLEAN,
            "integer" => INTEGER,
            "number" => NUMBER,
            "string" => STRING,
            "array" => ARRAY,
            "object" => OBJECT,
            _ => return None,
        })
    };
    let Some(several) = says.as_array() else { return kind(says) };
    let mut all = 0;
    for says in several {
        let kind = kind(says)?;
        // None may be named twice.
        all = (all & kind == 0).then_some(all | kind)?;
    }
    (all != 0).then_some(all)
}

fn required(properties: &[(Box<str>, Quick)], says: Option<&Value>) -> Option<u64> {
    let mut all = 0_u64;
    for name in says.map_or(Some(&Vec::new()), Value::as_array)? {
        let name = name.as_str()?;
        let bit = bit(properties.iter().position(|(other, _)| **other == *name)?)?;
        all = (all & bit == 0).then_some(all | bit)?;
    }
    (properties.len() <= 64).then_some(all)
}

fn bit(index: usize) -> Option<u64> {
    1_u64.checked_shl(u32::try_from(index).ok()?)
}

impl<'de> DeserializeSeed<'de> for &Quick {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &Quick {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what the schema says")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.is(NULL)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.is(BOOLEAN)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.is_whole(number.into())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.is_whole(number.into())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        if self.least.is_some() || self.most.is_some() { Err(unsure()) } else { self.is(NUMBER) }
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        self.is(STRING)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.is(ARRAY)?;
        let each = self.items.as_deref().unwrap_or(&ANY);
        while items.next_element_seed(each)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.is(OBJECT)?;
        let mut seen = 0;
        while let Some(index) = map.next_key_seed(Name(&self.properties))? {
            let Some((index, (_, property))) = index.and_then(|at| Some((at, self.properties.get(at)?)))
            else {
                if self.is_closed {
                    return Err(unsure());
                }
                map.next_value_seed(&ANY)?;
                continue;
            };
            let bit = bit(index).filter(|bit| seen & bit == 0).ok_or_else(unsure)?;
            seen |= bit;
            map.next_value_seed(property)?;
        }
        if self.required & !seen == 0 { Ok(()) } else { Err(unsure()) }
    }
}

/// Reads a key as the place of the property that it names.
struct Name<'a>(&'a [(Box<str>, Quick)]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Option<usize>, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Option<usize>, E> {
        Ok(self.0.iter().position(|(name, _)| **name == *key))
    }
}

fn unsure<E: Error>() -> E {
    E::custom("not sure")
}

const NULL: u8 = 1;
const BOOLEAN: u8 = 2;
const INTEGER: u8 = 4;
const NUMBER: u8 = 8;
const STRING: u8 = 16;
const ARRAY: u8 = 32;
const OBJECT: u8 = 64;
static ANY: Quick = Quick::any();

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Quick;

    /// What the quick check says, which must be no where the full one says no.
    fn admits(schema: &Value, text: &str) -> bool {
        let quick = Quick::of(schema).unwrap();
        let full = jsonschema::options().offline().build(schema).unwrap();
        let is_valid = serde_json::from_str(text).is_ok_and(|value| full.is_valid(&value));
        let admits = quick.admits(text);
        assert!(is_valid || !admits, "{schema} {text}");
        admits
    }

    #[test]
    fn what_most_schemas_say_is_known() {
        let schema = json!({
            "type": "object", "title": "T", "required": ["n", "tags"], "additionalProperties": false,
            "properties": {
                "n": {"type": "integer", "minimum": 0, "maximum": 9, "format": "uint8", "description": "N", "default": 1},
                "tags": {"type": "array", "items": {"type": "string"}},
                "x": {"type": ["number", "null"]},
                "any": true,
                "deep": {"type": "object", "properties": {"b": {"type": "boolean"}}, "required": ["b"]},
            },
        });
        for text in [
            r#"{"n":9,"tags":[]}"#,
            r#" {"tags":["a","\u0062"], "n": 0, "x":null, "any":{"a":[1.5,null]}} "#,
            r#"{"n":1,"tags":[],"x":2,"deep":{"b":true,"more":1}}"#,
            r#"{"n":1,"tags":[],"x":-2.5,"any":18446744073709551615}"#,
        ] {
            assert!(admits(&schema, text), "{text}");
        }
        for text in [
            "{}",
            "[]",
            "1",
            r#"{"n":10,"tags":[]}"#,
            r#"{"n":-1,"tags":[]}"#,
            r#"{"n":1.0,"tags":[]}"#,
            r#"{"n":"1","tags":[]}"#,
            r#"{"n":1}"#,
            r#"{"n":1,"n":1,"tags":[]}"#,
            r#"{"n":1,"tags":[1]}"#,
            r#"{"n":1,"tags":{}}"#,
            r#"{"n":1,"tags":[],"y":1}"#,
            r#"{"n":1,"tags":[],"x":"1"}"#,
            r#"{"n":1,"tags":[],"any":1e999}"#,
            r#"{"n":1,"tags":[],"any":"\ud83d"}"#,
            r#"{"n":1,"tags":[],"deep":{}}"#,
            r#"{"n":1,"tags":[],"deep":{"b":1}}"#,
            r#"{"n":1,"tags":[]"#,
            r#"{"n":1,"tags":[]} 1"#,
        ] {
            assert!(!admits(&schema, text), "{text}");
        }
        for (schema, text) in [
            (json!({}), "[1]"),
            (json!({"type": "integer"}), "-9223372036854775808"),
            (json!({"type": "number", "minimum": 1}), "2"),
            (json!({"type": "array"}), "[[{}]]"),
            // Said, and not checked.
            (json!({"type": "string", "format": "date"}), r#""no date""#),
        ] {
            assert!(admits(&schema, text), "{schema}");
        }
        assert!(!admits(&json!({"type": "number", "minimum": 1}), "0.5"));
        assert!(!admits(&json!({"type": "number", "minimum": 1}), "1.5"));
    }

    #[test]
    fn what_is_not_known_or_no_schema_is_left_to_the_full_check() {
        let many: serde_json::Map<_, _> = (0..65).map(|n| (n.to_string(), json!({}))).collect();
        for schema in [
            json!(false),
            json!(5),
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string", "format": "date"}),
            json!({"type": "strin"}),
            json!({"type": []}),
            json!({"type": ["null", "null"]}),
            json!({"type": 5}),
            json!({"oneOf": []}),
            json!({"$ref": "#"}),
            json!({"description": 5}),
            json!({"minimum": 0.5}),
            json!({"maximum": u64::MAX}),
            json!({"required": ["a"]}),
            json!({"properties": {}, "required": ["a"]}),
            json!({"properties": {"a": {}}, "required": ["a", "a"]}),
            json!({"properties": {"a": {}}, "required": "a"}),
            json!({"properties": {"a": {"pattern": "x"}}}),
            json!({"properties": many}),
            json!({"additionalProperties": {}}),
            json!({"items": {"enum": [1]}}),
            json!({"unknown": 1}),
        ] {
            assert!(Quick::of(&schema).is_none(), "{schema}");
        }
    }
}
