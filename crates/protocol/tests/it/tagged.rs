//! Every union, with its tag at any position, read in every way that serde offers.

use std::{collections::BTreeSet, fmt::Debug};

use agentwire_protocol::{
    Block, InboundRequest, Message, RawJson, System, Unknown,
    content::{
        AdvisorContent, BashCodeExecutionContent, BrowserChange, CacheControl, Caller, Citation,
        CodeExecutionContent, CodeOutput, DocumentSource, FallbackTrigger, ImageSource, TextEditorContent,
        ToolChange, ToolSearchContent, WebFetchContent, WebSearchFailure, WebSearchItem,
    },
    control::{Outcome, RequestUserDialogReply},
    hook::{AnyInput, RequestDecision},
    message::{CacheMissReason, ContextEdit, Delta, Event, InputTransformation, Origin, StopDetails},
    permission::{Decision, PermissionUpdate},
    tagged::Tagged,
    usage::{CreditStatus, Iteration},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    hook_events::inputs,
    messages::known_fixtures,
    tree::{Fields, Tree},
};

/// The requirements of the tests besides `Tagged`.
pub(crate) trait Union: Tagged + Serialize + DeserializeOwned + PartialEq + Debug {
    fn kind_text(&self) -> &str;
    fn as_unknown(&self) -> Option<&Unknown>;
    /// Returns at least one object per known kind: the kind and its fields as they are written, without tags.
    fn examples() -> Vec<Example>;
}

type Example = (String, Vec<(String, String)>);

/// Lines of a type name and one object of this type.
const EXAMPLES: &str = include_str!("tagged/unions.jsonl");

/// Implements [`Union`] for types, with examples from [`EXAMPLES`] and from fixtures.
macro_rules! unions {
    ($($name:ident $(from $fixtures:expr)?),* $(,)?) => {
        $(impl Union for $name {
            fn kind_text(&self) -> &str {
                self.kind()
            }
            fn as_unknown(&self) -> Option<&Unknown> {
                match self {
                    Self::Unknown(unknown) => Some(unknown),
                    _ => None,
                }
            }
            fn examples() -> Vec<Example> {
                let lines = EXAMPLES.lines().filter_map(|line| line.strip_prefix(concat!(stringify!($name), " ")));
                let texts = lines.map(str::to_owned)$(.chain($fixtures))?;
                texts.map(|text| example::<Self>(&text)).collect()
            }
        })*

        const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// Runs one check for every union.
        macro_rules! for_every_union {
            ($check:ident) => {{ $($check::<$name>();)* }};
        }
    };
}

unions! {
    AdvisorContent,
    AnyInput from inputs().into_values().flatten().map(|input| input.as_str().to_owned()),
    BashCodeExecutionContent, Block, BrowserChange, CacheControl, CacheMissReason, Caller, Citation,
    CodeExecutionContent, CodeOutput, ContextEdit, CreditStatus, Decision, Delta, DocumentSource, Event,
    FallbackTrigger, ImageSource, InboundRequest, InputTransformation, Iteration,
    Message from known_fixtures().map(|fixture| fixture.text),
    Origin, Outcome, PermissionUpdate, RequestDecision, RequestUserDialogReply, StopDetails,
    System from known_fixtures().filter(|fixture| fixture.folder.starts_with("system.")).map(|fixture| fixture.text),
    TextEditorContent, ToolChange, ToolSearchContent, WebFetchContent, WebSearchFailure, WebSearchItem,
}

#[test]
fn every_example_is_of_a_union() {
    for line in EXAMPLES.lines() {
        let (name, _) = line.split_once(' ').unwrap();
        assert!(NAMES.contains(&name), "{line}");
    }
}

#[test]
fn every_known_kind_has_an_example() {
    fn check<T: Union>() {
        let examples: BTreeSet<_> = T::examples().into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(examples, T::KINDS.iter().map(|kind| (*kind).to_owned()).collect());
    }
    for_every_union!(check);
}

#[test]
fn known_kind_reads_equal_with_its_tag_anywhere() {
    fn check<T: Union>() {
        for (kind, fields) in &T::examples() {
            let first: T = read(&object(fields, 0, T::TAG, &quoted(kind)));
            assert_eq!(first.kind_text(), kind);
            assert_eq!(first.as_unknown(), None, "{kind}");
            for at in 0..=fields.len() {
                let text = object(fields, at, T::TAG, &quoted(kind));
                assert_eq!(read::<T>(&text), first, "{text}");
                let doubled = format!("{},{}:\"other\"}}", text.strip_suffix('}').unwrap(), quoted(T::TAG));
                assert_eq!(read::<T>(&doubled), first, "the first tag counts: {doubled}");
            }
            let escaped = object(fields, fields.len(), &escape(T::TAG), &format!("\"{}\"", escape(kind)));
            assert_eq!(read::<T>(&escaped), first, "{escaped}");
        }
    }
    for_every_union!(check);
}

#[test]
fn known_kind_is_written_with_its_tag_first_and_reads_back_equal() {
    fn check<T: Union>() {
        for (kind, fields) in &T::examples() {
            let value: T = read(&object(fields, fields.len(), T::TAG, &quoted(kind)));
            let written = serde_json::to_string(&value).unwrap();
            let outer: Vec<_> = T::WITHIN.iter().copied().chain([(T::TAG, kind.as_str())]).collect();
            let Tree::Object(written_fields) = Tree::of(&written) else { panic!("{written}") };
            for (index, (tag, kind)) in outer.iter().enumerate() {
                assert_eq!(written_fields[index], ((*tag).to_owned(), Tree::Text((*kind).to_owned())));
            }
            assert_eq!(read::<T>(&written), value);
            for (name, value) in fields {
                let found =
                    written_fields.iter().find(|(written, _)| written == name).map(|(_, value)| value);
                assert_eq!(found.cloned().map(Tree::sorted), Some(Tree::of(value).sorted()), "{written}");
            }
        }
    }
    for_every_union!(check);
}

#[test]
fn unknown_kind_is_kept_to_the_byte() {
    fn check<T: Union>() {
        let odd: Vec<_> = ODD.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        for (kind, tag) in TAGS {
            for at in 0..=odd.len() {
                let text = object(&odd, at, T::TAG, tag);
                let value: T = read(&text);
                let unknown = value.as_unknown().unwrap_or_else(|| panic!("{text}"));
                assert_eq!(unknown.kind.as_deref(), *kind, "{text}");
                assert_eq!(value.kind_text(), kind.unwrap_or_default());
                assert_eq!(unknown.raw.as_str(), text);
                assert_eq!(serde_json::to_string(&value).unwrap(), text);
                assert_eq!(unknown.field::<RawJson>("a").unwrap().unwrap().as_str(), ODD[4].1);
                assert_eq!(unknown.field::<u8>("nothing").unwrap(), None);
                assert!(unknown.field::<u8>("s").is_err());
            }
        }
        let missing = "{\"x\":[1.10],\"x\":{}}";
        let value: T = read(missing);
        assert_eq!(
            value.as_unknown().map(|unknown| (unknown.kind.as_deref(), unknown.raw.as_str())),
            Some((None, missing))
        );
        assert_eq!(read::<T>("{}").as_unknown().map(|unknown| unknown.raw.as_str()), Some("{}"));
    }
    for_every_union!(check);
}

#[test]
fn spacing_and_escaped_names_do_not_change_the_value() {
    fn check<T: Union>() {
        let text = format!(
            "\n{{ \"n\\u0061me\" :\t[ 1,  2 ] , \"{}\":\"future\",\r\n \"q\\\"\": \"\\u00e9\" }} ",
            T::TAG
        );
        let value: T = read(&text);
        let unknown = value.as_unknown().unwrap();
        assert_eq!(Tree::of(unknown.raw.as_str()), Tree::of(&text));
        assert!(unknown.raw.as_str().contains("[ 1,  2 ]"), "a field's own text stays: {unknown:?}");
    }
    for_every_union!(check);
}

#[test]
fn value_that_is_not_an_object_is_an_error() {
    fn check<T: Union>() {
        for text in ["5", "null", "\"x\"", "[]", "[{}]", "true", "", "{", "{\"type\"", "{\"type\":}", "{}x"] {
            assert!(serde_json::from_str::<T>(text).is_err(), "{text}");
        }
    }
    for_every_union!(check);
}

#[test]
fn unknown_subtype_keeps_both_tags() {
    for (text, raw) in [
        (
            r#"{"type":"system","subtype":"later","a":1.10}"#,
            r#"{"type":"system","subtype":"later","a":1.10}"#,
        ),
        (r#"{"subtype":"later","a":1,"type":"system"}"#, r#"{"type":"system","subtype":"later","a":1}"#),
        (r#"{"a":1,"type":"system","b":2}"#, r#"{"type":"system","a":1,"b":2}"#),
        (r#"{"type":"system","subtype":7}"#, r#"{"type":"system","subtype":7}"#),
        (
            r#"{"type":"system","type":"again","subtype":"later"}"#,
            r#"{"type":"system","type":"again","subtype":"later"}"#,
        ),
    ] {
        let message: Message = read(text);
        assert_eq!(message.kind(), "system");
        let Message::System(System::Unknown(unknown)) = &message else { panic!("{message:?}") };
        assert_eq!(unknown.raw.as_str(), raw);
        assert_eq!(serde_json::to_string(&message).unwrap(), raw);
        assert_eq!(Tree::of(raw).sorted(), Tree::of(text).sorted());
    }
}

#[test]
fn inner_union_read_alone_keeps_the_object() {
    for text in [r#"{"type":"system","subtype":"later"}"#, r#"{"subtype":"later","type":"system"}"#, "{}"] {
        assert_eq!(read::<System>(text).as_unknown().unwrap().raw.as_str(), text);
    }
}

#[test]
fn raw_parts_are_kept_to_the_byte_at_every_depth() {
    let input = r#"{"n":12345678901234567890123, "f":1.10,"b":[ {} ],"a":"\/\u00e9","a":1e400}"#;
    for block in [
        format!(r#"{{"type":"tool_use","id":"t","name":"Bash","input":{input}}}"#),
        format!(r#"{{"id":"t","name":"Bash","input":{input},"type":"tool_use"}}"#),
    ] {
        let message = format!(r#"{{"content":[{block}],"id":"m","model":"x"}}"#);
        for line in [
            format!(r#"{{"type":"assistant","message":{message}}}"#),
            format!(r#"{{"message":{message},"type":"assistant"}}"#),
        ] {
            let Message::Assistant(assistant) = read(&line) else { panic!("{line}") };
            let [Block::ToolUse(tool_use)] = &*assistant.message.content else { panic!("{line}") };
            assert_eq!(tool_use.input.as_str(), input);
            let written = serde_json::to_string(&assistant).unwrap();
            assert!(written.contains(input), "{written}");
        }
    }
}

/// Reads `text` in every way, and checks that all agree.
pub(crate) fn read<T: Union>(text: &str) -> T {
    let value: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(serde_json::from_slice::<T>(text.as_bytes()).unwrap(), value, "{text}");
    assert_eq!(serde_json::from_reader::<_, T>(text.as_bytes()).unwrap(), value, "{text}");
    let list: Vec<T> = serde_json::from_str(&format!("[{text},{text}]")).unwrap();
    assert!(list.iter().all(|item| *item == value), "{text}");
    assert_eq!(agentwire_protocol::decode::decode::<T>(text).unwrap(), value, "{text}");
    // A `Value` keeps less than the text: compare with what it kept.
    if let Ok(kept) = serde_json::from_str::<Value>(text) {
        let reread: T = serde_json::from_str(&kept.to_string()).unwrap();
        assert_eq!(serde_json::from_value::<T>(kept.clone()).unwrap(), reread, "{text}");
        assert_eq!(T::deserialize(&kept).unwrap(), reread, "{text}");
    }
    value
}

/// The kind and the fields of one object of a known kind, such as a fixture.
fn example<T: Union>(text: &str) -> Example {
    let Fields(mut fields) = serde_json::from_str(text).unwrap();
    fields.retain(|(name, _)| T::WITHIN.iter().all(|(outer, _)| outer != name));
    let tag = fields.iter().position(|(name, _)| name == T::TAG).unwrap();
    let (_, kind) = fields.remove(tag);
    let fields = fields.into_iter().map(|(name, value)| (name, value.get().to_owned())).collect();
    (serde_json::from_str(kind.get()).unwrap(), fields)
}

/// An object of these fields, with the tag before the field at `at`.
fn object(fields: &[(String, String)], at: usize, tag: &str, kind: &str) -> String {
    let mut all = fields.to_vec();
    all.insert(at, (tag.to_owned(), kind.to_owned()));
    let fields: Vec<_> = all.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// The same text with its first letter written as an escape.
fn escape(text: &str) -> String {
    format!("\\u{:04x}{}", text.as_bytes()[0], &text[1..])
}

/// Tags that no union knows, with the kind that they stand for.
const TAGS: &[(Option<&str>, &str)] = &[
    (Some("future"), "\"future\""),
    (Some(""), "\"\""),
    (Some("a\"b\\"), r#""a\"b\\""#),
    (Some("\u{fffd}"), r#""\ud83d""#),
    (None, "5"),
    (None, "-1.10"),
    (None, "12345678901234567890123"),
    (None, "1e400"),
    (None, "null"),
    (None, "true"),
    (None, "[1,[2.50],\"x\"]"),
    (None, r#"{"b":1.0,"a":{},"a":[]}"#),
];

/// Fields that a careless reader would change.
const ODD: &[(&str, &str)] = &[
    ("z", "12345678901234567890123"),
    ("a", "1"),
    ("f", "1.10"),
    ("s", r#""\u00e9\/\ud83d""#),
    ("a", r#"{"y":[ ],"x":{"type":"text"}}"#),
];
