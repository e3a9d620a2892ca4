//! Redaction removes all private text, and keeps every other byte.

mod canaries;
mod secrets;

use agentwire_testkit::{Redactor, Transcript, transcript::Entry};
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cpu;
use secrets::delta;

fn session(lines: &[impl AsRef<str>]) -> Transcript {
    let entries = lines.iter().map(|line| {
        let line = line.as_ref();
        let body = Bytes::copy_from_slice(&line.as_bytes()[2..]);
        match &line[..2] {
            "> " => Entry::Outbound(body),
            "< " => Entry::Inbound(body),
            _ => Entry::Stderr(body),
        }
    });
    let mut session = Transcript::default();
    session.entries = entries.collect();
    session
}

fn redacted(redactor: &Redactor, lines: &[impl AsRef<str>]) -> Vec<String> {
    let session = redactor.redact(&session(lines)).unwrap();
    assert_eq!(session.header.redacted, Some(true));
    let text = |entry: &Entry| match entry {
        Entry::Outbound(line) => format!("> {}", String::from_utf8_lossy(line)),
        Entry::Inbound(line) => format!("< {}", String::from_utf8_lossy(line)),
        other => format!("{other:?}"),
    };
    session.entries.iter().map(text).collect()
}

#[track_caller]
fn check(line: &str, expect: &str) {
    let redactor = Redactor::new()
        .path("/srv/agent/project", "/project")
        .path("/srv/agent/home", "/home/user")
        .own("the words of our own script");
    assert_eq!(redacted(&redactor, &[&format!("< {line}")]), [format!("< {expect}")]);
}

#[test]
fn paths_get_their_names() {
    check(r#"{"cwd":"/srv/agent/project"}"#, r#"{"cwd":"/project"}"#);
    check(r#"{"/srv/agent/home/.claude/x":1}"#, r#"{"/home/user/.claude/x":1}"#);
    check(r#"{"a":"{\"file\":\"/srv/agent/project/a\"}"}"#, r#"{"a":"{\"file\":\"/project/a\"}"}"#);
    // The CLI makes folder names of paths.
    check(
        r#"{"a":"/srv/agent/home/projects/-srv-agent-project/memory"}"#,
        r#"{"a":"/home/user/projects/-project/memory"}"#,
    );
    // These were not named to the redactor.
    let stray = concat!("/tm", "p/cc/77.sock");
    check(
        &format!(r#"{{"a":"{stray}","b":"{stray}"}}"#),
        r#"{"a":"/home/user/tmp/1.sock","b":"/home/user/tmp/1.sock"}"#,
    );
    check(concat!(r#"{"a":"see /ro"#, r#"ot/.bashrc, please"}"#), r#"{"a":"see /home/user/tmp/1, please"}"#);
    check(r#"{"a":"/home/user/cc-socks/1234.sock"}"#, r#"{"a":"/home/user/cc-socks/4242.sock"}"#);
    for stray in [concat!("/var/ho", "me/alice"), concat!("/mnt/c/Us", "ers/alice")] {
        check(&format!(r#"{{"a":"{stray}"}}"#), r#"{"a":"/home/user/tmp/1"}"#);
    }
    check(r#"{"a":"http://127.0.0.1:39121/v1"}"#, r#"{"a":"http://127.0.0.1:8080/v1"}"#);
}

#[test]
fn words_cut_over_deltas_are_replaced() {
    let stray = concat!("/tm", "p/acme/b.txt");
    let (id, time) = ("1b4e28ba-2fa1-41d2-883f-0016d3cca427", "2026-11-21T22:51:20Z");
    let home = concat!("/ho", "me/jane");
    let below = format!("{home}/proj/{id}.txt");
    let input = json!({ "file": "/srv/agent/secret/a.txt", "to": stray, "again": stray, "below": below, "id": id, "at": time });
    let texts = [
        ("partial_json", input.to_string()),
        ("text", format!("\"/srv/agent/a.txt\"\n{stray}({stray})")),
        ("text", format!("{below},{id},{time}")),
    ];
    let stand_ins = [
        ("/srv/agent", "<cwd>"),
        (home, "<home>"),
        (stray, "/home/user/tmp/1.txt"),
        (id, "00000000-0000-4000-8000-000000000001"),
        (time, "2026-01-01T00:00:00.000Z"),
    ];
    let expected =
        |text: &str| stand_ins.iter().fold(text.to_owned(), |text, (word, new)| text.replace(word, new));
    let whole = format!("< {}", json!({ "id": id, "at": time }));
    for (field, text) in texts {
        for length in 1..text.len() {
            let mut lines: Vec<String> = text
                .as_bytes()
                .chunks(length)
                .map(|piece| delta(field, &String::from_utf8_lossy(piece)))
                .collect();
            lines.push(whole.clone());
            let piece = |line: &String| {
                let line: Value = serde_json::from_str(&line[2..]).unwrap();
                line["event"]["delta"][field].as_str().unwrap().to_owned()
            };
            let redactor = Redactor::new().path("/srv/agent", "<cwd>").path(home, "<home>");
            let after = redacted(&redactor, &lines);
            let (last, pieces) = after.split_last().unwrap();
            let joined: String = pieces.iter().map(piece).collect();
            assert_eq!(joined, expected(&text), "{length}");
            // An id has the same stand-in in the pieces and elsewhere.
            assert_eq!(*last, expected(&whole), "{length}");
        }
    }
}

#[test]
fn secret_in_pieces_with_a_lone_surrogate_is_replaced() {
    let secret = "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA-zzzzzzzz";
    let (start, end) = secret.split_at(20);
    for escape in [r"\ud83d", r"\uD83D"] {
        let lines = [delta("text", start), delta("text", &format!("{end}LONE")).replace("LONE", escape)];
        let after = redacted(&Redactor::new().secret(secret), &lines);
        assert!(!after[1].contains("zzzz") && after[1].contains(escape), "{after:?}");
    }
}

#[test]
fn ids_around_a_delta_are_numbered_in_the_order_of_the_text() {
    let id = |digit: usize| format!("{digit}b4e28ba-2fa1-41d2-883f-0016d3cca427");
    // The delta of a hook stands behind the ids of its line.
    let line = |ids: [String; 4], delta: &str| {
        let [request, session, message, after] = ids;
        format!(
            r#"< {{"type":"control_request","request_id":"{request}","request":{{"subtype":"hook_callback","input":{{"hook_event_name":"MessageDisplay","session_id":"{session}","message_id":"{message}","delta":"{delta}","after":"{after}"}}}}}}"#
        )
    };
    let stable = |number: usize| format!("00000000-0000-4000-8000-{number:012}");
    let before = line([1, 2, 3, 5].map(id), &format!("see {}.", id(4)));
    let expected = line([1, 2, 3, 5].map(stable), &format!("see {}.", stable(4)));
    let once = redacted(&Redactor::new(), &[before]);
    assert_eq!(once, [expected]);
    assert_eq!(redacted(&Redactor::new(), &once), once);
}

#[test]
fn streamed_input_is_replaced_as_the_input_of_the_block() {
    let long = "A long text with \"quotes\",\nwhich only the model can have written in this session.";
    let input =
        json!({ "command": "true", "text": long, "list": [long, 1, "a few words", "some more words"] });
    let block = format!(r#"< {{"type":"assistant","message":{{"content":[{{"input":{input}}}]}}}}"#);
    for length in [1, 7, 60, 61, 1000] {
        let streamed = input.to_string();
        let pieces = streamed.as_bytes().chunks(length).map(String::from_utf8_lossy);
        let mut lines: Vec<String> = pieces.map(|piece| delta("partial_json", &piece)).collect();
        lines.push(block.clone());
        let redacted = redacted(&Redactor::new(), &lines);
        let lines: Vec<Value> =
            redacted.iter().map(|line| serde_json::from_str(&line[2..]).unwrap()).collect();
        let (whole, pieces) = lines.split_last().unwrap();
        let joined: String =
            pieces.iter().map(|line| line["event"]["delta"]["partial_json"].as_str().unwrap()).collect();
        let expected = json!({ "command": "true", "text": "<prose>", "list": ["<prose>", 1, "a few words", "some more words"] });
        assert_eq!(serde_json::from_str::<Value>(&joined).unwrap(), expected, "{length}");
        assert_eq!(whole["message"]["content"][0]["input"], expected);
    }
}

#[test]
fn input_that_is_no_piece_of_a_stream_is_replaced() {
    let long = "a long text that only the model can have written, in this session or in another one";
    check(
        &format!(
            r#"{{"type":"assistant","message":{{"content":[{{"input":{{"partial_json":"{long}"}}}}]}}}}"#
        ),
        r#"{"type":"assistant","message":{"content":[{"input":{"partial_json":"<prose>"}}]}}"#,
    );
    // serde_json can't read a line with half a surrogate pair.
    let line = delta("partial_json", &format!("{long} HALF"));
    let line = line[2..].replace("HALF", r"\ud83d");
    check(&line, &delta("partial_json", "<prose>")[2..]);
}

#[test]
fn words_after_an_escape_are_replaced() {
    let id = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";
    let line = format!(concat!(r#"> {{"a":"found:\n/tm"#, r#"p/cc/a\t{id}\u00e4{id}"}}"#), id = id);
    assert_eq!(
        redacted(&Redactor::new(), &[&line]),
        [
            r#"> {"a":"found:\n/home/user/tmp/1\t00000000-0000-4000-8000-000000000001\u00e400000000-0000-4000-8000-000000000001"}"#
        ]
    );
}

#[test]
fn path_with_one_name_is_not_replaced_within_other_words() {
    let redactor = Redactor::new().path("/app", "<cwd>").path("/", "<root>");
    let lines = [
        r#"> {"cwd":"/app/a","folder":"/home/user/projects/-app/x","log":"in\n/app"}"#,
        r#"> {"text":"--append-system-prompt src/app/x my-app /apple \u001b[01;34m/app/x"}"#,
    ];
    let expected = [
        r#"> {"cwd":"<cwd>/a","folder":"/home/user/projects/-cwd-/x","log":"in\n<cwd>"}"#,
        r#"> {"text":"--append-system-prompt src/app/x my-app /apple \u001b[01;34m<cwd>/x"}"#,
    ];
    assert_eq!(redacted(&redactor, &lines), expected);
}

#[test]
fn paths_are_found_as_json_spells_them() {
    let redactor = Redactor::new().path("/srv/jürgen", "<home>").path(r"C:\acme", "<cwd>");
    // Python escapes all but ASCII, PHP slashes too; both may print that in the output of a tool.
    for path in ["/srv/jürgen/a", r"/srv/j\u00fcrgen/a", r"\/srv\/j\u00fcrgen\/a"] {
        let once = format!(r#"["{path}","C:\\acme\\b"]"#);
        let deeper = json!({ "a": once, "b": json!([once]).to_string() }).to_string();
        for line in [once, deeper] {
            let after = redacted(&redactor, &[&format!("> {line}")]).concat();
            assert!(!after.contains("rgen") && !after.contains("acme"), "{line}: {after}");
            assert!(after.contains("<home>") && after.contains("<cwd>"), "{line}: {after}");
        }
    }
    // A path that was not named to the redactor.
    let line = concat!(r#"> {"a":"/ho"#, r#"me/j\u00fcrgen/x\n\"/ho"#, r#"me/z\u001b[0m"}"#);
    let expected = r#"> {"a":"/home/user/tmp/1\n\"/home/user/tmp/2\u001b[0m"}"#;
    assert_eq!(redacted(&Redactor::new(), &[line]), [expected]);
}

#[test]
fn unnamed_home_is_found_with_escaped_and_with_encoded_slashes() {
    let home = concat!("/ho", "me/alice");
    let (escaped, encoded) = (home.replace('/', r"\/"), home.replace('/', "%2F"));
    let deeper = escaped.replace('\\', r"\\\");
    for (line, expected) in [
        (format!(r#"["{escaped}\/x","{home}/x"]"#), r#"["/home/user/tmp/1","/home/user/tmp/1"]"#),
        (format!(r#"{{"a":"{{\"b\":\"{deeper}\"}}"}}"#), r#"{"a":"{\"b\":\"/home/user/tmp/1\"}"}"#),
        (format!(r#"["x?file={encoded}%2fb"]"#), r#"["x?file=/home/user/tmp/1"]"#),
        (format!(r#"["file%3A%2F%2F{encoded}"]"#), r#"["file%3A%2F%2F/home/user/tmp/1"]"#),
        (r#"["\/home\/user\/x"]"#.to_owned(), r#"["\/home\/user\/x"]"#),
        (r#"["lib%2Fhome%2Fx"]"#.to_owned(), r#"["lib%2Fhome%2Fx"]"#),
    ] {
        assert_eq!(redacted(&Redactor::new(), &[&format!("> {line}")]), [format!("> {expected}")]);
    }
}

#[test]
fn slash_at_the_end_of_a_path_does_not_count() {
    let line = r#"> {"cwd":"/srv/acme","file":"/srv/acme/a","folder":"-srv-acme-b"}"#;
    let expected = r#"> {"cwd":"/project","file":"/project/a","folder":"-project-b"}"#;
    for stands_for in ["/project", "/project/"] {
        assert_eq!(redacted(&Redactor::new().path("/srv/acme/", stands_for), &[line]), [expected]);
    }
}

#[test]
fn path_behind_the_letter_of_an_option_is_replaced() {
    let home = concat!("/ho", "me/alice");
    let text = |one: &str, two: &str, three: &str| {
        format!(r#"> {{"a":"gcc -I{one} CFLAGS=-L{two}\n-C{three} lib-a{}b"}}"#, concat!("/tm", "p/"))
    };
    let line = text(&format!("{home}/include"), &format!("{home}/lib"), &format!("{home}/x"));
    let expected = text("/home/user/tmp/1", "/home/user/tmp/2", "/home/user/tmp/3");
    assert_eq!(redacted(&Redactor::new(), &[&line]), [expected]);
}

#[test]
fn unknown_entries_and_facts_of_the_header_are_redacted() {
    let text =
        "# agentwire-transcript 1.1\n# cli 2.1.330  cwd /srv/acme\n? /srv/acme 2026-11-21T22:51:20.1Z\n";
    let session = Redactor::new().path("/srv/acme", "/p").redact(&Transcript::parse(text).unwrap()).unwrap();
    assert_eq!(session.header.extra, [("cwd".into(), "/p".into())]);
    assert_eq!(session.entries, [Entry::Unknown("? /p 2026-01-01T00:00:00.000Z".into())]);
}

#[test]
fn ids_and_times_are_stable() {
    let one = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";
    let two = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
    let lines = [
        format!(r#"< {{"id":"{one}","other":"{two}","hook":"hook-{one}"}}"#),
        format!(r#"> {{"request_id":"{two}","mine":"req_1"}}"#),
        r#"< {"timestamp":"2026-11-21T22:51:20.123Z","at":"2025-01-01T00:00:00Z","again":"2026-11-21T22:51:20.123Z","local":"2026-11-21T22:51:20.5+01:00"}"#.to_owned(),
        r#"< {"task_id":"b81xk2q7p","id":"b81xk2q7px","agentId":"a8bc5624929cd2503","taskId":"1","f":"/agent-a8bc5624929cd2503.jsonl"}"#.to_owned(),
    ];
    let stable = |number| format!("00000000-0000-4000-8000-{number:012}");
    let (one, two) = (stable(1), stable(2));
    let expected = [
        format!(r#"< {{"id":"{one}","other":"{two}","hook":"hook-{one}"}}"#),
        format!(r#"> {{"request_id":"{two}","mine":"req_1"}}"#),
        r#"< {"timestamp":"2026-01-01T00:00:00.000Z","at":"2026-01-01T00:00:01.000Z","again":"2026-01-01T00:00:00.000Z","local":"2026-01-01T00:00:02.000Z"}"#.to_owned(),
        r#"< {"task_id":"id0000001","id":"b81xk2q7px","agentId":"id0000002","taskId":"1","f":"/agent-id0000002.jsonl"}"#.to_owned(),
    ];
    assert_eq!(redacted(&Redactor::new(), &lines), expected);
    // A second redaction changes nothing.
    assert_eq!(redacted(&Redactor::new(), &expected[..3]), expected[..3]);
}

#[test]
fn numbers_that_differ_between_runs_are_replaced() {
    check(r#"{"retry_delay_ms":12.5}"#, r#"{"retry_delay_ms":500.25}"#);
    check(r#"{"pid":99,"duration_ms":12,"n":99}"#, r#"{"pid":4242,"duration_ms":1200,"n":99}"#);
    // Below an input, fields are the model's and stay.
    check(r#"{"input":{"pid":99}}"#, r#"{"input":{"pid":99}}"#);
    check(
        r#"{"subtype":"hook_callback","input":{"duration_ms":7,"tool_input":{"pid":1}}}"#,
        r#"{"subtype":"hook_callback","input":{"duration_ms":1200,"tool_input":{"pid":1}}}"#,
    );
}

#[test]
fn prose_is_redacted_and_our_words_stay() {
    let vendor = "This sentence was written by somebody else, and it is long enough to be a text.";
    check(&format!(r#"{{"content":"{vendor}"}}"#), r#"{"content":"<prose>"}"#);
    check(r#"{"content":"the words of our own script"}"#, r#"{"content":"the words of our own script"}"#);
    check(
        &format!(r#"{{"content":"{vendor}: the words of our own script\n{vendor}"}}"#),
        r#"{"content":"<prose>the words of our own script<prose>"}"#,
    );
    check(
        r#"{"description":"Short.","a":[{"argumentHint":"<x>"}]}"#,
        r#"{"description":"<prose>","a":[{"argumentHint":"<prose>"}]}"#,
    );
    check(
        r#"{"description":"","x":"[Request interrupted by user]"}"#,
        r#"{"description":"","x":"[Request interrupted by user]"}"#,
    );
    // Not every language has blanks, and neither has a list of files.
    for long in ["这句话是别人写的，".repeat(8), r"project/alpha.rs\nproject/beta.rs\n".repeat(3)] {
        check(&format!(r#"{{"content":"{long}"}}"#), r#"{"content":"<prose>"}"#);
    }
    // Data, a path and a regular expression of one word each.
    for long in ["QUJD".repeat(100), "/project/設計書".repeat(5), r"[^x]\\n".repeat(20)] {
        check(&format!(r#"{{"data":"{long}"}}"#), &format!(r#"{{"data":"{long}"}}"#));
    }
}

#[test]
fn no_pattern_needs_unicode_tables() {
    // The tests turn on features of `regex` that the crate alone does not.
    for source in [include_str!("../../src/redact/shapes.rs"), include_str!("../../src/replay/stand_ins.rs")]
    {
        let patterns = source.split("#[cfg(test)]").next().unwrap().replace(r"(?-u:\b)", "");
        let classes = [r"\d", r"\w", r"\s", r"\b", r"\p", "(?i)"];
        let found = classes.into_iter().find(|class| patterns.to_ascii_lowercase().contains(class));
        assert_eq!(found, None);
    }
}

#[test]
fn streamed_prose_is_redacted() {
    let words = ["This sentence was written by somebody else, ", "and it is long enough ", "to be a text."];
    for field in ["text", "thinking"] {
        let pieces = words.map(|piece| delta(field, piece));
        let after = redacted(&Redactor::new(), &pieces);
        assert_eq!(after, ["<prose>", "", ""].map(|piece| delta(field, piece)));
    }
    // A text may begin as the input of a tool does.
    let text = r#"{ "a": "short words", "b": "short words", "c": "short words", "d": "short words" }"#;
    let pieces = text.as_bytes().chunks(20).map(|piece| delta("text", &String::from_utf8_lossy(piece)));
    let after = redacted(&Redactor::new(), &pieces.collect::<Vec<_>>());
    assert_eq!(after, ["<prose>", "", "", "", ""].map(|piece| delta("text", piece)));
    let ours = words.map(|piece| delta("text", piece));
    let redactor = Redactor::new().own(words.concat());
    assert_eq!(redacted(&redactor, &ours), ours);
}

#[test]
fn redacted_session_without_a_version_can_be_written() {
    let session = Redactor::new().redact(&Transcript::from_json_lines("{}")).unwrap();
    assert_eq!(Transcript::parse(session.to_bytes().unwrap()).unwrap(), session);
}

#[test]
fn text_of_our_side_stays() {
    let ours = "A prompt of ours that is so long that it would be taken for prose if it were not ours.";
    let lines =
        [format!(r#"> {{"content":"{ours}"}}"#), format!(r#"< {{"content":"{ours}","echo":"1\t{ours}\n"}}"#)];
    assert_eq!(redacted(&Redactor::new(), &lines), lines);
}

#[test]
fn stderr_is_prose() {
    let session = redacted(&Redactor::new(), &["! at line 12 of a file", "! and more", "< {}", "! late"]);
    let prose = format!("{:?}", Entry::Stderr("<prose>".into()));
    assert_eq!(session, [prose.as_str(), "< {}", prose.as_str()]);
}

#[test]
fn lines_without_json_or_text_are_kept() {
    for line in [&b"{\"a\":"[..], b"plain \xff\xfe text", b"", b"{\"a\":\"\\ud800\"}", b"\r"] {
        let mut session = Transcript::default();
        session.entries = vec![Entry::Inbound(Bytes::copy_from_slice(line))];
        assert_eq!(Redactor::new().redact(&session).unwrap().entries, session.entries);
    }
}

#[test]
fn unclosed_brackets_take_linear_time() {
    // Each colour code opens a bracket.
    let [open, none] = ["\u{1b}[32mok\u{1b}[0m\n", "\u{1b}(32mok\u{1b}(0m\n"].map(|text| {
        let line = format!("> {}", json!({ "content": text.repeat(30_000) }));
        let start = cpu::time();
        assert_eq!(redacted(&Redactor::new(), std::slice::from_ref(&line)), [line]);
        cpu::time() - start
    });
    assert!(open < none * 12, "{open:?}, without brackets {none:?}");
}

/// Returns unusual JSON without anything to redact.
fn odd_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1.0e+05".to_owned()),
        Just("-0.0".to_owned()),
        Just("12345678901234567890123".to_owned()),
        "\"[a-z \\u{e4}\\u{1f600}]{0,20}\"",
        Just(r#""\u00e4\/\"\\ \ud83d\ude00""#.to_owned()),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[ {} ]", items.join(" ,"))),
            prop::collection::vec(("[a-z_]{1,12}", " {0,2}", inner), 0..4).prop_map(|fields| {
                let fields =
                    fields.iter().map(|(key, space, value)| format!("\"k{key}\"{space}:{space}{value}"));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn everything_else_stays_byte_for_byte(json in odd_json()) {
        let session = Transcript::from_json_lines(&json);
        let redacted = Redactor::new().path("/srv/agent", "/project").redact(&session).unwrap();
        prop_assert_eq!(redacted.entries, session.entries);
    }

    #[test]
    fn no_private_text_survives(
        uuid in "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        name in "[a-z]{4,10}",
        before in "[ :=(\"]{1,2}",
    ) {
        let secrets = [
            format!("/srv/agent/{name}"),
            format!("-srv-agent-{name}"),
            uuid,
            concat!("/ro", "ot/.").to_owned() + &name,
            "2026-11-21T22:51:20.123Z".to_owned(),
        ];
        let before = before.replace('"', "\\\"");
        for secret in &secrets {
            let line = format!("{{\"a\":\"x{before}{secret}\",\"{secret}\":1}}");
            let redactor = Redactor::new().path("/srv/agent", "/project");
            let redacted = redactor.redact(&Transcript::from_json_lines(&line)).unwrap();
            let text = String::from_utf8(redacted.inbound().next().unwrap().to_vec()).unwrap();
            prop_assert!(!text.contains(secret.as_str()), "{} in {}", secret, text);
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok());
        }
    }
}

#[test]
fn leftovers_are_reported() {
    // A stand-in that is itself private.
    let home = concat!("/ro", "ot/x");
    let redactor = Redactor::new().path("/srv/agent", home).path(home, "/srv/agent");
    let leftovers = redactor.redact(&session(&["< {\"a\":\"/srv/agent/b\"}"])).unwrap_err();
    assert_eq!(leftovers.found.len(), 1);
    assert!(leftovers.to_string().contains("left after the redaction"));
    // Lines of stderr are joined, but entries are numbered as in the original session.
    let lines = ["! a", "! b", "< {\"a\":\"/srv/agent/b\"}"];
    let leftovers = redactor.redact(&session(&lines)).unwrap_err();
    assert!(matches!(leftovers.found[..], [(2, _)]), "{leftovers}");
    assert_eq!(redactor.redact_with_report(&session(&lines)).0.header.redacted, Some(false));
    let pieces = [delta("text", "/srv/ag"), delta("text", "ent/b")];
    let leftovers = redactor.redact(&session(&pieces)).unwrap_err();
    assert_eq!(leftovers.found.len(), 1);
    // The letter before the id belongs to the path, so that the id is no word until the path is replaced.
    let pieces = [delta("text", "/srv/agent1b4e28ba-2fa1"), delta("text", "-41d2-883f-0016d3cca427")];
    let leftovers = Redactor::new().path("/srv/agent", "<home>").redact(&session(&pieces)).unwrap_err();
    assert_eq!(leftovers.found, [(0, "1b4e28ba-2fa1-41d2-883f-0016d3cca427".to_owned())]);
}
