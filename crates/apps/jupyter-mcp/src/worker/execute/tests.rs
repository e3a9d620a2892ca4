//! Tests of kernels that have exited or take no messages.

use std::time::Duration;

use jupyter_protocol::{ExecuteRequest, JupyterMessage, StreamContent};
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
    let execution = Execution {
        // More than the connection buffers.
        code: "x".repeat(32 << 20),
        limit: Duration::from_secs(60),
        generation: 0,
        cancelled: CancellationToken::new(),
        printed: mpsc::channel(1).0,
        reply,
    };
    let closing = CancellationToken::new();
    closing.cancel();
    let ran = run(kernel, execution, None, &Options::default(), &mut orders, &closing).await;
    assert_eq!(ran.outcome.content[0].as_text().unwrap().text, "[The server was ended while this ran.]");
}
