//! Walks a text that is known to be JSON.

use super::{Json, Value};

/// The value that the text holds.
pub(super) fn value(text: &str) -> Json {
    Walk { text, at: 0 }.value()
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
}

impl Walk<'_> {
    fn value(&mut self) -> Json {
        self.space();
        let start = self.at;
        let value = match self.peek() {
            b'{' => Value::Object(self.fields()),
            b'[' => Value::List(self.elements()),
            b'"' => Value::Text(self.string()),
            _ => self.word(),
        };
        Json { span: start..self.at, value }
    }

    fn fields(&mut self) -> Vec<(Box<str>, Json)> {
        let mut fields = Vec::new();
        self.at += 1;
        while self.goes_on(b'}') {
            let name = self.string();
            self.space();
            // The colon.
            self.at += 1;
            fields.push((name, self.value()));
        }
        fields
    }

    fn elements(&mut self) -> Vec<Json> {
        let mut elements = Vec::new();
        self.at += 1;
        while self.goes_on(b']') {
            elements.push(self.value());
        }
        elements
    }

    /// Moves to the next entry, or behind the end.
    fn goes_on(&mut self, end: u8) -> bool {
        self.space();
        if self.peek() == b',' {
            self.at += 1;
            self.space();
        }
        let over = self.peek() == end || self.at >= self.text.len();
        self.at += usize::from(over);
        !over
    }

    fn string(&mut self) -> Box<str> {
        let start = self.at;
        self.at += 1;
        while !matches!(self.peek(), b'"') && self.at < self.text.len() {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at = (self.at + 1).min(self.text.len());
        let quoted = self.text.get(start..self.at).unwrap_or_default();
        let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        if !inner.contains('\\') {
            return inner.into();
        }
        serde_json::from_str::<String>(quoted).map_or_else(|_| inner.into(), Into::into)
    }

    fn word(&mut self) -> Value {
        let start = self.at;
        while !matches!(self.peek(), b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n' | 0) {
            self.at += 1;
        }
        match self.text.get(start..self.at).unwrap_or_default() {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            number => Value::Number(number.into()),
        }
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// The next byte; a zero, which JSON never holds, behind the end.
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }
}
