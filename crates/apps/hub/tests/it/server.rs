//! A server for the tests: a child process of this program with scripted answers and a log of its requests.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufRead, Write, stdin},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use agentwire_hub::{
    Hub, HubBuilder,
    config::{ServerConfig, Sources, Stdio},
};
use serde_json::{Value, json};

/// Returns a server named `test` with permission for every tool.
pub(crate) fn config() -> ServerConfig {
    let mut config = ServerConfig::new(program());
    config.always_allow = ["*"].into_iter().collect();
    config
}

/// Returns the same server with a time limit of calls.
pub(crate) fn limited_to(timeout: Duration) -> ServerConfig {
    let mut config = config();
    config.timeout = timeout;
    config
}

/// Returns the same server, which speaks 2026-07-28.
pub(crate) fn stateless() -> ServerConfig {
    let mut config = config();
    config.launch = started("export STATELESS=1").into();
    config
}

/// Returns the program of the server.
pub(crate) fn program() -> Stdio {
    started(":")
}

/// Returns the program of the server, which runs these commands of a shell first.
pub(crate) fn started(before: &str) -> Stdio {
    let mut program = Stdio::new("sh");
    let this = std::env::current_exe().unwrap();
    // The harness prints on stdout, so the wire is the third descriptor.
    let script = "exec 3>&1 1>/dev/null; exec \"$0\" server::serve --exact --ignored --nocapture";
    let script = format!("{before}; {script}");
    program.args = vec!["-c".to_owned(), script, this.to_str().unwrap().to_owned()];
    program
}

/// Returns a connected hub with that server.
pub(crate) async fn hub(config: ServerConfig, build: impl FnOnce(HubBuilder) -> HubBuilder) -> Hub {
    let sources = Sources::new().server("test", config);
    let hub = build(Hub::builder().sources(sources)).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    assert!(hub.catalog("test").unwrap().problems().next().is_none());
    hub
}

pub(crate) const LIMIT: Duration = Duration::from_secs(20);

#[test]
#[ignore = "the server of the other tests"]
fn serve() {
    let Ok(out) = File::options().write(true).open("/dev/fd/3") else { return };
    let is_stateless = std::env::var_os("STATELESS").is_some();
    let server = Arc::new(Server { out: Mutex::new(out), state: Mutex::default(), is_stateless });
    for line in stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if message["params"]["arguments"]["stopReading"] == true {
            loop {
                thread::park();
            }
        }
        match (message["method"].as_str(), message.get("id")) {
            (Some(_), Some(_)) => {
                let server = Arc::clone(&server);
                // Some calls take a while, and the others must not wait for them.
                thread::spawn(move || server.answer(&message));
            }
            (Some(method), None) => server.on_notification(method, &message["params"]),
            (None, _) => server.answered(&message),
        }
    }
}

pub(crate) const REFUSAL: &str = "not like this";

struct Server {
    out: Mutex<File>,
    state: Mutex<State>,
    is_stateless: bool,
}

#[derive(Default)]
struct State {
    client: Value,
    cancelled: Vec<Value>,
    added: Vec<Value>,
    added_prompts: Vec<Value>,
    added_resources: Vec<Value>,
    /// How long each method takes, in milliseconds.
    delays: Value,
    /// Whether it refuses the second page of tools.
    lacks_page: bool,
    asked: HashMap<i64, mpsc::Sender<Value>>,
    subscribed: Vec<Value>,
    /// The ids of the requests for streams of notifications.
    streams: Vec<Value>,
    /// The methods of its other notifications.
    notifications: Vec<String>,
    /// How often its tools were listed.
    listings: u64,
}

impl Server {
    fn send(&self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        // An error means that the reader is gone.
        let _ = self.out.lock().unwrap().write_all(line.as_bytes());
    }

    fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn on_notification(&self, method: &str, params: &Value) {
        if method == "notifications/cancelled" {
            self.state.lock().unwrap().cancelled.push(params.clone());
        } else {
            self.state.lock().unwrap().notifications.push(method.to_owned());
        }
    }

    fn answered(&self, answer: &Value) {
        let waiting = self.state.lock().unwrap().asked.remove(&answer["id"].as_i64().unwrap());
        waiting.unwrap().send(answer.clone()).unwrap();
    }

    fn answer(&self, request: &Value) {
        let params = &request["params"];
        let delay = self.state.lock().unwrap().delays[request["method"].as_str().unwrap()].as_u64();
        if let Some(delay) = delay {
            thread::park_timeout(Duration::from_millis(delay));
        }
        let has = |without: &str| std::env::var_os(without).is_none();
        let mut capabilities = json!({"tools": {"listChanged": has("NO_LIST_CHANGES")}, "prompts": {},
            "resources": {"subscribe": has("NO_SUBSCRIPTIONS")}});
        if has("NO_COMPLETIONS") {
            capabilities["completions"] = json!({});
        }
        let result = match request["method"].as_str().unwrap() {
            "server/discover" if self.is_stateless => Ok(json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
                "ttlMs": 0, "cacheScope": "private",
            })),
            "initialize" => {
                self.state.lock().unwrap().client = params.clone();
                Ok(json!({
                    "protocolVersion": params["protocolVersion"], "serverInfo": {"name": "test", "version": "1"},
                    "capabilities": capabilities,
                    "instructions": std::env::var("INSTRUCTIONS").unwrap_or("Be kind.".to_owned()),
                }))
            }
            "tools/list"
                if params["cursor"] == "2"
                    && (self.state.lock().unwrap().lacks_page || !has("NO_SECOND_PAGE")) =>
            {
                Err("too often")
            }
            "tools/list" => Ok(self.tools(&params["cursor"])),
            "tools/call" => match self.call(params) {
                Some(result) => result,
                None => return,
            },
            "prompts/list" => {
                let mut all = vec![json!({"name": "greet-all"})];
                all.extend(self.state.lock().unwrap().added_prompts.iter().cloned());
                Ok(json!({"prompts": all}))
            }
            "prompts/get" => Ok(json!({"messages": [{"role": "user", "content":
                {"type": "text", "text": format!("{} {}", params["name"], params["arguments"])}}]})),
            "resources/list" => {
                let mut all = vec![json!({"uri": "test://a", "name": "a"})];
                all.extend(self.state.lock().unwrap().added_resources.iter().cloned());
                Ok(json!({"resources": all}))
            }
            "resources/read" if params["uri"] == "test://none" => Err("there is no such resource"),
            "resources/read" => Ok(json!({"contents": [{"uri": params["uri"], "text": "x".repeat(100)},
                {"uri": "test://blob", "mimeType": "image/png", "blob": "A".repeat(100)}]})),
            "resources/subscribe" if params["uri"] == "test://none" => Err("there is no such resource"),
            "resources/subscribe" => {
                self.state.lock().unwrap().subscribed.push(params["uri"].clone());
                Ok(json!({}))
            }
            "resources/unsubscribe" => {
                self.state.lock().unwrap().subscribed.retain(|uri| *uri != params["uri"]);
                Ok(json!({}))
            }
            "subscriptions/listen" if self.is_stateless => {
                return self.listen(&request["id"], &params["notifications"]);
            }
            "completion/complete" => {
                let values = [&params["argument"]["value"], &params["_meta"]["x.y/z"]].into_iter();
                let values = values.filter(|value| value.is_string()).collect::<Vec<_>>();
                Ok(json!({"completion": {"values": values}}))
            }
            _ => Err("no such method"),
        };
        let mut answer = match result {
            Ok(result) => json!({"result": result}),
            Err(why) if params["arguments"]["elicitations"].is_array() => {
                json!({"error": {"code": -32042, "message": why, "data": params["arguments"]}})
            }
            Err(why) if self.is_stateless && why == REFUSAL => {
                let required = json!({"requiredCapabilities": {"sampling": {}}});
                json!({"error": {"code": -32021, "message": why, "data": required}})
            }
            Err(why) => json!({"error": {"code": -32601, "message": why, "data": {"id": request["id"]}}}),
        };
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = request["id"].clone();
        self.send(&answer);
    }

    /// Accepts a subscription, except to a resource that it does not have.
    fn listen(&self, id: &Value, wanted: &Value) {
        let mut accepted = wanted.clone();
        // The lock is held until the acknowledgement is sent: a test that sees the change knows that it was.
        let mut state = self.state.lock().unwrap();
        state.streams.push(id.clone());
        if let Some(uris) = accepted.get_mut("resourceSubscriptions").and_then(Value::as_array_mut) {
            state.subscribed = uris.clone();
            uris.retain(|uri| uri != "test://none");
        }
        let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
        let params = json!({"notifications": accepted, "_meta": meta});
        self.notify("notifications/subscriptions/acknowledged", &params);
    }

    /// Returns a page of tools, of two. Added tools are on the second page.
    fn tools(&self, cursor: &Value) -> Value {
        let tool = |name: &str, properties: Value, required: Value| {
            json!({"name": name, "inputSchema":
                {"type": "object", "properties": properties, "required": required, "additionalProperties": false}})
        };
        let any = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
        if cursor.is_null() {
            self.state.lock().unwrap().listings += 1;
            let text = json!({"text": {"type": "string"}});
            let file =
                json!({"path": {"type": "string"}, "lines": {"type": "array", "items": {"type": "integer"}}});
            return json!({"nextCursor": "2", "tools": [tool("echo", text, json!(["text"])),
                tool("read-file", file, json!(["path"])), any("give"), any("tick"), any("wait"), any("ask")]});
        }
        let mut tools: Vec<_> = ["received", "notify", "refuse", "die"].map(any).into();
        tools.extend(self.state.lock().unwrap().added.iter().cloned());
        json!({"tools": tools})
    }

    /// Calls a tool; returns `None` if the server does not answer.
    fn call(&self, params: &Value) -> Option<Result<Value, &'static str>> {
        let arguments = &params["arguments"];
        let text = |text: &str| Ok(json!({"content": [{"type": "text", "text": text}]}));
        Some(match params["name"].as_str().unwrap() {
            "echo" => text(arguments["text"].as_str().unwrap()),
            "read-file" => text(&params.to_string()),
            "give" if params["requestState"] == "silent" => return None,
            // In the second round, return the input.
            "give" if !params["inputResponses"].is_null() => text(&params["inputResponses"].to_string()),
            name if name.starts_with("give") => Ok(arguments.clone()),
            "tick" => {
                let token = &params["_meta"]["progressToken"];
                for number in 1..=arguments["times"].as_u64().unwrap() {
                    thread::park_timeout(Duration::from_millis(arguments["every"].as_u64().unwrap()));
                    let tick = json!({"progressToken": token, "progress": number, "message": format!("tick {number}")});
                    self.notify("notifications/progress", &tick);
                }
                text("done")
            }
            "wait" => return None,
            "ask" => {
                let id = arguments["id"].as_i64().unwrap_or(1);
                let (sender, answer) = mpsc::channel();
                self.state.lock().unwrap().asked.insert(id, sender);
                self.send(&json!({"jsonrpc": "2.0", "id": id, "method": arguments["method"], "params": arguments["params"]}));
                text(&answer.recv().unwrap().to_string())
            }
            "received" => {
                let State { client, cancelled, subscribed, streams, notifications, listings, .. } =
                    &*self.state.lock().unwrap();
                let received = json!({"client": client, "cancelled": cancelled, "subscribed": subscribed,
                    "streams": streams, "notifications": notifications, "listings": listings});
                text(&received.to_string())
            }
            "notify" => {
                if let Some(added) = arguments.get("add") {
                    let all = &mut self.state.lock().unwrap().added;
                    all.retain(|tool| tool["name"] != added["name"]);
                    all.push(added.clone());
                }
                let mut state = self.state.lock().unwrap();
                state.added_prompts.extend(arguments.get("addPrompt").cloned());
                state.added_resources.extend(arguments.get("addResource").cloned());
                state.delays = arguments["delays"].clone();
                state.lacks_page = arguments["lacksPage"] == true;
                drop(state);
                for _ in 0..arguments["times"].as_u64().unwrap_or(1) {
                    self.notify(arguments["method"].as_str().unwrap(), &arguments["params"]);
                }
                text("notified")
            }
            "refuse" => Err(REFUSAL),
            _ => std::process::exit(3),
        })
    }
}
