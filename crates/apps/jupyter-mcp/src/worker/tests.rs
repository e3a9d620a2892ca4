//! Tests of the order of events between calls.

use std::sync::Arc;
use std::time::Duration;

use jupyter_protocol::{JupyterMessageContent, StreamContent};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::{Job, Next, Shared, WAITING, Worker};
use crate::kernel::fake;
use crate::options::Options;

#[tokio::test]
async fn output_between_calls_delays_no_job() {
    let (mut kernel, mut sockets) = fake::kernel().await;
    for _ in 0..100 {
        sockets.iopub.send(StreamContent::stdout("late").into()).await.unwrap();
    }
    // The others were sent with the one that arrives first.
    while !is_late(kernel.channels.iopub.read().await.unwrap().content) {}
    let (jobs, jobs_in) = mpsc::channel(WAITING);
    let (_orders, orders_in) = mpsc::channel(WAITING);
    let (reply, _started) = oneshot::channel();
    jobs.send(Job::Start(reply)).await.unwrap();
    let mut worker = Worker {
        options: Arc::new(Options::default()),
        jobs: jobs_in,
        orders: orders_in,
        shared: Arc::new(Shared::default()),
        kernel: Some(kernel),
        notice: None,
    };
    assert!(matches!(worker.next().await, Next::Job(Job::Start(_))));
    let mut kernel = worker.kernel.take().unwrap();
    let unread = timeout(Duration::from_secs(5), kernel.channels.iopub.read()).await;
    unread.expect("the job waited for all output").unwrap();
}

fn is_late(content: JupyterMessageContent) -> bool {
    matches!(content, JupyterMessageContent::StreamContent(output) if output.text == "late")
}
