//! Tests of the output of a kernel that has exited.

use std::time::Duration;

use jupyter_protocol::{ExecuteRequest, JupyterMessage, StreamContent};
use tokio::sync::mpsc;
use zeromq::{SocketSend as _, ZmqMessage};

use super::Call;
use crate::kernel::fake;
use crate::output::Output;

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
