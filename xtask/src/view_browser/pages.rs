//! The pages that are read.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use agentwire_testkit::Transcript;
use serde_json::{Value, json};

use crate::failure::{Failure, While as _};
use crate::workspace;

/// Writes pages of some recordings, of a long session and of a hostile one, and returns what the script needs of each.
pub(super) fn write(folder: &Path) -> Result<Vec<Value>, Failure> {
    let mut cases = Vec::new();
    for (name, word) in RECORDINGS {
        let file = workspace::root()?.join(format!("fixtures/sessions/2.1.330/{name}.transcript"));
        let bytes = fs::read(&file).while_doing(|| format!("reading {}", file.display()))?;
        cases.push(case(folder, name, word, bytes)?);
    }
    cases.push(case(folder, "long", "cargo", long().into_bytes())?);
    cases.push(case(folder, "hostile", "pwned", HOSTILE.as_bytes().to_vec())?);
    Ok(cases)
}

/// Some items of the page contain the word, and others do not.
fn case(folder: &Path, name: &str, word: &str, transcript: Vec<u8>) -> Result<Value, Failure> {
    let html = agentwire_viewer::page(&Transcript::parse(transcript)?, name);
    let file = folder.join(format!("{name}.html"));
    fs::write(&file, &html).while_doing(|| format!("writing {}", file.display()))?;
    Ok(json!({"name": name, "word": word, "file": file, "long": html.len() > LONG}))
}

/// The folder of the pages.
pub(super) fn folder() -> Result<PathBuf, Failure> {
    let folder = workspace::root()?.join("target").join("view-browser");
    fs::create_dir_all(&folder).while_doing(|| format!("making {}", folder.display()))?;
    Ok(folder)
}

/// 10,000 frames with times, a tool use with many large ids, and a line of 5 MiB.
fn long() -> String {
    let mut text = String::from("# agentwire-transcript 1\n");
    for n in 0..2_500 {
        let (tool, command) = if n % 3 == 0 { ("Read", "src/lib.rs") } else { ("Bash", "cargo test") };
        if n % 100 == 0 {
            text.push_str("> {\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"And the next hundred.\"}}\n");
        }
        let behaviour = if n % 17 == 0 { "deny\",\"message\":\"no" } else { "allow" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            r#"< {{"type":"assistant","message":{{"id":"m{n}","model":"x","content":[{{"type":"tool_use","id":"t{n}","name":"{tool}","input":{{"command":"{command}"}}}}]}}}}
< {{"type":"control_request","request_id":"r{n}","request":{{"subtype":"can_use_tool","tool_name":"{tool}","input":{{"command":"{command}"}},"tool_use_id":"t{n}"}}}}
~ {}ms
> {{"type":"control_response","response":{{"subtype":"success","request_id":"r{n}","response":{{"behavior":"{behaviour}"}}}}}}
~ {}ms
< {{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{n}","content":"ok"}}]}}}}"#,
            3 + n % 7,
            20 + n % 130,
        );
        if n % 100 == 99 {
            text.push_str(RESULT);
        }
    }
    let ids: Vec<String> = (0..120).map(|n| (9_007_199_254_740_993_u64 + 2 * n).to_string()).collect();
    let words = "word ".repeat(1 << 20);
    let _ = writeln!(
        text,
        r#"< {{"type":"assistant","message":{{"id":"ids","model":"x","content":[{{"type":"tool_use","id":"ids","name":"mcp__s__t","input":{{"ids":[{}]}}}}]}}}}"#,
        ids.join(",")
    );
    let _ = writeln!(
        text,
        r#"< {{"type":"assistant","message":{{"id":"last","model":"x","content":[{{"type":"text","text":"{words}"}}]}}}}"#
    );
    text
}

/// A longer page is read in one configuration only.
const LONG: usize = 1 << 20;
const RECORDINGS: &[(&str, &str)] =
    &[("quickstart", "weather"), ("agent-foreground", "one"), ("permission-deny-interrupt", "again")];

const RESULT: &str = "< {\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"duration_ms\":5,\"duration_api_ms\":4,\"num_turns\":1,\"total_cost_usd\":0.1,\"session_id\":\"s\"}\n";

/// Markup and scripts wherever a transcript has room for them; each would call `pwned`.
const HOSTILE: &str = include_str!("hostile.transcript");
