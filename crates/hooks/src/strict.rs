//! Checks raw JSON replies to known events, which must decode as the reply type of the event.
//!
//! The CLI ignores unknown parts of a reply, or the whole reply, and proceeds.

use std::{collections::BTreeMap, fmt};

use agentwire_protocol::{
    RawJson,
    elicitation::ElicitationAction,
    hook::{BlockDecision, HookAnswer, HookEvent, PermissionDecision, SwitchDecision},
};
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};

/// Checks that the reply is valid for the event, without unknown keys or values. The error names the invalid part.
pub(crate) fn check<E: HookEvent>(reply: &RawJson) -> Result<(), String> {
    let given: Json = reply.decode().map_err(|error| error.to_string())?;
    let answer: HookAnswer<E> = reply.decode().map_err(|error| error.to_string())?;
    let read = RawJson::encode(&answer).map_err(|error| error.to_string())?;
    let read: Json = read.decode().map_err(|error| error.to_string())?;
    if let Some(path) = given.beyond(&read) {
        return Err(format!("a reply to {} can't contain this `{path}`", E::NAME));
    }
    check_values::<E>(&given)
}

/// Checks a reply of the event's own type, which may have unknown decisions and raw JSON of another shape.
pub(crate) fn check_typed<E: HookEvent>(reply: &RawJson) -> Result<(), String> {
    check_values::<E>(&reply.decode().map_err(|error| error.to_string())?)
}

/// Checks values that the types accept: a decision of another event, unknown decisions, and the shapes of raw JSON.
fn check_values<E: HookEvent>(reply: &Json) -> Result<(), String> {
    if reply.get("decision").is_some() && !knows_decision::<E>() {
        return Err(format!("a reply to {} has no `decision` at the top", E::NAME));
    }
    let output = reply.get("hookSpecificOutput");
    let in_output = |name| output.and_then(|output| output.get(name));
    let of_switch = E::NAME == "PreModelSwitch";
    let permissions = if of_switch { SwitchDecision::KNOWN } else { PermissionDecision::KNOWN };
    let request = in_output("decision");
    let closed = [
        ("decision", reply.get("decision"), BlockDecision::KNOWN),
        ("permissionDecision", in_output("permissionDecision"), permissions),
        ("action", in_output("action"), ElicitationAction::KNOWN),
        (
            "behavior",
            request.map(|request| request.get("behavior").unwrap_or(&Json::Null)),
            &["allow", "deny"],
        ),
    ];
    for (name, value, known) in closed {
        if let Some(value) = value
            && !matches!(value, Json::Text(text) if known.contains(&&**text))
        {
            return Err(format!(
                "the `{name}` of a reply to {} must be one of {}",
                E::NAME,
                known.join(", ")
            ));
        }
    }
    let inputs = [in_output("updatedInput"), request.and_then(|request| request.get("updatedInput"))];
    if inputs.into_iter().flatten().any(|input| !matches!(input, Json::Object(_))) {
        return Err("`updatedInput` is not an object".to_owned());
    }
    Ok(())
}

/// Returns whether the CLI reads `decision` in a reply to the event.
fn knows_decision<E: HookEvent>() -> bool {
    let refuses_so = E::refusal("").is_some_and(|refusal| refusal.decision.is_some());
    refuses_so || matches!(E::NAME, "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PreModelSwitch")
}

/// JSON for comparison. A duplicate key is an error, since parsers differ in which value counts.
#[derive(Debug, PartialEq)]
enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Self>),
    Object(BTreeMap<String, Self>),
}

impl Json {
    fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.get(name),
            _ => None,
        }
    }

    /// Returns the path of the first value that is missing or different in `read`.
    fn beyond(&self, read: &Self) -> Option<String> {
        let (Self::Object(fields), Self::Object(known)) = (self, read) else {
            return (self != read).then(String::new);
        };
        // `read` may have an additional `hookEventName`.
        if let Some(missing) = known.keys().find(|name| !fields.contains_key(*name)) {
            return Some(missing.clone());
        }
        fields.iter().find_map(|(name, value)| match known.get(name) {
            // The only list that is omitted if it is empty.
            None if name == "updatedPermissions" && *value == Self::List(Vec::new()) => None,
            None => Some(name.clone()),
            Some(known) => value
                .beyond(known)
                .map(|path| if path.is_empty() { name.clone() } else { format!("{name}.{path}") }),
        })
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut object = BTreeMap::new();
        while let Some((name, value)) = fields.next_entry::<String, Json>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format_args!("`{name}` occurs twice")));
            }
            object.insert(name, value);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use agentwire_protocol::{RawJson, hook::Stop};

    use super::check;

    #[test]
    fn problem_names_the_part_and_the_event() {
        for (reply, problem) in [
            (r#"{"decision":"deny"}"#, "the `decision` of a reply to Stop must be one of block, approve"),
            (r#"{"continued":false}"#, "a reply to Stop can't contain this `continued`"),
            (r#"{"reason":"a","reason":"b"}"#, "`reason` occurs twice at line 1 column 27"),
        ] {
            assert_eq!(check::<Stop>(&RawJson::parse(reply).unwrap()), Err(problem.to_owned()));
        }
    }
}
