//! Patterns of matchers: refused ones, accepted ones, and the tools that they match.

use super::{Pattern, exactly};

#[test]
fn patterns_are_read_as_the_cli_reads_them() {
    let names = |names: &[&'static str]| Pattern::Names(names.to_vec());
    assert_eq!(Pattern::read(""), Pattern::Everything);
    assert_eq!(Pattern::read("*"), Pattern::Everything);
    assert_eq!(Pattern::read("Bash"), names(&["Bash"]));
    assert_eq!(Pattern::read("Edit | Bash"), names(&["Edit", "Bash"]));
    assert_eq!(Pattern::read("Edit,,mcp__s__x-y, "), names(&["Edit", "mcp__s__x-y"]));
    assert_eq!(Pattern::read("|"), names(&[]));
    for regex in ["Ba.*", "^Bash$", "Edit|Ba.*", "Bash\t", "Bash(ls:*)", "**"] {
        assert_eq!(Pattern::read(regex), Pattern::Regex(regex));
    }
}

/// The CLI accepts these patterns without an error, but some or all of their parts never match a tool.
#[test]
fn patterns_that_match_no_tool_are_refused() {
    let passes = |text: &&str| Pattern::read(text).check(true).is_ok();
    let passed: Vec<&str> = include_str!("refused.txt").lines().filter(passes).collect();
    assert!(passed.is_empty(), "{passed:#?}");
    for text in ["Bash\n", "Bash\u{0}", "Bash.*\t", "Ba\u{7}sh|Edit", " ", "(?:Bash)\u{a0}", "Bash\u{200b}"] {
        assert!(Pattern::read(text).check(true).is_err(), "{text:?} passes");
    }
    let nested = format!("{}Bash{}", "(?:".repeat(1000), ")".repeat(1000));
    assert!(Pattern::read(&nested).check(true).is_err());
    assert!(Pattern::read(&format!("^{}$", "B".repeat(200))).check(true).is_err());
}

#[test]
fn patterns_that_match_tools_pass() {
    let refused: Vec<(&str, String)> = include_str!("accepted.txt")
        .lines()
        .filter_map(|text| Some((text, Pattern::read(text).check(true).err()?)))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
    // More alternatives in a row than can be tried with each other.
    let many =
        format!("^mcp__({0})__({0})_({0})$", ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].join("|"));
    assert_eq!(Pattern::read(&many).check(true), Ok(()));
}

/// Other events are compared with other names, where only the syntax can be judged.
#[test]
fn mistakes_are_found_for_any_event() {
    let check = |text| Pattern::read(text).check(false);
    for text in ["mcp__srv", "Bash(rm:.*)", r"\.env$", "claude-.*", "^my agent$", "two words", "(?=x)y"] {
        assert_eq!(check(text), Ok(()), "{text}");
    }
    for text in ["(", "|", "x)", "(?i:x)", r"\k<a>x", "(?<a>x)", "x.*\n", r"\u0041.", "{1}x", "[z-a]"] {
        assert!(check(text).is_err(), "{text} passes");
    }
}

#[test]
fn a_refusal_states_what_to_write() {
    let why = |text| Pattern::read(text).check(true).unwrap_err();
    assert_eq!(
        why("mcp__srv"),
        "no tool is called `mcp__srv`: a tool of an MCP server is `mcp__server__tool`, and the pattern for all tools of \
         a server is `mcp__srv__.*`"
    );
    assert!(why("Edit | Ba.*").contains("something like `Edit `"), "{}", why("Edit | Ba.*"));
    assert!(why("Bash(touch)").contains("permission rule"));
}

#[test]
fn misfits_are_found_among_the_tools_of_a_session() {
    let tools = ["Bash", "Edit", "mcp__srv__wipe"];
    let misfit = |text| Pattern::read(text).misfit(&tools);
    for text in ["", "*", "Bash", "Glob|Bash", "Ba.*", "mcp__srv__wipe", "^(?!Bash)"] {
        assert_eq!(misfit(text), None, "{text}");
    }
    for text in ["bash", "Edit|bash", "Nope", "^bash$", "mcp__srv__wip", "mcp__other__.*", "srv"] {
        assert!(misfit(text).is_some(), "{text} fits");
    }
}

#[test]
fn exact_names_stay_exact() {
    let exactly = |names: &[&str]| exactly(&names.iter().map(|name| Box::from(*name)).collect::<Vec<_>>());
    assert_eq!(&*exactly(&[]), "");
    assert_eq!(&*exactly(&["Edit", "Write"]), "Edit|Write");
    assert_eq!(&*exactly(&["mcp__s__x-y"]), "mcp__s__x-y");
    assert_eq!(&*exactly(&["Bash", "a.b|c"]), r"^(?:Bash|a\.b\|c)$");
    assert_eq!(&*exactly(&["two words", "a,b"]), "^(?:two words|a,b)$");
}
