//! JSON as it was written: numbers keep their text, and every value knows where it stands.

mod walk;

use std::{fmt, ops::Range};

/// A JSON value with its place in the text that it was read from.
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
    /// A string, unescaped; one with a lone surrogate escape keeps its escapes.
    Text(Box<str>),
    List(Vec<Json>),
    Object(Vec<(Box<str>, Json)>),
}

impl Json {
    /// Reads one JSON value; `None` where the bytes are none.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        // The walk below relies on the text being JSON, and on its depth being bounded.
        serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
        Some(walk::value(text))
    }

    /// Reads one JSON object.
    pub fn object(text: &[u8]) -> Option<Self> {
        Self::parse(text).filter(|json| matches!(json.value, Value::Object(_)))
    }

    /// The first field of this name.
    pub fn field(&self, name: &str) -> Option<&Self> {
        self.fields().iter().find(|(key, _)| &**key == name).map(|(_, value)| value)
    }

    /// The same without the fields of this name.
    pub fn without(mut self, name: &str) -> Self {
        if let Value::Object(fields) = &mut self.value {
            fields.retain(|(key, _)| &**key != name);
        }
        self
    }

    /// The value at the end of a path of names.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |json, name| json.field(name))
    }

    /// The string at the end of a path of names.
    pub fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.text()
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn is_true(&self) -> bool {
        matches!(self.value, Value::Bool(true))
    }

    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// The number's text.
    pub fn number(&self) -> Option<&str> {
        match &self.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The elements; none where it is no list.
    pub fn list(&self) -> &[Self] {
        match &self.value {
            Value::List(list) => list,
            _ => &[],
        }
    }

    /// The fields in their order; none where it is no object.
    pub fn fields(&self) -> &[(Box<str>, Self)] {
        match &self.value {
            Value::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The value's own text, of the text that it was read from.
    pub fn raw<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        text.get(self.span.clone()).unwrap_or_default()
    }

    /// Whether both say the same: the order of fields does not count, the text of numbers does.
    pub fn same(&self, other: &Self) -> bool {
        self.difference(other, &|_, _| false).is_none()
    }

    /// The path to the first difference, where two different strings may pass for the same.
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

/// The value as JSON text without spaces.
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
    /// A string as JSON text.
    pub fn quoted(text: &str) -> String {
        serde_json::Value::from(text).to_string()
    }
}

/// Where two values first differ.
#[derive(Debug)]
pub struct Difference<'a> {
    /// As `.name[0]`; empty where the whole values differ.
    pub path: String,
    /// The two values there; `None` where a field is missing.
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
    let (a, b) = (sorted(a), sorted(b));
    let uneven = a.iter().zip(&b).find(|(a, b)| a.0 != b.0).map(|(a, b)| a.0.clone().min(b.0.clone()));
    let longer = || a.get(b.len()).or_else(|| b.get(a.len())).map(|(name, _)| name.clone());
    if let Some(name) = uneven.or_else(longer) {
        let at = |fields: &[&'a (Box<str>, Json)]| {
            fields.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
        };
        return Some(Difference { path: format!(".{name}"), first: at(&a), second: at(&b) });
    }
    let mut pairs = a.iter().zip(&b);
    pairs.find_map(|(a, b)| a.1.difference(&b.1, passes).map(|found| found.below(&format!(".{}", a.0))))
}

/// The fields by name; those of one name keep their order.
fn sorted(fields: &[(Box<str>, Json)]) -> Vec<&(Box<str>, Json)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    fields
}
