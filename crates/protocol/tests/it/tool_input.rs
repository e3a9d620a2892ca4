//! Inputs of the CLI's own tools.

use std::{collections::BTreeMap, fs, path::Path};

use agentwire_protocol::{Block, Message, RawJson, tool_input::ToolInput};

#[test]
fn recorded_inputs_are_read() {
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sessions/2.1.330");
    let mut seen = BTreeMap::<String, usize>::new();
    for file in fs::read_dir(sessions).unwrap() {
        let path = file.unwrap().path();
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        for line in text.lines().filter_map(|line| line.strip_prefix("< ")) {
            let Ok(Message::Assistant(message)) = Message::from_line(line) else { continue };
            for block in &message.message.content {
                let Block::ToolUse(used) = block else { continue };
                match used.typed_input() {
                    Ok(ToolInput::Unknown) => {}
                    Ok(input) => {
                        let kind = format!("{input:?}");
                        *seen.entry(kind.split('(').next().unwrap().to_owned()).or_default() += 1;
                    }
                    Err(error) => panic!("{path:?}: {error}"),
                }
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
