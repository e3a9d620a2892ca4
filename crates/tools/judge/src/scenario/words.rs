//! Words that replace names in the text of a scenario: `${cwd}`, and values that a step has kept.

use std::collections::BTreeMap;

use serde_json::Value;

/// The replacement of each name.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(BTreeMap<String, String>);

impl Words {
    /// Sets the replacement of a name.
    pub(super) fn set(&mut self, name: impl Into<String>, word: impl Into<String>) {
        self.0.insert(name.into(), word.into());
    }

    /// Returns the JSON text with each `${name}` replaced; an unknown name stays.
    pub(super) fn put_into(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, word)| {
            let quoted = Value::from(word.as_str()).to_string();
            let spelt = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            text.replace(&format!("${{{name}}}"), spelt.unwrap_or_default())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn only_names_with_a_word_are_replaced() {
        let mut words = Words::default();
        words.set("cwd", "/a \"b\"");
        assert_eq!(words.put_into(r#"["${cwd}/c", "${task}"]"#), r#"["/a \"b\"/c", "${task}"]"#);
    }
}
