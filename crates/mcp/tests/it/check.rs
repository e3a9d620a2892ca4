//! The check of a tool's input against the server's current list of tools.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use agentwire_mcp::{Outbox, Server, Tool, schemars::JsonSchema};
use agentwire_protocol::RawJson;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    cli::Cli,
    played::{Answer, Played},
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema matters")]
struct Point {
    x: i64,
    y: i64,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Move {
    #[expect(dead_code, reason = "only its schema matters")]
    to: Point,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema matters")]
struct Paint {
    on: Option<Point>,
    color: Option<Color>,
    with: Option<Brush>,
    shape: Shape,
    area: Option<Area>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Green,
}

/// The schema of an enum has a branch for each variant with a doc comment.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Brush {
    Round,
    /// A flat one.
    Flat,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema matters")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
    Line(Point),
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema matters")]
enum Area {
    Circle { radius: f64 },
    Square { side: f64 },
    Dot,
}

async fn start() -> (Cli, Arc<AtomicUsize>) {
    let ran = Arc::new(AtomicUsize::new(0));
    let runs = Arc::clone(&ran);
    let server = Server::new("s", "1").tool("move", "Moves.", move |_: Move, _| {
        runs.fetch_add(1, Ordering::Relaxed);
        async { "moved" }
    });
    (Cli::serving(server).await, ran)
}

/// The lines of an error result's text.
fn lines(result: &Value) -> Vec<&str> {
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(result["content"][0]["type"], "text");
    result["content"][0]["text"].as_str().unwrap().lines().collect()
}

#[tokio::test]
async fn a_good_input_reaches_the_tool() {
    let (mut cli, ran) = start().await;
    let result = cli.call("move", json!({"to": {"x": 1, "y": 2}})).await;
    assert_eq!(result, json!({"content": [{"type": "text", "text": "moved"}], "isError": false}));
    assert_eq!(ran.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn all_violations_are_listed_and_the_tool_does_not_run() {
    let (mut cli, ran) = start().await;
    let result = cli.call("move", json!({"to": {"x": "1", "tags": [true], "z": 0}})).await;
    let mut lines = lines(&result);
    assert_eq!(lines.remove(0), "The input does not match the schema of the tool `move`; it was not called.");
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "- /to/tags/0: true is not of type \"string\"",
            "- /to/x: \"1\" is not of type \"integer\"",
            "- /to: \"y\" is a required property",
            "- /to: Additional properties are not allowed ('z' was unexpected)",
        ]
    );
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn violations_of_an_option_or_an_enum_name_the_field_and_the_rule() {
    let server = Server::new("s", "1").tool("paint", "", async |_: Paint, _| ());
    let mut cli = Cli::serving(server).await;
    let mut call = async |field: &str, value: Value| {
        let mut input = json!({"shape": {"kind": "circle", "radius": 1.0}});
        input[field] = value;
        let result = cli.call("paint", input).await;
        let mut lines: Vec<_> = lines(&result)[1..].iter().map(|line| (*line).to_owned()).collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    assert_eq!(call("color", json!("blue")).await, r#"- /color: "blue" is not one of "red" or "green""#);
    assert_eq!(
        call("on", json!({"x": "1", "y": 1, "tags": ["x".repeat(200), true]})).await,
        "- /on/tags/1: true is not of type \"string\"\n- /on/x: \"1\" is not of type \"integer\""
    );
    // A field too many is no sign of another branch if there is no better one.
    assert_eq!(
        call("on", json!({"x": "1", "y": 1, "z": 0})).await,
        "- /on/x: \"1\" is not of type \"integer\"\n- /on: Additional properties are not allowed ('z' was unexpected)"
    );
    assert_eq!(
        call("on", json!(5)).await,
        "- /on: 5 is not of type \"null\"\n- /on: 5 is not of type \"object\""
    );
    assert_eq!(
        call("with", json!("fan")).await,
        "- /with: \"fan\" is not one of \"round\"\n- /with: \"flat\" was expected"
    );
    // The branches of other tags are left out.
    let side = r#"- /shape/side: "3" is not of type "number""#;
    assert_eq!(call("shape", json!({"kind": "square", "side": "3"})).await, side);
    let required = "- /shape: \"side\" is a required property";
    assert_eq!(call("shape", json!({"kind": "square"})).await, required);
    let tags = call("shape", json!({"kind": "star"})).await;
    assert!(tags.contains(r#"- /shape/kind: "circle" was expected"#), "{tags}");
    assert!(tags.contains(r#"- /shape/kind: "line" was expected"#), "{tags}");
    // The tag is a key.
    let side = r#"- /area/Square/side: "3" is not of type "number""#;
    assert_eq!(call("area", json!({"Square": {"side": "3"}})).await, side);
    let unknown = call("area", json!({"Sqare": {}})).await;
    assert!(unknown.contains("('Sqare' was unexpected)"), "{unknown}");
    assert!(unknown.contains(r#"- /area: "Square" is a required property"#), "{unknown}");
}

/// A server with the tool `t`, whose input has this field and the integer `z`.
async fn with_field(field: Value) -> Cli {
    let schema = json!({"properties": {"field": field, "z": {"type": "integer"}}, "required": ["z"]});
    let tool = Tool::with_schema("t", "", &RawJson::encode(&schema).unwrap(), async |_, _| ()).unwrap();
    Cli::serving(Server::new("s", "1").with(tool)).await
}

#[tokio::test]
async fn a_field_with_many_variants_hides_no_other_field() {
    let variants = |count| {
        let variant = |n| {
            let properties = json!({"kind": {"const": format!("k{n}")}, "a": {"type": "integer"}});
            json!({"type": "object", "properties": properties, "required": ["kind", "a"]})
        };
        json!({"oneOf": (0..count).map(variant).collect::<Vec<_>>()})
    };
    let other = "- /z: \"no\" is not of type \"integer\"";
    let mut cli = with_field(variants(12)).await;
    let mut call = async |field: Value| {
        let result = cli.call("t", json!({"field": field, "z": "no"})).await;
        let mut lines: Vec<_> = lines(&result)[1..].iter().map(|line| (*line).to_owned()).collect();
        lines.sort_unstable();
        lines
    };
    let required = |name| format!("- /field: \"{name}\" is a required property");
    assert_eq!(call(json!({})).await, [&required("a"), &required("kind"), other]);
    assert_eq!(call(json!("k1")).await, ["- /field: \"k1\" is not of type \"object\"", other]);
    assert_eq!(call(json!({"kind": "k7"})).await, [&required("a"), other]);
    let tags = call(json!({"kind": "k"})).await;
    let expected = |n| format!("- /field/kind: \"k{n}\" was expected");
    assert_eq!((tags.len(), &*tags[12]), (13, other));
    assert!((0..12).all(|n| tags.contains(&expected(n))), "{tags:?}");
    // More variants than lines.
    let mut cli = with_field(variants(25)).await;
    let result = cli.call("t", json!({"field": {"kind": "k"}, "z": "no"})).await;
    let lines = lines(&result);
    assert!(lines.contains(&other), "{lines:?}");
    assert_eq!((lines.len(), lines[21]), (22, "- and more"));
}

#[tokio::test]
async fn no_arguments_are_an_empty_object() {
    let (mut cli, ran) = start().await;
    let expected = "- the input itself: \"to\" is a required property";
    assert_eq!(lines(&cli.call("move", Value::Null).await)[1], expected);
    let bare = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "move"}});
    assert_eq!(lines(&cli.rpc(bare).await["result"])[1], expected);
    assert_eq!(
        lines(&cli.call("move", json!([1])).await)[1],
        "- the input itself: [1] is not of type \"object\""
    );
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_huge_input_is_not_quoted() {
    let (mut cli, _) = start().await;
    let result = cli.call("move", json!({"to": "x".repeat(100_000)})).await;
    assert_eq!(lines(&result)[1], "- /to: value is not of type \"object\"");
    let branches = vec![json!({"type": "string"}); 300];
    let mut strings = with_field(json!({"anyOf": branches})).await;
    let result = strings.call("t", json!({"field": {"x": "x".repeat(100_000)}, "z": 1})).await;
    assert_eq!(lines(&result)[1..], ["- /field: value is not of type \"string\""]);
    let many: Vec<_> = (0..1000).collect();
    let result = cli.call("move", json!({"to": {"x": 1, "y": 1, "tags": many}})).await;
    assert_eq!(lines(&result).len(), 22);
    assert_eq!(lines(&result)[21], "- and more");
}

/// The state of a server with a list of tools that the test sets.
#[derive(Default)]
struct Listing {
    pages: Mutex<Vec<Value>>,
    listed: AtomicUsize,
    outbox: Mutex<Option<Outbox>>,
}

impl Listing {
    fn set(&self, pages: &[Value]) {
        *self.pages.lock().unwrap() = pages.to_vec();
    }

    fn answer(&self, message: &Value, outbox: Outbox) -> Answer {
        *self.outbox.lock().unwrap() = Some(outbox);
        if message["method"] != "tools/list" {
            return Answer::Result(json!("called"));
        }
        self.listed.fetch_add(1, Ordering::Relaxed);
        let page: usize = message["params"]["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        let page = self.pages.lock().unwrap()[page].clone();
        if page.get("code").is_some() { Answer::Error(page) } else { Answer::Result(page) }
    }
}

async fn listing(pages: &[Value]) -> (Cli, Arc<Listing>) {
    let server = Arc::new(Listing::default());
    server.set(pages);
    let played = Arc::clone(&server);
    (Cli::serving(Played::new(move |message, outbox| played.answer(message, outbox))).await, server)
}

fn tool(name: &str, schema: Value) -> Value {
    json!({"name": name, "inputSchema": schema})
}

#[tokio::test]
async fn all_pages_are_read_once() {
    let number = json!({"type": "object", "properties": {"n": {"type": "number"}}});
    let (mut cli, server) = listing(&[
        json!({"tools": [tool("a", json!({"type": "object"}))], "nextCursor": "1"}),
        json!({"tools": [tool("b", number)]}),
    ])
    .await;
    for _ in 0..3 {
        assert_eq!(cli.call("b", json!({"n": 1})).await, "called");
        assert_eq!(
            lines(&cli.call("b", json!({"n": "1"})).await)[1],
            "- /n: \"1\" is not of type \"number\""
        );
    }
    assert_eq!(server.listed.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_changed_list_is_read_again() {
    let of = |kind: &str| json!({"tools": [tool("t", json!({"properties": {"n": {"type": kind}}}))]});
    let (mut cli, server) = listing(&[of("number")]).await;
    assert_eq!(cli.call("t", json!({"n": 1})).await, "called");
    server.set(&[of("string")]);
    assert_eq!(cli.call("t", json!({"n": 1})).await, "called");
    let outbox = server.outbox.lock().unwrap().clone().unwrap();
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    outbox.send(RawJson::encode(&changed).unwrap()).await.unwrap();
    assert_eq!(cli.server_message().await["message"], changed);
    assert_eq!(lines(&cli.call("t", json!({"n": 1})).await)[1], "- /n: 1 is not of type \"string\"");
    assert_eq!(server.listed.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn an_unlisted_tool_is_searched_for_once_more() {
    let (mut cli, server) = listing(&[json!({"tools": []})]).await;
    assert_eq!(cli.call("new", json!({"n": 1})).await, "called");
    server.set(&[json!({"tools": [tool("new", json!({"required": ["m"]}))]})]);
    assert_eq!(
        lines(&cli.call("new", json!({"n": 1})).await)[1],
        "- the input itself: \"m\" is a required property"
    );
}

#[tokio::test]
async fn a_tool_that_cannot_be_checked_is_not_called() {
    let (mut cli, server) = listing(&[json!({"code": -1, "message": "no list today"})]).await;
    let mut why = async |tool: &str| {
        let answer = cli.rpc(crate::cli::call(1, tool, json!({}))).await;
        answer["error"]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(why("t").await, "the server can't list its tools: no list today");
    server.set(&[json!({"tools": "none"})]);
    assert!(why("t").await.starts_with("the server's list of tools can't be read"));
    server.set(&[json!({"tools": [tool("t", json!({"type": 5}))]})]);
    assert!(why("t").await.starts_with("the input schema of the tool `t` can't be used"));
    server.set(&[json!({"tools": [tool("u", json!({"$ref": "http://127.0.0.1:1/x"}))]})]);
    assert!(why("u").await.starts_with("the input schema of the tool `u` can't be used"));
    server.set(&[json!({"tools": [], "nextCursor": "0"})]);
    assert_eq!(why("v").await, "the server's list of tools has more than 100 pages");
}
