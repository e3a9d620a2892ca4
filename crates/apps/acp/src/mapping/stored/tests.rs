//! Stored messages that were written by the CLI, or changed by it.

use agent_client_protocol::v1::schema::EmbeddedResource;

use super::*;
use crate::{features::Features, prompt::blocks};

/// Returns the content that is shown for a stored message of the user.
fn replayed(content: serde_json::Value) -> Vec<ContentBlock> {
    let message = serde_json::json!({
        "type": "user", "uuid": "u", "session_id": "s", "message": {"role": "user", "content": content},
        "parent_tool_use_id": null, "parent_agent_id": null,
    });
    let updates =
        Mapping::new(Features::default()).stored(&serde_json::from_value(message).unwrap()).into_iter();
    let blocks = updates.map(|update| match update {
        SessionUpdate::UserMessageChunk(chunk) => chunk.content,
        other => panic!("{other:?}"),
    });
    blocks.collect()
}

#[test]
fn texts_that_the_cli_stores_as_the_users_are_hidden() {
    for text in [
        "<task-notification><task-id>t</task-id></task-notification>",
        "[Request interrupted by user for tool use]",
        "This session is being continued from a previous conversation that ran out of context.",
    ] {
        assert_eq!(replayed(text.into()), [], "{text}");
    }
}

#[test]
fn stored_prompt_is_shown_as_it_was_sent() {
    let text = TextResourceContents::new("fn main() {}\n", "file:///a.rs");
    let resource = EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(text));
    let sent =
        [ContentBlock::from("Explain "), ContentBlock::Resource(resource), ContentBlock::from(" to me.")];
    assert_eq!(replayed(serde_json::to_value(blocks(&sent)).unwrap()), sent);
}

#[test]
fn reminders_of_the_cli_are_not_part_of_a_stored_prompt() {
    let reminder = "<system-reminder>Be brief.</system-reminder>";
    assert_eq!(replayed(format!("Hi.\n\n{reminder}").into()), [ContentBlock::from("Hi.")]);
    assert_eq!(replayed(reminder.into()), []);
}

#[test]
fn stored_message_about_a_missing_login_is_hidden() {
    for (text, shown) in [
        ("Not logged in · Please run /login", 0),
        ("You've hit your limit · run /login to switch accounts", 1),
    ] {
        let message = format!(
            r#"{{"id":"m","role":"assistant","model":"<synthetic>","content":[{{"type":"text","text":"{text}"}}]}}"#
        );
        let stored = format!(
            r#"{{"type":"assistant","uuid":"a","session_id":"s","message":{message},"parent_tool_use_id":null,"parent_agent_id":null}}"#
        );
        assert_eq!(
            Mapping::new(Features::default()).stored(&serde_json::from_str(&stored).unwrap()).len(),
            shown,
            "{text}"
        );
    }
}
