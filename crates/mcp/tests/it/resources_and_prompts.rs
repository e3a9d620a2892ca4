//! Resources and prompts of a `Server`.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use agentwire_mcp::{
    Icon, Prompt, PromptArgument, PromptMessages, Resource, ResourceBody, ResourceTemplate, Server,
};
use serde_json::{Value, json};

use crate::cli::{Cli, cancelled, initialize};

pub(crate) fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

async fn built() -> Cli {
    let server = Server::new("s", "1")
        .title("Notes")
        .resource(Resource::new("note://all", "all"), async |uri| {
            assert_eq!(uri, "note://all");
            Ok::<_, &str>(ResourceBody::text("1, 2"))
        })
        .resource_template(ResourceTemplate::new("note://{id}", "note"), async |uri: String| match &*uri {
            "note://1" => Ok(ResourceBody::text("one")),
            "note://2" => panic!("two"),
            "note://\u{fffd}" => Ok(ResourceBody::text("replaced")),
            _ => Err("no such note"),
        })
        .prompt(
            Prompt::new("greet").description("Greets.").argument(PromptArgument::new("whom").required()),
            async |arguments| Ok::<_, &str>(PromptMessages::user(format!("Greet {}.", arguments["whom"]))),
        );
    Cli::serving(server).await
}

#[tokio::test]
async fn the_builder_offers_resources() {
    let mut cli = built().await;
    let hello = cli.rpc(initialize()).await["result"].take();
    assert_eq!(hello["capabilities"], json!({"prompts": {}, "resources": {}, "tools": {}}));
    assert_eq!(hello["serverInfo"]["title"], "Notes");
    let listed = cli.rpc(request("resources/list", json!({}))).await;
    assert_eq!(listed["result"]["resources"], json!([{"uri": "note://all", "name": "all"}]));
    let listed = cli.rpc(request("resources/templates/list", json!({}))).await;
    assert_eq!(
        listed["result"]["resourceTemplates"],
        json!([{"uriTemplate": "note://{id}", "name": "note"}])
    );
    let mut read = async |uri: &str| cli.rpc(request("resources/read", json!({"uri": uri}))).await;
    assert_eq!(read("note://all").await["result"]["contents"][0]["text"], "1, 2");
    assert_eq!(
        read("note://1").await["result"]["contents"],
        json!([{"uri": "note://1", "mimeType": "text/plain", "text": "one"}])
    );
    let error = |code: i32, message: &str| json!({"code": code, "message": message});
    assert_eq!(read("note://2").await["error"], error(-32603, "it panicked: two"));
    assert_eq!(read("note://3").await["error"], error(-32603, "no such note"));
    assert_eq!(read("other://3").await["error"], error(-32002, "there is no `other://3`"));
}

#[tokio::test]
async fn lone_surrogates_in_parameters_are_replaced() {
    let mut cli = built().await;
    cli.rpc(initialize()).await;
    let read = request("resources/read", json!({"uri": "note://LONE"}));
    let get = request("prompts/get", json!({"name": "greet", "arguments": {"whom": "LONE"}}));
    let mut answer = async |message: Value| {
        let request = json!({"subtype": "mcp_message", "server_name": "s", "message": message});
        let line = json!({"type": "control_request", "request_id": "one", "request": request}).to_string();
        cli.peer.write(format!("{}\n", line.replace("LONE", r"\ud83d"))).await.unwrap();
        cli.answer().await.1.unwrap()["mcp_response"].take()
    };
    assert_eq!(answer(read).await["result"]["contents"][0]["text"], "replaced");
    assert_eq!(answer(get).await["result"]["messages"][0]["content"]["text"], "Greet \"\u{fffd}\".");
}

#[tokio::test]
async fn a_read_that_is_cancelled_before_it_starts_runs_no_handler() {
    let reads = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&reads);
    let server = Server::new("s", "1").resource(Resource::new("note://all", "all"), move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        async { Ok::<_, &str>(ResourceBody::text("1")) }
    });
    let mut cli = Cli::serving(server).await;
    let read = || request("resources/read", json!({"uri": "note://all"}));
    cli.post_all(&[("read", read()), ("cancel", cancelled(1))]).await;
    let mut answers = [cli.answer().await, cli.answer().await].map(|(id, answer)| (id, answer.unwrap()));
    answers.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(answers[1].1["mcp_response"]["error"]["code"], -32800, "{answers:?}");
    assert_eq!(cli.rpc(read()).await["result"]["contents"][0]["text"], "1");
    assert_eq!(reads.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_resource_comes_before_the_templates_that_match_its_uri() {
    let body = |text: &'static str| move |_: String| async move { Ok::<_, &str>(ResourceBody::text(text)) };
    let server = Server::new("s", "1")
        .resource_template(ResourceTemplate::new("note://{+any}", "any"), body("any"))
        .resource(Resource::new("note://all", "all"), body("all"))
        .resource_template(ResourceTemplate::new("note://{id}", "note"), body("note"));
    let mut cli = Cli::serving(server).await;
    for (uri, expected) in [("note://all", "all"), ("note://1", "any")] {
        let read = cli.rpc(request("resources/read", json!({"uri": uri}))).await;
        assert_eq!(read["result"]["contents"][0]["text"], expected);
    }
}

#[tokio::test]
async fn the_builder_offers_prompts() {
    let mut cli = built().await;
    let listed = cli.rpc(request("prompts/list", json!({}))).await;
    let expected = json!([{"name": "greet", "description": "Greets.", "arguments": [{"name": "whom", "required": true}]}]);
    assert_eq!(listed["result"]["prompts"], expected);
    let mut get = async |params: Value| cli.rpc(request("prompts/get", params)).await;
    let greeted = get(json!({"name": "greet", "arguments": {"whom": "Ann"}})).await;
    assert_eq!(greeted["result"]["messages"][0]["content"]["text"], "Greet \"Ann\".");
    let error = |message: &str| json!({"code": -32602, "message": message});
    assert_eq!(get(json!({"name": "greet"})).await["error"], error("the prompt `greet` needs `whom`"));
    assert_eq!(get(json!({"name": "x"})).await["error"], error("no prompt is called `x`; known: `greet`"));
}

#[tokio::test]
async fn a_request_that_is_not_offered_or_does_not_fit_has_the_code_of_json_rpc() {
    let mut cli = built().await;
    let mut bare = Cli::serving(Server::new("s", "1")).await;
    let mut code = async |method: &str, params: Value| {
        let answer = cli.rpc(request(method, params.clone())).await;
        (answer["error"]["code"].as_i64(), bare.rpc(request(method, params)).await["error"]["code"].as_i64())
    };
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        assert_eq!(code(method, json!({})).await, (None, Some(-32601)), "{method}");
    }
    for method in ["initialize", "tools/call", "resources/read", "prompts/get"] {
        assert_eq!(code(method, json!({"name": 5})).await, (Some(-32602), Some(-32602)), "{method}");
    }
    for method in ["no/such", "completion/complete", "server/discover"] {
        assert_eq!(code(method, json!({})).await, (Some(-32601), Some(-32601)), "{method}");
    }
    assert_eq!(code("ping", Value::Null).await, (None, None));
}

#[tokio::test]
async fn an_unknown_version_of_mcp_is_answered_with_the_newest_known_one() {
    let mut cli = built().await;
    for (asked, answered) in [("2024-11-05", "2024-11-05"), ("2031-01-01", "2025-11-25")] {
        let hello = cli.rpc(request("initialize", json!({"protocolVersion": asked}))).await;
        assert_eq!(hello["result"]["protocolVersion"], answered);
    }
}

#[tokio::test]
async fn a_description_is_listed_with_every_field() {
    let icon = || Icon::new("https://a/b.png").mime_type("image/png").sizes(["48x48"]).theme("dark");
    let server = Server::new("s", "1")
        .icon(icon())
        .resource(Resource::new("a://b", "b").title("B").description("It.").field("size", 3), async |_| {
            Ok::<_, &str>(ResourceBody::bytes(b"foo").mime_type("image/png").field("_meta", json!({"a": 1})))
        })
        .prompt(
            Prompt::new("p").title("P").argument(PromptArgument::new("x").description("X.")),
            async |_| {
                Ok::<_, &str>(
                    PromptMessages::user("a")
                        .and_assistant("b")
                        .and("user", json!({"type": "audio"}))
                        .description("d"),
                )
            },
        );
    let mut cli = Cli::serving(server).await;
    let icons =
        json!([{"src": "https://a/b.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}]);
    assert_eq!(cli.rpc(initialize()).await["result"]["serverInfo"]["icons"], icons);
    let mut result = async |method: &str, params| cli.rpc(request(method, params)).await["result"].take();
    assert_eq!(
        result("resources/list", json!({})).await,
        json!({"resources": [{"uri": "a://b", "name": "b", "title": "B", "description": "It.", "size": 3}]})
    );
    assert_eq!(
        result("resources/read", json!({"uri": "a://b"})).await,
        json!({"contents": [{"uri": "a://b", "blob": "Zm9v", "mimeType": "image/png", "_meta": {"a": 1}}]})
    );
    assert_eq!(
        result("prompts/list", json!({})).await,
        json!({"prompts": [{"name": "p", "title": "P", "arguments": [{"name": "x", "description": "X."}]}]})
    );
    let text = |role, text| json!({"role": role, "content": {"type": "text", "text": text}});
    assert_eq!(
        result("prompts/get", json!({"name": "p"})).await,
        json!({"description": "d", "messages": [
            text("user", "a"), text("assistant", "b"), {"role": "user", "content": {"type": "audio"}},
        ]})
    );
}
