//! Reads options from JSON: an unknown key is an error with a suggestion.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::{Options, suggestion::nearest, table::TABLE};

impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OptionsVisitor)
    }
}

struct OptionsVisitor;

impl<'de> Visitor<'de> for OptionsVisitor {
    type Value = Options;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("options, an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Options, A::Error> {
        Options::deserialize(MapAccessDeserializer::new(Checked(map)))
    }
}

/// A map with names of options as its only keys.
struct Checked<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Checked<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(name) = self.0.next_key::<String>()? else { return Ok(None) };
        if !TABLE.iter().any(|option| option.name == name) {
            return Err(A::Error::custom(unknown(&name)));
        }
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}

fn unknown(name: &str) -> String {
    if let Some((_, place)) = CODE.iter().find(|(code, _)| *code == name) {
        return format!("unknown field `{name}`: it is code and not data; {place}");
    }
    let python = PYTHON.iter().find(|(python, _)| *python == name).map(|(_, ours)| *ours);
    match python.or_else(|| nearest(name, TABLE.iter().map(|option| option.name))) {
        Some(near) => format!("unknown field `{name}`; did you mean `{near}`?"),
        None => {
            format!("unknown field `{name}`; a flag that is newer than this version goes into `extraArgs`")
        }
    }
}

/// Reference options that are set elsewhere in this crate.
const CODE: &[(&str, &str)] = &[
    ("abortController", "call `Control::interrupt`; dropping a `Turn` stops nothing"),
    ("canUseTool", "it goes to `SessionBuilder::permissions`"),
    ("hooks", "they go to `SessionBuilder::hooks`"),
    ("onElicitation", "it goes to `SessionBuilder::elicitation`"),
    ("onUserDialog", "it goes to `SessionBuilder::dialogs`"),
    ("sessionStore", "it goes to `SessionBuilder::session_store`, with the feature `sessions`"),
    ("spawnClaudeCodeProcess", "it goes to `SessionBuilder::transport`"),
    ("stderr", "it goes to `SessionBuilder::on_stderr`"),
];

/// Names of the Python SDK that are not spelling variants of ours.
const PYTHON: &[(&str, &str)] = &[
    ("add_dirs", "additionalDirectories"),
    ("cli_path", "pathToClaudeCodeExecutable"),
    ("continue_conversation", "continue"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_get_a_suggestion() {
        for (json, expected) in [
            (r#"{"modle": "opus"}"#, "unknown field `modle`; did you mean `model`?"),
            (r#"{"cli_path": "x"}"#, "did you mean `pathToClaudeCodeExecutable`?"),
            (r#"{"canUseTool": null}"#, "SessionBuilder::permissions"),
            (r#"{"abortController": null}"#, "call `Control::interrupt`"),
            (r#"{"temperature": 1}"#, "`extraArgs`"),
        ] {
            let error = serde_json::from_str::<Options>(json).unwrap_err().to_string();
            assert!(error.starts_with("unknown field") && error.contains(expected), "{error}");
        }
    }
}
