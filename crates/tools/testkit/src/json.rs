//! JSON values with their places in the text. Numbers keep their text.

use std::{collections::BTreeMap, fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// A JSON value and its place in the parsed text.
#[derive(Clone, Debug)]
pub struct Json {
    pub span: Range<usize>,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    /// A number's text: `1.0` is not `1`.
    Number(Box<str>),
    /// An unescaped string. A string with a lone surrogate keeps its escapes.
    Text(Box<str>),
    List(Vec<Json>),
    Object(Vec<(Box<str>, Json)>),
}

impl Json {
    /// Parses a JSON value; returns `None` for other bytes, and for values in more than 128 levels of others.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        read(serde_json::from_str(text).ok()?, text.as_ptr().addr(), MAX_DEPTH)
    }

    /// Parses a JSON object.
    pub fn object(text: &[u8]) -> Option<Self> {
        Self::parse(text).filter(|json| matches!(json.value, Value::Object(_)))
    }

    /// Returns the first field with this name.
    pub fn field(&self, name: &str) -> Option<&Self> {
        self.fields().iter().find(|(key, _)| &**key == name).map(|(_, value)| value)
    }

    /// Removes the fields with this name.
    pub fn without(mut self, name: &str) -> Self {
        if let Value::Object(fields) = &mut self.value {
            fields.retain(|(key, _)| &**key != name);
        }
        self
    }

    /// Returns the value at a path of names.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |json, name| json.field(name))
    }

    /// Returns the string at a path of names.
    pub fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.text()
    }

    pub fn text(&self) -> Option<&str> {
        let Value::Text(text) = &self.value else { return None };
        Some(text)
    }

    pub fn is_true(&self) -> bool {
        matches!(self.value, Value::Bool(true))
    }

    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// Returns the text of a number.
    pub fn number(&self) -> Option<&str> {
        let Value::Number(number) = &self.value else { return None };
        Some(number)
    }

    /// Returns the elements of a list, and none for other values.
    pub fn list(&self) -> &[Self] {
        match &self.value {
            Value::List(list) => list,
            _ => &[],
        }
    }

    /// Returns the fields of an object in their order, and none for other values.
    pub fn fields(&self) -> &[(Box<str>, Self)] {
        match &self.value {
            Value::Object(fields) => fields,
            _ => &[],
        }
    }

    /// Returns the part of the parsed text that is this value.
    pub fn raw<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        text.get(self.span.clone()).unwrap_or_default()
    }

    /// Returns whether both are equal, regardless of the order of fields. Numbers are compared as texts.
    pub fn same(&self, other: &Self) -> bool {
        self.difference(other, &|_, _| false).is_none()
    }

    /// Returns the first difference, missing fields last. Strings for which `passes` returns `true` count as equal.
    pub fn difference<'a>(
        &'a self,
        other: &'a Self,
        passes: &dyn Fn(&str, &str) -> bool,
    ) -> Option<Difference<'a>> {
        let same = match (&self.value, &other.value) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b || passes(a, b),
            (Value::List(a), Value::List(b)) if a.len() == b.len() => {
                let mut pairs = a.iter().zip(b).enumerate();
                return pairs.find_map(|(index, (a, b))| {
                    a.difference(b, passes).map(|found| found.below(&format!("[{index}]")))
                });
            }
            (Value::Object(a), Value::Object(b)) => return fields_difference(a, b, passes),
            _ => false,
        };
        (!same).then(|| Difference { path: String::new(), first: Some(self), second: Some(other) })
    }
}

/// Writes the value as JSON without spaces.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(number) => f.write_str(number),
            Value::Text(text) => f.write_str(&Value::quoted(text)),
            Value::List(list) => {
                let elements: Vec<_> = list.iter().map(Self::to_string).collect();
                write!(f, "[{}]", elements.join(","))
            }
            Value::Object(fields) => {
                let field = |(name, value): &(Box<str>, Self)| format!("{}:{value}", Value::quoted(name));
                let fields: Vec<_> = fields.iter().map(field).collect();
                write!(f, "{{{}}}", fields.join(","))
            }
        }
    }
}

impl Value {
    /// Returns a string as JSON.
    pub fn quoted(text: &str) -> String {
        serde_json::Value::from(text).to_string()
    }
}

/// The first difference of two values.
#[derive(Debug)]
pub struct Difference<'a> {
    /// The path, such as `.name[0]`; empty if the whole values differ.
    pub path: String,
    /// The two values at the path; `None` if a field is missing.
    pub first: Option<&'a Json>,
    pub second: Option<&'a Json>,
}

impl Difference<'_> {
    fn below(self, parent: &str) -> Self {
        Self { path: format!("{parent}{}", self.path), ..self }
    }
}

fn fields_difference<'a>(
    a: &'a [(Box<str>, Json)],
    b: &'a [(Box<str>, Json)],
    passes: &dyn Fn(&str, &str) -> bool,
) -> Option<Difference<'a>> {
    let (a, b) = (by_name(a), by_name(b));
    // Values first: an allowance also has other fields than a denial.
    let differs = a.iter().find_map(|(name, a)| {
        let found = a.iter().zip(b.get(name)?).find_map(|(a, b)| a.difference(b, passes))?;
        Some(found.below(&format!(".{name}")))
    });
    differs.or_else(|| {
        let count = |fields: &Named<'a>, name: &str| fields.get(name).map(Vec::len);
        let name = a.keys().chain(b.keys()).filter(|name| count(&a, name) != count(&b, name)).min()?;
        let last = |fields: &Named<'a>| fields.get(name)?.last().copied();
        Some(Difference { path: format!(".{name}"), first: last(&a), second: last(&b) })
    })
}

/// Values by name. Fields with the same name keep their order.
type Named<'a> = BTreeMap<&'a str, Vec<&'a Json>>;

fn by_name(fields: &[(Box<str>, Json)]) -> Named<'_> {
    let mut named = Named::new();
    fields.iter().for_each(|(name, value)| named.entry(name).or_default().push(value));
    named
}

/// Reads a value of a text at this address. Returns `None` if values in it are nested too deeply.
fn read(raw: &RawValue, text: usize, depth: usize) -> Option<Json> {
    let json = raw.get();
    let start = json.as_ptr().addr() - text;
    let inner = |raw: &RawValue| read(raw, text, depth.checked_sub(1)?);
    let value = match json.as_bytes().first()? {
        b'{' => {
            let Fields(fields) = serde_json::from_str(json).ok()?;
            let field = |(name, value): (&RawValue, _)| Some((unescaped(name.get()), inner(value)?));
            Value::Object(fields.into_iter().map(field).collect::<Option<_>>()?)
        }
        b'[' => {
            let list: Vec<&RawValue> = serde_json::from_str(json).ok()?;
            Value::List(list.into_iter().map(inner).collect::<Option<_>>()?)
        }
        b'"' => Value::Text(unescaped(json)),
        b'n' => Value::Null,
        b't' => Value::Bool(true),
        b'f' => Value::Bool(false),
        _ => Value::Number(json.into()),
    };
    Some(Json { span: start..start + json.len(), value })
}

fn unescaped(quoted: &str) -> Box<str> {
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    serde_json::from_str(quoted).unwrap_or_else(|_| inner.into())
}

/// The fields of an object in their order, including those with the same name.
struct Fields<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

const MAX_DEPTH: usize = 128;
