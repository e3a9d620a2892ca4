//! Merges several replies to one event. A field has the same meaning in every event, so one rule per field suffices.

use std::{collections::BTreeMap, marker::PhantomData};

use agentwire_protocol::{
    RawJson,
    hook::{HookAnswer, HookEvent},
};
use serde::{Serialize, de::DeserializeOwned};

/// The fields of a JSON object, each as its text.
type Fields = BTreeMap<String, RawJson>;

/// The replies of several handlers to one event.
pub(super) struct Merged<E> {
    reply: Fields,
    /// The reply's `hookSpecificOutput`.
    output: Fields,
    failure: Option<String>,
    event: PhantomData<E>,
}

/// How strictly a decision treats what the event guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strictness {
    None,
    Allow,
    Ask,
    /// Deferred, or a decision that this version does not know.
    Defer,
    Deny,
}

impl<E: HookEvent> Merged<E> {
    pub(super) fn new() -> Self {
        Self { reply: Fields::new(), output: Fields::new(), failure: None, event: PhantomData }
    }

    /// Adds an answer, and applies its changes to the `input` of the next handler.
    pub(super) fn add(&mut self, answer: HookAnswer<E>, input: &mut E::Input) -> Result<(), String> {
        let HookAnswer::Now(reply) = answer else { return Ok(()) };
        let mut reply: Fields = convert(&reply)?;
        if let Some(output) = reply.remove(OUTPUT) {
            let mut output: Fields = decode(&output)?;
            self.carry_mcp_output(&mut output, input)?;
            apply_to_input::<E>(input, &output)?;
            self.merge_output(output)?;
        }
        self.merge_reply(reply)
    }

    /// Adjusts `updatedMCPToolOutput`, which the CLI ignores for tools of its own and next to `updatedToolOutput`:
    /// removes it for such a tool, and moves it to `updatedToolOutput` if an earlier handler set that.
    fn carry_mcp_output(&self, later: &mut Fields, input: &E::Input) -> Result<(), String> {
        let Some(changed) = later.remove("updatedMCPToolOutput") else { return Ok(()) };
        let input: Fields = convert(input)?;
        let name = input.get("tool_name").map_or("", RawJson::as_str);
        if input.contains_key("mcp_server") || name.starts_with("\"mcp__") {
            let follows = self.output.contains_key("updatedToolOutput");
            let field = if follows { "updatedToolOutput" } else { "updatedMCPToolOutput" };
            later.entry(field.to_owned()).or_insert(changed);
        }
        Ok(())
    }

    /// Records a failure; the first one counts.
    pub(super) fn fail(&mut self, failure: String) {
        self.failure.get_or_insert(failure);
    }

    /// Returns whether a handler has refused, so that no other can change the outcome.
    ///
    /// If the event can't refuse, a block prevents nothing, and the other handlers must still be called.
    pub(super) fn refuses(&self) -> bool {
        let denies = is(self.reply.get("decision"), "block") || strictness(&self.output) == Strictness::Deny;
        denies && E::refusal("").is_some()
    }

    /// Returns the merged reply, or the first failure.
    ///
    /// A refusal takes precedence over a failure; if `failure_refuses` is false, so does every reply except an `allow`.
    pub(super) fn finish(mut self, failure_refuses: bool) -> Result<HookAnswer<E>, String> {
        if let Some(failure) = self.failure.take()
            && !self.refuses()
        {
            let approves = is(self.reply.get("decision"), "approve");
            let older = if approves { Strictness::Allow } else { Strictness::None };
            if strictness(&self.output).max(older) == Strictness::Allow {
                // The output may change the input that was allowed.
                self.output.clear();
                self.reply.retain(|key, _| !matches!(&**key, "decision" | "reason"));
            }
            if failure_refuses || self.reply.is_empty() && self.output.is_empty() {
                return Err(failure);
            }
        }
        self.complete_refusal()?;
        if !self.output.is_empty() {
            let output = encode(&self.output)?;
            self.reply.insert(OUTPUT.to_owned(), output);
        }
        convert(&self.reply)
    }

    fn merge_reply(&mut self, mut later: Fields) -> Result<(), String> {
        let first = &mut self.reply;
        merge_pair(first, &mut later, ("continue", "stopReason"), |value| is_false(value).into());
        merge_pair(first, &mut later, ("decision", "reason"), |value| is(value, "block").into());
        merge_fields(first, later)
    }

    fn merge_output(&mut self, mut later: Fields) -> Result<(), String> {
        let first = &mut self.output;
        let keys = ("permissionDecision", "permissionDecisionReason");
        merge_pair(first, &mut later, keys, |value| rank(value) as u8);
        if let Some(decision) = later.remove("decision") {
            let merged = match first.get("decision") {
                Some(first) => merge_decisions(first, decision)?,
                None => decision,
            };
            first.insert("decision".to_owned(), merged);
        }
        merge_fields(first, later)
    }

    /// Repeats a refusal in the form that the CLI honours for this event.
    fn complete_refusal(&mut self) -> Result<(), String> {
        // CLI 2.1.330 ignores the `action` of a callback.
        if matches!(E::NAME, "Elicitation" | "ElicitationResult")
            && strictness(&self.output) == Strictness::Deny
        {
            self.reply.insert("decision".to_owned(), encode("block")?);
        }
        if !is(self.reply.get("decision"), "block") {
            return Ok(());
        }
        let reason = self.reply.get("reason").cloned();
        let deny = encode("deny")?;
        match E::NAME {
            // The CLI prefers the event's own output to a `block`.
            "PreToolUse" | "PreModelSwitch" if !self.output.is_empty() => {
                self.output.insert("permissionDecision".to_owned(), deny);
                set(&mut self.output, "permissionDecisionReason", reason);
            }
            // The CLI ignores a `block` of this event.
            "PermissionRequest" => {
                self.reply.retain(|key, _| !matches!(&**key, "decision" | "reason"));
                if strictness(&self.output) != Strictness::Deny {
                    let mut decision = Fields::from([("behavior".to_owned(), deny)]);
                    set(&mut decision, "message", reason);
                    self.output.insert("decision".to_owned(), encode(&decision)?);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Merges a value and its reason: the later pair counts if its value ranks higher.
///
/// [`merge_fields`] adds the later pair if there is no value yet.
fn merge_pair(
    first: &mut Fields,
    later: &mut Fields,
    keys: (&str, &str),
    rank: impl Fn(Option<&RawJson>) -> u8,
) {
    if rank(later.get(keys.0)) > rank(first.get(keys.0)) {
        set(first, keys.0, later.remove(keys.0));
        set(first, keys.1, later.remove(keys.1));
    } else if first.contains_key(keys.0) {
        later.remove(keys.0);
        later.remove(keys.1);
    }
}

/// Merges all other fields, each by its name.
fn merge_fields(first: &mut Fields, later: Fields) -> Result<(), String> {
    for (key, value) in later {
        let Some(before) = first.get(&key) else {
            first.insert(key, value);
            continue;
        };
        let merged = match &*key {
            "systemMessage" | "additionalContext" | "classifierContext" => {
                encode(&[decode::<String>(before)?, decode(&value)?].join("\n"))?
            }
            "terminalSequence" => encode(&(decode::<String>(before)? + &decode::<String>(&value)?))?,
            "watchPaths" => join(before, &value)?,
            "suppressOutput" | "retry" | "reloadSkills" | "suppressOriginalPrompt"
                if before.as_str() == "true" =>
            {
                continue;
            }
            _ => value,
        };
        first.insert(key, merged);
    }
    Ok(())
}

/// Merges two decisions about a permission request.
fn merge_decisions(first: &RawJson, later: RawJson) -> Result<RawJson, String> {
    let (mut fields, more): (Fields, Fields) = (decode(first)?, decode(&later)?);
    match (rank_request_decision(&fields), rank_request_decision(&more)) {
        (Strictness::Allow, Strictness::Allow) => {
            for (key, value) in more {
                let merged = match fields.get(&key) {
                    Some(before) if key == "updatedPermissions" => join(before, &value)?,
                    _ => value,
                };
                fields.insert(key, merged);
            }
            encode(&fields)
        }
        (before, after) if before < after => Ok(later),
        _ => Ok(first.clone()),
    }
}

/// Applies the changes in an output to the input of the next handler.
fn apply_to_input<E: HookEvent>(input: &mut E::Input, output: &Fields) -> Result<(), String> {
    let decision: Option<Fields> = output.get("decision").and_then(|decision| decision.decode().ok());
    let changes = CARRIED.iter().filter(|(event, ..)| *event == E::NAME).filter_map(|(_, from, to)| {
        let changed = output.get(*from).or_else(|| decision.as_ref()?.get(*from))?;
        Some((*to, changed))
    });
    let mut changes = changes.peekable();
    if changes.peek().is_some() {
        let mut fields: Fields = convert(&*input)?;
        fields.extend(changes.map(|(to, changed)| (to.to_owned(), changed.clone())));
        *input = convert(&fields)?;
    }
    Ok(())
}

fn strictness(output: &Fields) -> Strictness {
    if let Some(decision) = output.get("permissionDecision") {
        return rank(Some(decision));
    }
    if let Some(decision) = output.get("decision").and_then(|decision| decision.decode::<Fields>().ok()) {
        return rank_request_decision(&decision);
    }
    // Declining or cancelling an elicitation refuses it.
    match output.get("action") {
        None => Strictness::None,
        action if is(action, "accept") => Strictness::Allow,
        Some(_) => Strictness::Deny,
    }
}

fn rank(decision: Option<&RawJson>) -> Strictness {
    match decision.map(|decision| decision.decode::<String>().unwrap_or_default()).as_deref() {
        None => Strictness::None,
        Some("allow") => Strictness::Allow,
        Some("ask") => Strictness::Ask,
        Some("deny") => Strictness::Deny,
        Some(_) => Strictness::Defer,
    }
}

/// Ranks a decision about a permission request.
fn rank_request_decision(decision: &Fields) -> Strictness {
    match rank(decision.get("behavior")) {
        known @ (Strictness::Allow | Strictness::Deny) => known,
        _ => Strictness::Defer,
    }
}

fn is(value: Option<&RawJson>, text: &str) -> bool {
    value.is_some_and(|value| value.decode::<String>().is_ok_and(|value| value == text))
}

fn is_false(value: Option<&RawJson>) -> bool {
    value.is_some_and(|value| value.as_str() == "false")
}

fn set(fields: &mut Fields, key: &str, value: Option<RawJson>) {
    match value {
        Some(value) => fields.insert(key.to_owned(), value),
        None => fields.remove(key),
    };
}

fn join(first: &RawJson, later: &RawJson) -> Result<RawJson, String> {
    let mut items: Vec<RawJson> = decode(first)?;
    items.extend(decode::<Vec<RawJson>>(later)?);
    encode(&items)
}

/// Converts a value by way of its JSON.
fn convert<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, String> {
    decode(&encode(value)?)
}

fn encode(value: &(impl Serialize + ?Sized)) -> Result<RawJson, String> {
    RawJson::encode(value).map_err(|error| format!("the reply can't be written: {error}"))
}

fn decode<T: DeserializeOwned>(value: &RawJson) -> Result<T, String> {
    value.decode().map_err(|error| format!("the reply can't be merged: {error}"))
}

/// The field of a reply with the output that is specific to the event.
const OUTPUT: &str = "hookSpecificOutput";

/// Which field of an output changes which field of the input, for each event. Of several, the last counts.
const CARRIED: &[(&str, &str, &str)] = &[
    ("PreToolUse", "updatedInput", "tool_input"),
    ("PermissionRequest", "updatedInput", "tool_input"),
    ("PostToolUse", "updatedMCPToolOutput", "tool_response"),
    ("PostToolUse", "updatedToolOutput", "tool_response"),
    ("MessageDisplay", "displayContent", "delta"),
    ("ElicitationResult", "action", "action"),
    ("ElicitationResult", "content", "content"),
];

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::{CARRIED, Fields, RawJson, decode};

    /// Each fixture has all fields of the output of an event.
    #[test]
    fn each_change_of_the_input_is_carried() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/fixtures/hook_outputs");
        let mut changes = BTreeSet::new();
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let event = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let output = RawJson::parse(fs::read_to_string(&path).unwrap()).unwrap();
            let mut output: Fields = decode(&output).unwrap();
            if let Some(Ok(decision)) = output.remove("decision").map(|decision| decode::<Fields>(&decision))
            {
                output.extend(decision);
            }
            // `updatedPermissions` changes rules and not the input.
            let updated = |key: &String| key.starts_with("updated") && key != "updatedPermissions";
            changes.extend(output.into_keys().filter(updated).map(|key| (event.clone(), key)));
        }
        let carried = CARRIED.iter().filter(|(_, from, _)| from.starts_with("updated"));
        let carried = carried.map(|&(event, from, _)| (event.to_owned(), from.to_owned()));
        assert_eq!(changes, carried.collect::<BTreeSet<_>>());
    }
}
