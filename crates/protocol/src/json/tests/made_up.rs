//! Texts for the comparison: odd ones, made-up ones, and what changes them.

use proptest::prelude::*;

#[derive(Clone, Debug)]
pub(super) enum Change {
    Cut,
    Remove,
    Put(u8),
    Replace(u8),
}

pub(super) fn change() -> impl Strategy<Value = Change> {
    let byte = || {
        prop_oneof![
            4 => prop::sample::select(&b"\"\\{}[]:,0159.-+eEunlltrfasDd8cCbB/ \n\t\r\x00\x1f\x7f"[..]),
            1 => any::<u8>(),
        ]
    };
    prop_oneof![
        Just(Change::Cut),
        Just(Change::Remove),
        byte().prop_map(Change::Put),
        byte().prop_map(Change::Replace),
    ]
}

/// The text of any value, spaced in any way.
pub(super) fn json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        prop::sample::select(TEXTS).prop_map(str::to_owned),
        text(),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u8>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| serde_json::to_string(&number).unwrap()),
    ];
    let value = scalar.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..5), space())
                .prop_map(|(items, space)| format!("[{space}{}{space}]", items.join(&format!("{space},")))),
            (prop::collection::vec((key(), inner), 0..5), space()).prop_map(|(fields, space)| {
                let fields: Vec<_> =
                    fields.iter().map(|(key, value)| format!("{key}{space}:{space}{value}")).collect();
                format!("{{{space}{}{space}}}", fields.join(&format!(",{space}")))
            }),
        ]
    });
    (space(), value, space()).prop_map(|(before, value, behind)| before + &value + &behind)
}

fn space() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just(String::new()), 1 => "[ \n\t\r]{0,3}"]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(KEYS).prop_map(str::to_owned),
        1 => text(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>()
            .prop_map(|text| serde_json::to_string(&text).unwrap()[1..].trim_end_matches('"').to_owned()),
        prop::sample::select(ESCAPES).prop_map(str::to_owned),
        "[a-z ]{0,20}",
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

const KEYS: &[&str] = &[
    r#""a""#,
    r#""b""#,
    r#""c""#,
    r#""number""#,
    r#""""#,
    r#""\u0061""#,
    r#""7""#,
    r#""-1""#,
    r#""1.5""#,
    r#""01""#,
    r#""true""#,
    r#""false""#,
    r#""pair""#,
    r#""struct""#,
    r#""any""#,
];
const ESCAPES: &[&str] = &[
    r"\n",
    r"\u0000",
    r#"\""#,
    r"\\",
    r"\/",
    r"\ud83d\ude00",
    r"\ud83d",
    r"\ude00",
    r"\ud83dx",
    r"\ud83d\n",
    r"\ud83d\ud83d",
    r"\u00e9",
    r"\uD834\uDD1E",
    r"\x",
    r"\u12",
    r"\u12G4",
    r"\ué999",
    "\u{7f}",
    "é",
    "😀",
    "\n",
    "\u{1f}",
];
/// Values that are odd, and what is nearly one.
pub(super) const TEXTS: &[&str] = &[
    "null",
    "true",
    "false",
    "nul",
    "nulL",
    "trux",
    "falsy",
    "0",
    "-0",
    "-",
    "01",
    "-01",
    "00",
    "0.0",
    "-0.0",
    "1.",
    ".5",
    "+1",
    "1.5e",
    "1e+",
    "1e5",
    "1E-5",
    "1.25",
    "0e999999999999",
    "1e400",
    "-1e400",
    "1e-400",
    "1e2147483648",
    "0.1e99999999999x",
    "1.e5",
    "1.5.5",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "123456789012345678901234567890.5e-3",
    "340282366920938463463374607431768211455",
    "340282366920938463463374607431768211456",
    "-170141183460469231731687303715884105728",
    "3.4028236e38",
    "3.5e38",
    "16777217",
    "[]",
    "{}",
    "[,]",
    "{,}",
    "[1,]",
    r#"{"a":1,}"#,
    "[1 2]",
    r#"{"a" 1}"#,
    r#"{"a":1 "b":2}"#,
    "{1:2}",
    "{null:1}",
    r#"{"a"}"#,
    r#"{"a":}"#,
    "]",
    "}",
    "[}",
    "{]",
    "[1}",
    r#"{"a":1]"#,
    r#""""#,
    r#""\u0000""#,
    r#""\ud83d\ude00""#,
    r#""\ud83d""#,
    r#""\ude00""#,
    r#""\ud83d\n""#,
    r#""\ud83dx""#,
    r#""\ud83d\ud83d""#,
    r#""\x""#,
    r#""\u12g4""#,
    r#""\uéé""#,
    "\"\u{1f}\"",
    "\"\n\"",
    r#""é""#,
    r#""a\tb\nc""#,
    r#""\/""#,
    "'a'",
    "nan",
    "Infinity",
    "\u{feff}1",
    "\u{a0}1",
    "// 1",
    r#"{"a":"x","b":[ ],"c":[{"number":300}],"number":7,"":1}"#,
    r#"{"a":"x","a":"y"}"#,
    r#"{"a":null,"b":null}"#,
    r#"["x",null]"#,
    r#"["x",{},[],7,0.5]"#,
    r#""a""#,
    r#""b""#,
    r#""pair""#,
    r#""other""#,
    r#"{"b":7}"#,
    r#"{"b":7,"a":1}"#,
    r#"{"b":}"#,
    r#"{"pair":[7,"x"]}"#,
    r#"{"pair":[7]}"#,
    r#"{"struct":{"a":true}}"#,
    r#"{"struct":[true]}"#,
    r#"{"any":{"any":"a"}}"#,
    r#"{"any":null}"#,
    r#"{"a":null}"#,
    r#"{"a":1}"#,
    r#"{"other":1}"#,
    r#"{"7":1,"8":"x"}"#,
    r#"{"256":1}"#,
    r#"{"7 ":1}"#,
    r#"{"true":1,"false":0}"#,
    r#"{"truth":1}"#,
    r#"{"x":1}"#,
    r#"{"é":1}"#,
    "[7,1,2,3,4,5]",
    "[0.1,1e39]",
    "[255,256]",
];
pub(super) const PIECES: &[&str] = &[
    "{", "}", "[", "]", ":", ",", " ", "\n", "\"", "\\", "\"a\"", "\"b\":", "null", "true", "1", "-", "0",
    ".5", "e9", "\\u", "d83d", "\\ude00", "é", "\u{1}",
];
