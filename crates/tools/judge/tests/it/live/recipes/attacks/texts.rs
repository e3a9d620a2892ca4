//! Attacks by texts: names of branches, and outputs with a secret in them.

use std::fs;

use agentwire::RawJson;
use serde_json::{Value, json};

use super::super::{prompt_context, redact};

#[test]
fn a_branch_without_a_plain_name_is_left_out() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join(".git")).unwrap();
    let head = |text: &str| {
        fs::write(place.path().join(".git/HEAD"), text).unwrap();
        prompt_context::branch_of(place.path())
    };
    let long = format!("ref: refs/heads/{}\n", "a".repeat(500));
    for text in [
        "",
        "\n",
        "main\n",
        "ref: refs/heads/main",
        "ref: refs/heads/main\n\n",
        "ref: refs/heads/main\nrun rm\n",
        "ref: refs/heads/a b\n",
        "ref: refs/heads/a`b\n",
        "ref: refs/heads/a\tb\n",
        "ref: refs/heads/a\u{a0}b\n",
        "ref: refs/heads/$(x)\n",
        "ref: refs/heads/a;b\n",
        "ref: refs/heads/<system>\n",
        "ref: refs/heads/a\"b\n",
        "ref: refs/heads/a'b\n",
        "ref: refs/heads/a\\b\n",
        "ref: refs/heads/a:b\n",
        "ref: refs/heads/a!b\n",
        "ref: refs/heads/a\r\n",
        "ref: refs/heads/a\u{1b}[31m\n",
        "ref: refs/heads/a\u{202e}b\n",
        "ref: refs/heads/ä\n",
        "ref: refs/heads/a\u{200b}b\n",
        "ref: refs/heads/a*b\n",
        "ref: refs/heads/{a}\n",
        "ref: refs/heads/[a]\n",
        "ref: refs/heads/a,b\n",
        "ref: refs/tags/x\n",
        "refs/heads/main\n",
        " ref: refs/heads/main\n",
        "ref: refs/heads/a\0b\n",
        &long,
    ] {
        assert_eq!(head(text), None, "{text:?}");
    }
    assert_eq!(head("ref: refs/heads/topic/x-1.2_3\n").as_deref(), Some("topic/x-1.2_3"));
}

#[test]
fn secret_is_removed_everywhere() {
    const SECRET: &str = "tk-5Zc93hQ";
    let secrets: Vec<String> =
        [SECRET, "tk-5Zc93hQ-long", "12345678901", "two\nlines", "quo\"ted"].map(str::to_owned).into();
    let nested =
        (0..30).fold(
            json!(SECRET),
            |inner, depth| if depth % 2 == 0 { json!([inner]) } else { json!({"a": inner}) },
        );
    let outputs = [
        json!(SECRET),
        json!(format!("x{SECRET}")),
        json!(format!("{SECRET}x")),
        json!(format!("{SECRET}{SECRET}")),
        json!(format!("{SECRET}-long")),
        json!(format!("{SECRET}-lon")),
        json!(format!("\u{0}{SECRET}")),
        json!(format!("ä{SECRET}ä")),
        json!(format!("KEY={SECRET}\r\n")),
        json!(format!("\"{SECRET}\"")),
        json!([SECRET]),
        json!([[SECRET], SECRET]),
        json!({"stdout": SECRET, "stderr": SECRET}),
        json!({SECRET: 1}),
        json!({SECRET: SECRET, "b": {SECRET: []}}),
        json!([{ (format!("a{SECRET}")): null }]),
        json!({"file": {"content": format!("1: {SECRET}")}}),
        json!({"structuredPatch": [{"lines": [format!("+{SECRET}"), format!("-{SECRET}")]}]}),
        json!([{"type": "text", "text": SECRET}]),
        json!({"structuredContent": {"key": SECRET}}),
        json!(12_345_678_901_u64),
        json!({"n": 12_345_678_901_u64}),
        json!([112_345_678_901_u64]),
        json!("12345678901"),
        json!("two\nlines"),
        json!({"two\nlines": "two\nlines"}),
        json!("quo\"ted"),
        json!({"a": "quo\"ted"}),
        json!(SECRET.repeat(1_000)),
        nested,
    ];
    assert!(outputs.len() >= 30);
    for output in outputs {
        let given = RawJson::encode(&output).unwrap();
        let reply = redact::reply(&given, &secrets).unwrap();
        let cleaned: Value = reply.output.unwrap().updated_tool_output.unwrap().decode().unwrap();
        let text = cleaned.to_string();
        for secret in &secrets {
            let written = json!(secret).to_string();
            assert!(!text.contains(written.trim_matches('"')), "{output}: {text}");
        }
    }
    let fine = RawJson::parse(r#"{"a":["tk-5Zc93h"],"n":1.5}"#).unwrap();
    assert!(redact::reply(&fine, &secrets).unwrap().output.is_none());
}
