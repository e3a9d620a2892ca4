//! Tests of kernels that have exited or take no messages, of the order of messages, and of notices.

use std::time::Duration;

use jupyter_protocol::{
    ClearOutput, CommClose, CommId, CommMsg, ErrorOutput, ExecuteReply, ExecuteRequest, ExecuteResult,
    ExecutionCount, JupyterMessage, JupyterMessageContent, MediaType, ReplyError, ReplyStatus, Status,
    StreamContent,
};
use rmcp::model::CallToolResult;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use zeromq::{SocketSend as _, ZmqMessage};

use super::{Call, DRAIN_PAUSE, End, Events, run};
use crate::kernel::{Kernel, fake};
use crate::options::JupyterOptions;
use crate::output::Output;
use crate::worker::Execution;

#[tokio::test]
async fn unreadable_message_hides_no_later_output() {
    let (mut kernel, mut sockets) = fake::kernel().await;
    let request: JupyterMessage = ExecuteRequest::new("code".to_owned()).into();
    let second = Duration::from_secs(1);
    let mut call = Call::new(&request, Output::new(1_000, 0), mpsc::channel(1).0, second, second);
    sockets.iopub.socket.send(ZmqMessage::from("no message of Jupyter")).await.unwrap();
    sockets.iopub.send(StreamContent::stdout("later").as_child_of(&request)).await.unwrap();
    call.drain(&mut kernel, DRAIN_PAUSE).await;
    assert_eq!(call.unreadable, 1);
    let content = call.output.into_content(&[]);
    assert_eq!(content[0].as_text().unwrap().text, "later");
}

#[tokio::test]
async fn end_of_the_server_waits_for_no_kernel_that_takes_no_messages() {
    let (kernel, _sockets) = fake::kernel().await;
    let (_orders, mut orders) = mpsc::channel(1);
    let (reply, _outcome) = oneshot::channel();
    // More than the connection buffers.
    let execution = execution("x".repeat(32 << 20), reply);
    let closing = CancellationToken::new();
    closing.cancel();
    let ran = run(kernel, execution, None, &JupyterOptions::default(), &mut orders, &closing).await;
    assert_eq!(ran.outcome.content[0].as_text().unwrap().text, "[The server was ended while this ran.]");
}

#[tokio::test]
async fn code_that_clears_its_output_hides_no_notice() {
    let (kernel, mut sockets) = fake::kernel().await;
    let (_orders, mut orders) = mpsc::channel(1);
    let (reply, _outcome) = oneshot::channel();
    let execution = execution("clear_output()".to_owned(), reply);
    let (options, closing) = (JupyterOptions::default(), CancellationToken::new());
    let notice = Some("[The kernel had ended.]".to_owned());
    let running = run(kernel, execution, notice, &options, &mut orders, &closing);
    let answering = async {
        let request = sockets.shell.read().await.unwrap();
        sockets.iopub.send(ClearOutput { wait: false }.as_child_of(&request)).await.unwrap();
        sockets.iopub.send(Status::idle().as_child_of(&request)).await.unwrap();
        sockets.shell.send(ExecuteReply::default().as_child_of(&request)).await.unwrap();
    };
    let (ran, ()) = tokio::join!(running, answering);
    let texts: Vec<_> = ran.outcome.content.iter().map(|block| &*block.as_text().unwrap().text).collect();
    assert_eq!(texts, ["[The kernel had ended.]", "(no output)"]);
}

#[test]
fn output_widget_that_clears_its_part_keeps_the_rest() {
    let request = request();
    let print = |text| JupyterMessageContent::StreamContent(StreamContent::stdout(text));
    let clear = || JupyterMessageContent::ClearOutput(ClearOutput { wait: false });
    // As an `Output` of ipywidgets sends it.
    let state = |widget: &str, id: &str| {
        let data = json!({ "method": "update", "state": { "msg_id": id }, "buffer_paths": [] });
        let data = data.as_object().unwrap().clone();
        JupyterMessageContent::CommMsg(CommMsg { comm_id: CommId(widget.to_owned()), data })
    };
    let capture = |id: &str| state("one", id);
    let id = &request.header.msg_id;
    let inside = vec![print("before\n"), capture(id), clear(), print("inside")];
    let nested =
        vec![capture(id), print("before\n"), state("two", id), state("two", ""), clear(), print("inside")];
    let outside = vec![print("before\n"), capture(id), capture(""), clear(), print("outside")];
    // A widget that is closed while it captures reports no end of it.
    let close = CommClose { comm_id: CommId("one".to_owned()), ..CommClose::default() };
    let close = JupyterMessageContent::CommClose(close);
    let closed = vec![print("before\n"), capture(id), close, clear(), print("outside")];
    let elsewhere = vec![print("before\n"), capture("another request"), clear(), print("outside")];
    let inner = [inside, nested].map(|contents| (contents, "before\ninside"));
    let outer = [outside, closed, elsewhere].map(|contents| (contents, "outside"));
    for (contents, shown) in inner.into_iter().chain(outer) {
        let mut call = call(&request);
        contents.into_iter().for_each(|content| call.take(content));
        assert_eq!(call.output.into_content(&[])[0].as_text().unwrap().text, shown);
    }
}

#[test]
fn code_whose_end_is_not_reported_has_failed() {
    let mut call = call(&request());
    call.take(JupyterMessageContent::Status(Status::idle()));
    let outcome = call.outcome(&End::Finished);
    assert_eq!(text(&outcome), "[The kernel did not report how the code ended.]");
    assert_eq!(outcome.is_error, Some(true));
}

#[test]
fn error_is_shown_once_although_the_reply_overtakes_it() {
    let traceback = || vec!["ZeroDivisionError: division by zero".to_owned()];
    let error = ReplyError { traceback: traceback(), ..ReplyError::default() };
    let reply =
        ExecuteReply { status: ReplyStatus::Error, error: Some(Box::new(error)), ..ExecuteReply::default() };
    let output = ErrorOutput { traceback: traceback(), ..ErrorOutput::default() };
    for outputs in [vec![], vec![output]] {
        let mut call = call(&request());
        call.take(JupyterMessageContent::ExecuteReply(reply.clone()));
        outputs.into_iter().for_each(|output| call.take(JupyterMessageContent::ErrorOutput(output)));
        call.take(JupyterMessageContent::Status(Status::idle()));
        let outcome = call.outcome(&End::Finished);
        assert_eq!((text(&outcome), outcome.is_error), (traceback().concat(), Some(true)));
    }
}

#[tokio::test]
async fn code_that_has_ended_is_not_stopped_while_output_is_unread() {
    let (mut kernel, mut sockets) = fake::kernel().await;
    let ended = |request: &JupyterMessage| {
        vec![StreamContent::stdout("unread").as_child_of(request), Status::idle().as_child_of(request)]
    };
    // The limits of the call have expired when it begins.
    let mut call = called(&mut kernel, &mut sockets, ended).await;
    let end = followed(&mut call, &mut kernel).await;
    assert!(matches!(end, End::Finished));
    let outcome = call.outcome(&end);
    assert_eq!((text(&outcome), outcome.is_error), ("unread".to_owned(), Some(false)));
}

/// As Deno sends it.
#[tokio::test]
async fn result_that_follows_the_end_of_the_code_is_shown() {
    let (mut kernel, mut sockets) = fake::kernel().await;
    let ended = |request: &JupyterMessage| {
        let result = ExecuteResult::from((ExecutionCount::new(1), MediaType::Plain("2".to_owned())));
        vec![Status::idle().as_child_of(request), result.as_child_of(request)]
    };
    let mut call = called(&mut kernel, &mut sockets, ended).await;
    let end = followed(&mut call, &mut kernel).await;
    assert_eq!(text(&call.outcome(&end)), "2");
}

fn request() -> JupyterMessage {
    ExecuteRequest::new("code".to_owned()).into()
}

/// Returns a call of this request whose time limit and grace period are over.
fn call(request: &JupyterMessage) -> Call {
    Call::new(request, Output::new(1_000, 0), mpsc::channel(1).0, Duration::ZERO, Duration::ZERO)
}

/// Returns a call whose reply and outputs have arrived, and are unread.
async fn called(
    kernel: &mut Kernel,
    sockets: &mut fake::Sockets,
    outputs: impl FnOnce(&JupyterMessage) -> Vec<JupyterMessage>,
) -> Call {
    kernel.channels.shell.send(request()).await.unwrap();
    let request = sockets.shell.read().await.unwrap();
    sockets.shell.send(ExecuteReply::default().as_child_of(&request)).await.unwrap();
    sockets.iopub.send(StreamContent::stdout("first").into()).await.unwrap();
    for output in outputs(&request) {
        sockets.iopub.send(output).await.unwrap();
    }
    // The reply was sent before it, and the outputs with it.
    while !is_first(kernel.channels.iopub.read().await.unwrap().content) {}
    call(&request)
}

fn is_first(content: JupyterMessageContent) -> bool {
    matches!(content, JupyterMessageContent::StreamContent(output) if output.text == "first")
}

/// Follows a call to its end.
async fn followed(call: &mut Call, kernel: &mut Kernel) -> End {
    let (_orders, mut orders) = mpsc::channel(1);
    let (mut reply, _outcome) = oneshot::channel();
    let (cancelled, closing) = (CancellationToken::new(), CancellationToken::new());
    let events = Events { cancelled: &cancelled, reply: &mut reply, orders: &mut orders, closing: &closing };
    call.follow(kernel, events).await
}

fn text(outcome: &CallToolResult) -> String {
    outcome.content.iter().map(|block| &*block.as_text().unwrap().text).collect()
}

fn execution(code: String, reply: oneshot::Sender<CallToolResult>) -> Execution {
    let (limit, cancelled) = (Duration::from_secs(60), CancellationToken::new());
    Execution { code, limit, generation: 0, cancelled, printed: mpsc::channel(1).0, reply }
}
