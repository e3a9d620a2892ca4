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

#[test]
fn monitor_names_its_command_or_its_socket() {
    let read = |text: &str| {
        let input = RawJson::parse(text).unwrap();
        let ToolInput::Monitor(monitor) = ToolInput::read("Monitor", &input).unwrap() else {
            panic!("{text}")
        };
        (monitor.command, monitor.ws.map(|socket| socket.url), monitor.timeout_ms)
    };
    let shell = r#"{"description": "d", "timeout_ms": 1000, "command": "curl x"}"#;
    assert_eq!(read(shell), (Some("curl x".to_owned()), None, Some(1000)));
    let socket = r#"{"description": "d", "timeout_ms": 1, "ws": {"url": "wss://x", "protocols": ["p"]}}"#;
    assert_eq!(read(socket), (None, Some("wss://x".to_owned()), Some(1)));
    let odd = RawJson::parse(r#"{"description": "d", "timeout_ms": 1, "command": ["curl"]}"#).unwrap();
    assert!(ToolInput::read("Monitor", &odd).is_err());
}
