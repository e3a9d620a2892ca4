//! Matchers: an accepted pattern matches the same tools on the real CLI as in the check.

use std::sync::{Arc, Mutex};

use agentwire::{
    Session, Warning,
    hooks::{HookWarning, Hooks, Matcher},
    mcp::{McpServers, Server},
    protocol::hook::PreToolUse,
};
use serde_json::{Value, json};

use super::{
    Place,
    recipes::{hold, permissive},
};

fn servers() -> McpServers {
    let tool = async |_: Value, _cx| "Done.".to_owned();
    let server =
        Server::new("my srv", "1.0.0").tool("do.it", "Does it.", tool).tool("read_all", "Reads.", tool);
    McpServers::new().with("my srv", server)
}

const TOOLS: [&str; 6] = ["Bash", "Read", "Write", "Edit", "mcp__my_srv__do_it", "mcp__my_srv__read_all"];

fn calls() -> [(&'static str, Value); 6] {
    [
        ("Bash", json!({"command": "true"})),
        ("Read", json!({"file_path": "${place}/project/a.txt"})),
        ("Write", json!({"file_path": "${place}/project/b.txt", "content": "x"})),
        ("Edit", json!({"file_path": "${place}/project/a.txt", "old_string": "one", "new_string": "two"})),
        ("mcp__my_srv__do_it", json!({})),
        ("mcp__my_srv__read_all", json!({})),
    ]
}

/// Returns whether the documentation lists the tool as a match of the matcher.
fn fits(matcher: &Matcher, tool: &str) -> bool {
    Hooks::new().on_matching(PreToolUse, matcher.clone(), async |_, _| ()).misfits([tool]).is_empty()
}

fn is_accepted(matcher: &Matcher) -> bool {
    Hooks::new().on_matching(PreToolUse, matcher.clone(), async |_, _| ()).check().is_ok()
}

/// Returns which of the matchers (by number) the CLI calls for which tool.
async fn called(matchers: &[Matcher]) -> Vec<(usize, String)> {
    let place = Place::calling(&calls()).await;
    let called = Arc::new(Mutex::new(Vec::new()));
    let hooks = matchers.iter().enumerate().fold(Hooks::new(), |hooks, (number, matcher)| {
        let called = Arc::clone(&called);
        hooks.on_matching(PreToolUse, matcher.clone(), move |input, _cx| {
            called.lock().unwrap().push((number, input.tool_name.to_string()));
            std::future::ready(())
        })
    });
    let mut options = permissive(&place);
    options.allowed_tools.push("mcp__my_srv".to_owned());
    let seen = hold(Session::builder().options(options).hooks(hooks).mcp_servers(servers())).await;
    assert_eq!(seen.refused(), [false; 6], "{seen:#?}");
    let mut called = called.lock().unwrap().clone();
    called.sort();
    called
}

async fn assert_called_as_predicted(named: Vec<(String, Matcher)>) {
    let (names, matchers): (Vec<String>, Vec<Matcher>) = named.into_iter().unzip();
    let mut expected = Vec::new();
    for (number, matcher) in matchers.iter().enumerate() {
        expected
            .extend(TOOLS.iter().filter(|tool| fits(matcher, tool)).map(|tool| (number, (*tool).to_owned())));
    }
    expected.sort();
    let called = called(&matchers).await;
    let named = |of: &[(usize, String)], other: &[(usize, String)]| -> Vec<String> {
        let missing = of.iter().filter(|one| !other.contains(one));
        missing.map(|(number, tool)| format!("{} for {tool}", names[*number])).collect()
    };
    let (missing, surplus) = (named(&expected, &called), named(&called, &expected));
    assert!(missing.is_empty() && surplus.is_empty(), "not called: {missing:#?}\ncalled: {surplus:#?}");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn accepted_matchers_are_called_for_the_tools_that_they_fit() {
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../../hooks/src/pattern/accepted.txt");
    let patterns = std::fs::read_to_string(list).unwrap();
    let mut named: Vec<(String, Matcher)> =
        patterns.lines().map(|text| (text.to_owned(), Matcher::pattern(text))).collect();
    for text in [" Bash", "Bash\n", "Edit|Bash\r\n", "\tBa.*\n", "^mcp__my_srv__do_it$", "my_srv"] {
        named.push((format!("{text:?}"), Matcher::pattern(text)));
    }
    for name in [
        "Bash",
        "Agent",
        "mcp__my_srv__do_it",
        "mcp__my_srv__do.it",
        "mcp__my srv__do.it",
        "mcp__my.srv__read all",
        "mcp__my srv__read_all",
    ] {
        named.push((format!("tools({name})"), Matcher::tools([name, "Edit"])));
    }
    assert!(named.iter().all(|(_, matcher)| is_accepted(matcher)));
    assert_called_as_predicted(named).await;
}

/// What the check accepts compiles in the CLI's JavaScript, and matches the same names there.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn accepted_syntax_is_read_alike() {
    let pieces = [
        "Bash", "a", "_", "-", ".", "^", "$", "|", "(", ")", "(?:", "(?!", "(?=", "(?<!", "(?<=", "[", "]",
        "[^", "a-z", "z-a", "\\w-", "\\d", "\\b", "\\B", "\\-", "\\]", "\\.", "\\k", "\\1", "(?i:", "(?<a>",
        "*", "+", "?", "{2}", "{,2}", "{2,1}", "{0,}", "{", "}", "mcp__", "my_srv__", "(?<a", "\\", "do_it",
        "&&", "(?", "[a-\\w]", "[\\w-z]", "[\\b]", "(?=B)*", "\\_", "\\/", "\\:", "\\ ", "\\$", "\\é", "é",
        " ", ",", ":", "(?!x)+", "[]", "[^]",
    ];
    // A fixed sequence of pseudorandom numbers.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let mut accepted = Vec::new();
    while accepted.len() < 1_200 {
        let length = 1 + random(7);
        // The alternative after the `|` lets each pattern that compiles match something.
        let text: String = (0..length).map(|_| pieces[random(pieces.len())]).collect();
        for text in [text.clone(), format!("{text}|^Bash$"), format!("^(?:{text}|Edit)$")] {
            let matcher = Matcher::pattern(text.clone());
            if is_accepted(&matcher) && !accepted.iter().any(|(known, _)| *known == text) {
                accepted.push((text, matcher));
            }
        }
    }
    assert_called_as_predicted(accepted).await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_matcher_that_fits_no_tool_of_the_session_is_warned_about() {
    let place = Place::calling(&[]).await;
    let misfits = [
        Matcher::tools(["bash"]),
        Matcher::tools(["Edit", "bash"]),
        Matcher::pattern("^bash$"),
        Matcher::tools(["mcp__my_srv__wipe"]),
        Matcher::tools(["Nope"]),
        Matcher::pattern("mcp__srv__.*"),
        Matcher::pattern("Bash.exe"),
    ];
    let fitting = [
        Matcher::any(),
        Matcher::tools(["Bash", "Glob", "Grep"]),
        Matcher::tools(["Agent"]),
        Matcher::tools(["Task"]),
        Matcher::pattern("mcp__my_srv__.*"),
        Matcher::tools(["mcp__my srv__do.it"]),
    ];
    let on =
        |hooks: Hooks, matcher: &Matcher| hooks.on_matching(PreToolUse, matcher.clone(), async |_, _| ());
    let hooks = misfits.iter().chain(&fitting).fold(Hooks::new(), on);
    let session = Session::builder().options(permissive(&place)).hooks(hooks).mcp_servers(servers());
    let mut session = session.connect().await.unwrap();
    assert_eq!(session.warnings(), []);
    session.ask("Do it.").await.unwrap().finish().await.unwrap();
    let warned = session.warnings().to_vec();
    session.close().await.unwrap();
    let is_misfit = |warning: &Warning| matches!(warning, Warning::Hook(HookWarning::MatchesNoTool { .. }));
    assert!(warned.iter().all(is_misfit), "{warned:#?}");
    assert_eq!(warned.len(), misfits.len(), "{warned:#?}");
}
