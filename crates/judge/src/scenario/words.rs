//! What stands for something in the text of a scenario: `${cwd}`, and what a step has kept.

use std::collections::BTreeMap;

use serde_json::Value;

/// What to write in the place of each name.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(BTreeMap<String, String>);

impl Words {
    /// Says what a name stands for.
    pub(super) fn set(&mut self, name: impl Into<String>, word: impl Into<String>) {
        self.0.insert(name.into(), word.into());
    }

    /// The JSON text with each `${name}` replaced; a name that nobody has set stays.
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
    fn only_what_is_set_is_replaced() {
        let mut words = Words::default();
        words.set("cwd", "/a \"b\"");
        assert_eq!(words.put_into(r#"["${cwd}/c", "${task}"]"#), r#"["/a \"b\"/c", "${task}"]"#);
    }
}
