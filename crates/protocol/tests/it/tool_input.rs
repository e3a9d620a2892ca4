//! Inputs of the CLI's own tools.

use std::collections::BTreeMap;

use agentwire_protocol::{Block, Message, RawJson, tool_input::ToolInput};

use crate::messages::recorded;

#[test]
fn recorded_inputs_are_read() {
    let mut seen = BTreeMap::<String, usize>::new();
    for (path, line) in recorded() {
        let Ok(Message::Assistant(message)) = Message::from_line(&line) else { continue };
        let is_current = path.iter().any(|part| part == "2.1.330");
        for block in &message.message.content {
            let Block::ToolUse(used) = block else { continue };
            match used.typed_input() {
                Ok(input) if is_current && input != ToolInput::Unknown => {
                    let kind = format!("{input:?}");
                    *seen.entry(kind.split('(').next().unwrap().to_owned()).or_default() += 1;
                }
                Ok(_) => {}
                Err(error) => panic!("{path:?}: {error}"),
            }
        }
    }
    for tool in ["Agent", "Bash", "Edit", "Read", "Write"] {
        assert!(seen.contains_key(tool), "no {tool} in {seen:?}");
    }
}

#[test]
fn input_that_does_not_fit_is_an_error() {
    let input = RawJson::parse(r#"{"command": ["rm", "-rf"]}"#).unwrap();
    assert!(ToolInput::read("Bash", &input).is_err());
    assert_eq!(ToolInput::read("mcp__shell__Bash", &input).unwrap(), ToolInput::Unknown);
}

#[test]
fn old_name_of_the_agent_tool_is_read() {
    let input = RawJson::parse(r#"{"description": "d", "prompt": "p", "new_field": 1}"#).unwrap();
    let ToolInput::Agent(agent) = ToolInput::read("Task", &input).unwrap() else { panic!() };
    assert_eq!(agent.prompt, "p");
}
