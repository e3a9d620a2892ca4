//! Tests of kernels that have exited or take no messages, and of notices.

use std::time::Duration;

use jupyter_protocol::{ClearOutput, ExecuteReply, ExecuteRequest, JupyterMessage, Status, StreamContent};
use rmcp::model::CallToolResult;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use zeromq::{SocketSend as _, ZmqMessage};

use super::{Call, run};
use crate::kernel::fake;
use crate::options::Options;
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
    call.drain(&mut kernel).await;
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
    let ran = run(kernel, execution, None, &Options::default(), &mut orders, &closing).await;
    assert_eq!(ran.outcome.content[0].as_text().unwrap().text, "[The server was ended while this ran.]");
}

#[tokio::test]
async fn code_that_clears_its_output_hides_no_notice() {
    let (kernel, mut sockets) = fake::kernel().await;
    let (_orders, mut orders) = mpsc::channel(1);
    let (reply, _outcome) = oneshot::channel();
    let execution = execution("clear_output()".to_owned(), reply);
    let (options, closing) = (Options::default(), CancellationToken::new());
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

fn execution(code: String, reply: oneshot::Sender<CallToolResult>) -> Execution {
    let (limit, cancelled) = (Duration::from_secs(60), CancellationToken::new());
    Execution { code, limit, generation: 0, cancelled, printed: mpsc::channel(1).0, reply }
}
