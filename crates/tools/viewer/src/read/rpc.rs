//! MCP messages: paired by their JSON-RPC ids, in both directions.

use agentwire_protocol::control::McpMessage;
use serde_json::Value;

use super::{Reader, Way, control::value, messages::result_parts};
use crate::item::{Kind, Outcome};
use crate::part::{Look, Part, Place};

impl Reader<'_> {
    /// Reads a message in a request. An answer to an earlier message is shown with that message.
    pub(super) fn mcp_message(&mut self, way: Way, message: &McpMessage) -> usize {
        let rpc = value(&message.message);
        let server = message.server_name.to_string();
        let place = Place::new(self.line, "/request/message");
        let Some(method) = rpc["method"].as_str() else { return self.mcp_answer(way, &server, &rpc, &place) };
        let item = self.push(Kind::Mcp, crate::escape::beginning(method, 80));
        let from = if way == Way::In { "" } else { ", from the server" };
        let name = rpc["params"]["name"].as_str().map(|name| format!(" · {name}")).unwrap_or_default();
        self.items[item].note = format!("{server}{name}{from}");
        let about = &rpc["params"]["_meta"]["claudecode/toolUseId"];
        self.items[item].about = about.as_str().map(str::to_owned);
        let arguments = &rpc["params"]["arguments"];
        if arguments.is_object() && !self.known_input(item, arguments) {
            let place = place.key("params").key("arguments");
            self.items[item].parts = Part::of_value("arguments", arguments, &place);
        }
        match &rpc["id"] {
            Value::Null => {}
            id => drop(self.called.insert((way, server.clone(), id.to_string()), item)),
        }
        if method == "notifications/cancelled" {
            let id = rpc["params"]["requestId"].to_string();
            if let Some(call) = self.called.get(&(way, server, id)).copied() {
                self.items[call].outcome = Some(Outcome::plain("cancelled"));
                self.mention(call);
            }
        }
        item
    }

    fn mcp_answer(&mut self, way: Way, server: &str, rpc: &Value, place: &Place) -> usize {
        let call = self.called.get(&(way.other(), server.to_owned(), rpc["id"].to_string())).copied();
        let Some(call) = call else {
            let item = self.push(Kind::Mcp, "an answer to no known call");
            self.items[item].note = server.to_owned();
            self.items[item].parts = Part::of_value("message", rpc, place);
            return item;
        };
        self.add(call);
        let outcome = self.rpc_outcome(call, rpc, place);
        self.items[call].outcome = Some(outcome);
        call
    }

    /// Reads the reply to a request with a message.
    pub(super) fn mcp_reply(&mut self, item: usize, reply: &Value, place: &Place) -> Outcome {
        let rpc = &reply["mcp_response"];
        if self.items[item].title.starts_with("notifications/") || rpc.is_null() {
            return Outcome::plain("acknowledged");
        }
        self.rpc_outcome(item, rpc, &place.key("mcp_response"))
    }

    fn rpc_outcome(&mut self, item: usize, rpc: &Value, place: &Place) -> Outcome {
        let (error, at) = (&rpc["error"], place.key("error"));
        if !error.is_null() {
            let part = match error["message"].as_str() {
                Some(text) => Part::new(Look::Code, "error", text, at.key("message")),
                None => Part::new(Look::Code, "error", &error.to_string(), at),
            };
            self.part(item, part);
            return Outcome::bad("error");
        }
        let result = &rpc["result"];
        // Other results of a server stay in the frame: lists of tools are long.
        if result["content"].is_array() {
            for part in result_parts(&result["content"], &place.key("result").key("content")) {
                self.part(item, part);
            }
        }
        if result["isError"] == true { Outcome::bad("tool error") } else { Outcome::good("ok") }
    }
}
