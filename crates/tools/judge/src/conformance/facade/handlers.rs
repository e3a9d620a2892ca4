//! The callbacks of a session: each returns the recorded answer to its request.

use std::sync::Arc;

use agentwire::{
    Decision, RawJson, SessionBuilder,
    control::{CallContext, Reply, Responder},
    hooks::{AnyHook, HookContext, Hooks, Matcher, PermissionHandler},
    mcp::McpServers,
    protocol::{InboundRequest, control::HookFailure, hook::AnyInput},
};

use super::{super::play::Answer, book::Book, server::RecordedServer};
use agentwire_testkit::json::Json;

/// Gives the session its callbacks.
pub(super) fn install(builder: SessionBuilder, book: &Arc<Book>) -> SessionBuilder {
    let builder = builder.hooks(hooks(book)).mcp_servers(servers(book));
    let builder = if decisions_are_kept(book) { builder.permissions(permissions(book)) } else { builder };
    builder.responder(Recording(Arc::clone(book)))
}

/// Returns one hook for each recorded callback id, in order.
fn hooks(book: &Arc<Book>) -> Hooks {
    let declared = book.initialize.as_ref().and_then(|request| request.field("hooks"));
    let mut hooks = Hooks::new();
    for (event, matchers) in declared.map_or(&[][..], Json::fields) {
        for matcher in matchers.list() {
            for _ in matcher.field("hookCallbackIds").map_or(&[][..], Json::list) {
                let book = Arc::clone(book);
                // A callback that failed in the recording must fail here too, and not become a refusal.
                let pattern = matcher_of(matcher).on_failure(HookFailure::Continue);
                hooks = hooks
                    .on_named(event, pattern, move |event, context| hook(Arc::clone(&book), event, context));
            }
        }
    }
    hooks
}

fn matcher_of(declared: &Json) -> Matcher {
    declared.text_at(&["matcher"]).map_or_else(Matcher::any, Matcher::pattern)
}

/// Answers as recorded; the input of an event that is known must be readable as such.
async fn hook(book: Arc<Book>, event: AnyHook, context: HookContext) -> Answer {
    let read = event.decode::<AnyInput>();
    if let Err(error) = read {
        return Err(format!("the input of {} can't be read: {error}", event.name));
    }
    answered(&book, context.request_id.as_str(), context.cancelled.cancelled()).await
}

fn permissions(book: &Arc<Book>) -> PermissionHandler {
    let book = Arc::clone(book);
    PermissionHandler::new(move |_, context: CallContext| {
        let book = Arc::clone(&book);
        async move {
            let answer = answered(&book, context.request_id.as_str(), context.cancelled.cancelled()).await?;
            answer.decode::<Decision>().map_err(|error| error.to_string())
        }
    })
}

/// Returns whether a permission handler can return every recorded decision exactly.
fn decisions_are_kept(book: &Book) -> bool {
    let is_kept = |answer: &RawJson| {
        let decision = answer.decode::<Decision>().ok().and_then(|decision| RawJson::encode(&decision).ok());
        let read = |raw: &RawJson| Json::parse(raw.as_str().as_bytes());
        decision
            .as_ref()
            .and_then(read)
            .zip(read(answer))
            .is_some_and(|(ours, recorded)| ours.same(&recorded))
    };
    book.answers_to("can_use_tool").iter().flatten().all(is_kept)
}

/// Returns a server for each name that was declared, or that the CLI has sent messages to.
fn servers(book: &Arc<Book>) -> McpServers {
    let declared = book.initialize.as_ref().and_then(|request| request.field("sdkMcpServers"));
    let mut names: Vec<&str> = declared.map_or(&[][..], Json::list).iter().filter_map(Json::text).collect();
    names.extend(book.requests.iter().filter_map(|(read, _)| read.json.text_at(&["request", "server_name"])));
    // Each server once, because it takes its answers out of the book.
    names.sort_unstable();
    names.dedup();
    let serve =
        |servers: McpServers, name: &str| servers.with(name, RecordedServer::new(name, Arc::clone(book)));
    // The servers can return recorded answers only, so there is no manifest before the first request.
    names.into_iter().fold(McpServers::new().manifest_limit(None), serve)
}

/// Answers all requests without a handler of their own.
struct Recording(Arc<Book>);

impl Responder for Recording {
    fn respond(&self, _: InboundRequest, context: CallContext) -> Option<Reply> {
        let book = Arc::clone(&self.0);
        Some(Box::pin(async move {
            Ok(answered(&book, context.request_id.as_str(), context.cancelled.cancelled()).await?)
        }))
    }
}

/// Returns the recorded answer. Without one, waits until the request is cancelled or the session ends.
async fn answered(book: &Book, id: &str, cancelled: impl Future<Output = ()>) -> Answer {
    match book.answer(id) {
        Some(answer) => answer,
        None => {
            cancelled.await;
            Err("no answer was recorded".to_owned())
        }
    }
}
