//! The transcript format, read and written.

use agentwire_testkit::{
    Argv, End, Header, Transcript,
    transcript::{Entry, ParseCause, WriteCause},
};
use bytes::Bytes;
use proptest::{collection::vec, option, prelude::*};

const EXAMPLE: &str = r#"# agentwire-transcript 1
# cli 2.1.330  recorded 2026-11-21  os linux  redacted yes  note none
$ ["--output-format", "stream-json"]
> {"type":"user"}

# a comment
~ 40ms
< {"type":"assistant"}
< 
! a warning
^ SIGINT
| end of input
= exit 0
= signal SIGKILL
"#;

#[expect(clippy::panic, reason = "a test fails by panicking, in its helpers too")]
fn check_error(text: &str, line: usize, message: &str) {
    let Err(error) = Transcript::parse(text) else { panic!("{text:?} was read") };
    assert_eq!(error.line, line, "{error}");
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn an_example_is_read() {
    let read = Transcript::parse(EXAMPLE).unwrap();
    assert_eq!(read.header.cli.as_deref(), Some("2.1.330"));
    assert_eq!(read.header.redacted, Some(true));
    assert_eq!(read.header.extra, [("note".into(), "none".into())]);
    assert_eq!(read.argv.as_ref().unwrap().args(), ["--output-format", "stream-json"]);
    let expected = [
        Entry::Outbound(Bytes::from_static(br#"{"type":"user"}"#)),
        Entry::Blank,
        Entry::Comment(Bytes::from_static(b"a comment")),
        Entry::Delay { millis: 40 },
        Entry::Inbound(Bytes::from_static(br#"{"type":"assistant"}"#)),
        Entry::Inbound(Bytes::new()),
        Entry::Stderr(Bytes::from_static(b"a warning")),
        Entry::Signal("SIGINT".into()),
        Entry::EndOfInput,
        Entry::End(End::Exit(0)),
        Entry::End(End::Signal("SIGKILL".into())),
    ];
    assert_eq!(read.entries, expected);
    assert_eq!((read.inbound().count(), read.outbound().count()), (2, 1));
}

#[test]
fn an_example_is_written_back_byte_for_byte() {
    let read = Transcript::parse(EXAMPLE).unwrap();
    assert_eq!(read.to_bytes().unwrap(), EXAMPLE.as_bytes());
}

#[test]
fn lines_need_not_be_utf8_and_keep_a_carriage_return() {
    let text = b"# agentwire-transcript 1\n< \xff\xfe\r\n! \x00\x80\n";
    let read = Transcript::parse(text).unwrap();
    assert_eq!(read.entries[0], Entry::Inbound(Bytes::from_static(b"\xff\xfe\r")));
    assert_eq!(read.to_bytes().unwrap(), text);
}

#[test]
fn errors_name_the_line_and_the_cause() {
    let head = "# agentwire-transcript 1\n";
    for (rest, line, message) in [
        ("< a\n% b\n", 3, "unknown sigil `%`"),
        ("<\n", 2, "no space after the sigil `<`"),
        ("< a", 2, "no line feed"),
        ("~ 1s\n", 2, "a time like `40ms`"),
        ("~ 040ms\n", 2, "a time like `40ms`"),
        ("^ TERM\n", 2, "a signal like `SIGTERM`"),
        ("= exit\n", 2, "`exit 0` or `signal SIGTERM`"),
        ("| eof\n", 2, "`end of input`"),
        ("< a\n$ []\n", 3, "directly after the header"),
        ("$ []\n$ []\n", 3, "directly after the header"),
        ("$ [1]\n", 2, "not a JSON list of strings"),
        ("# cli 1 os linux\n", 2, "two spaces"),
        ("# cli 1  os linux  recorded 2026-11-21\n", 2, "in the order"),
        ("# cli 1  redacted maybe\n", 2, "yes or no"),
    ] {
        check_error(&format!("{head}{rest}"), line, message);
    }
    check_error("", 1, "neither");
    check_error("hello\n", 1, "neither");
    check_error("{\"model\":\"haiku\"}\n", 1, "neither");
    let stored = r#"{"type":"user","uuid":"a","parentUuid":null,"isSidechain":false,"sessionId":"s"}"#;
    check_error(&format!("{{\"type\":\"summary\"}}\n{stored}\n"), 2, "agentwire-sessions");
    check_error("# agentwire-transcript 1.0\n", 1, "not a format version");
    check_error("# agentwire-transcript one\n", 1, "not a format version");
}

#[test]
fn a_newer_major_version_is_refused() {
    let error = Transcript::parse("# agentwire-transcript 2\n").unwrap_err();
    assert!(matches!(error.cause, ParseCause::Newer { .. }));
    assert_eq!(error.to_string(), "line 1: format version 2 is newer than 1, the newest that can be read");
}

#[test]
fn a_newer_minor_version_is_kept_as_it_is() {
    let text = "# agentwire-transcript 1.3\n# cli 1\tx\n% new\n~ 3 moons\n$ {}\n< known\n";
    let read = Transcript::parse(text).unwrap();
    assert_eq!(read.header.version.minor, 3);
    assert_eq!(read.entries[1], Entry::Unknown(Bytes::from_static(b"% new")));
    assert_eq!(read.entries[4], Entry::Inbound(Bytes::from_static(b"known")));
    assert_eq!(read.to_bytes().unwrap(), text.as_bytes());
}

#[test]
fn bare_json_lines_are_all_inbound() {
    let read = Transcript::parse("\u{feff}{\"a\":1}\n\nnoise\n{\"type\":\"later\"}").unwrap();
    let lines: Vec<&[u8]> = read.inbound().map(AsRef::as_ref).collect();
    assert_eq!(lines, [&b"\xef\xbb\xbf{\"a\":1}"[..], b"", b"noise", b"{\"type\":\"later\"}"]);
    let again = Transcript::parse(read.to_bytes().unwrap()).unwrap();
    assert_eq!(again, read);
    assert_eq!(Transcript::from_json_lines("noise\n").entries.len(), 1);
}

#[test]
fn unreadable_transcript_is_not_written() {
    let other = "it would not be read back the same";
    for (at, entry, cause) in [
        (0, Entry::Inbound(Bytes::from_static(b"two\nlines")), "a line feed: write each line as an entry"),
        (0, Entry::Signal("TERM".into()), "expected a signal like `SIGTERM`"),
        (0, Entry::Comment(Bytes::from_static(b"cli 1.2")), other),
        (0, Entry::Unknown(Bytes::from_static(b"% new")), "unknown sigil `%`"),
        (1, Entry::Unknown(Bytes::from_static(b"< known")), other),
    ] {
        let mut entries = vec![Entry::Blank; at];
        entries.extend([entry.clone(), Entry::Blank]);
        let error = Transcript::new(Header::default(), None, entries).to_bytes().unwrap_err();
        assert_eq!(error.entry, Some(at), "{entry:?}");
        assert!(error.cause.to_string().contains(cause), "{error:?}");
    }
    let mut header = Header::of_cli("1");
    header.recorded = Some("2026-11-30 10:15".into());
    for header in [Header::of_cli("two words"), Header::of_cli("two\nlines"), header] {
        let error = Transcript::new(header, None, vec![Entry::Blank]).to_bytes().unwrap_err();
        assert!(matches!((error.entry, &error.cause), (None, WriteCause::Unreadable(_))), "{error:?}");
    }
    let error = Transcript::new(Header::of_cli("two words"), None, Vec::new()).to_bytes().unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("each is a name, a space and a value"), "{cause}");
    let mut header = Header::default();
    header.os = Some("linux".into());
    let error = Transcript::new(header, None, Vec::new()).to_bytes().unwrap_err();
    assert_eq!(error.to_string(), "the header cannot be written");
}

#[test]
fn fault_after_many_entries_is_found_in_linear_time() {
    let mut entries = vec![Entry::Inbound(Bytes::from_static(b"{}")); 50_000];
    entries.push(Entry::Signal("TERM".into()));
    let error = Transcript::new(Header::default(), None, entries).to_bytes().unwrap_err();
    assert_eq!(error.entry, Some(50_000));
}

fn word() -> impl Strategy<Value = Box<str>> {
    "[a-zA-Z0-9.ü-]{1,12}".prop_map(Into::into)
}

fn line() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>().prop_filter("a line feed ends a line", |byte| *byte != b'\n'), 0..40)
        .prop_map(Bytes::from)
}

fn header() -> impl Strategy<Value = Header> {
    (word(), option::of(word()), option::of(word()), option::of(any::<bool>())).prop_map(
        |(cli, recorded, os, redacted)| {
            let mut header = Header::of_cli(cli);
            (header.recorded, header.os, header.redacted) = (recorded, os, redacted);
            header
        },
    )
}

fn entry() -> impl Strategy<Value = Entry> {
    let signal = || "SIG[A-Z0-9]{1,6}".prop_map(Box::<str>::from);
    prop_oneof![
        line().prop_map(Entry::Outbound),
        line().prop_map(Entry::Inbound),
        line().prop_map(Entry::Stderr),
        line().prop_map(Entry::Comment),
        signal().prop_map(Entry::Signal),
        signal().prop_map(|name| Entry::End(End::Signal(name))),
        any::<i32>().prop_map(|code| Entry::End(End::Exit(code))),
        any::<u64>().prop_map(|millis| Entry::Delay { millis }),
        Just(Entry::EndOfInput),
        Just(Entry::Blank),
    ]
}

proptest! {
    #[test]
    fn written_transcript_is_read_back(
        header in header(),
        argv in option::of(vec(".{0,12}", 0..4).prop_map(Argv::new)),
        entries in vec(entry(), 0..12),
    ) {
        let transcript = Transcript::new(header, argv, entries);
        let text = transcript.to_bytes().unwrap();
        prop_assert_eq!(&Transcript::parse(&text).unwrap(), &transcript);
    }

    #[test]
    fn transcript_is_written_back_byte_for_byte(
        minor in 0_u32..3,
        lines in vec(prop_oneof![
            vec(any::<u8>(), 0..20),
            "[><|^!~=#$%] [ -~]{0,12}".prop_map(String::into_bytes),
            "(# cli 1  os linux|\\$ \\[ \"a\"\\]|= exit -?[0-9]|~ [0-9]ms|\\| end of input)".prop_map(String::into_bytes),
        ], 0..8),
    ) {
        let version = if minor == 0 { "1".to_owned() } else { format!("1.{minor}") };
        let mut text = format!("# agentwire-transcript {version}\n").into_bytes();
        for line in lines {
            text.extend_from_slice(&line);
            text.push(b'\n');
        }
        if let Ok(read) = Transcript::parse(&text) {
            prop_assert_eq!(read.to_bytes().unwrap(), text);
        }
    }
}
