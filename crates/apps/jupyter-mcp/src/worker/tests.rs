//! Tests of the order of events between calls, and of calls that wait.

use std::sync::Arc;
use std::time::Duration;

use jupyter_protocol::{JupyterMessageContent, StreamContent};
use rmcp::model::CallToolResult;
use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{Execution, Job, Next, Order, Shared, WAITING, Worker};
use crate::kernel::{Kernel, fake};
use crate::options::JupyterOptions;

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
    let mut worker = worker(kernel, jobs_in, orders_in);
    assert!(matches!(worker.next().await, Next::Job(Job::Start(_))));
    let mut kernel = worker.kernel.take().unwrap();
    let unread = timeout(Duration::from_secs(5), kernel.channels.iopub.read()).await;
    unread.expect("the job waited for all output").unwrap();
}

#[tokio::test]
async fn call_that_waits_behind_the_loss_of_the_kernel_is_refused() {
    let (kernel, _sockets) = fake::kernel().await;
    kill_process(Pid::from_raw(kernel.process.id().cast_signed()).unwrap(), Signal::KILL).unwrap();
    let (_orders, orders_in) = mpsc::channel(WAITING);
    let mut worker = worker(kernel, mpsc::channel(WAITING).1, orders_in);
    let [(first, lost), (second, refused)] = [execution(), execution()];
    worker.execute(first).await;
    worker.execute(second).await;
    for (outcome, start) in [
        (lost, "[The kernel ended while this ran (signal 9"),
        (refused, "The kernel was restarted or ended before this call ran, and its state is gone"),
    ] {
        let outcome = outcome.await.unwrap();
        let text = &outcome.content[0].as_text().unwrap().text;
        assert!(outcome.is_error == Some(true) && text.starts_with(start), "{text}");
    }
}

fn worker(kernel: Kernel, jobs: mpsc::Receiver<Job>, orders: mpsc::Receiver<Order>) -> Worker {
    Worker {
        options: Arc::new(JupyterOptions::default()),
        jobs,
        orders,
        shared: Arc::new(Shared::default()),
        kernel: Some(kernel),
        notice: None,
    }
}

/// Returns code for the first kernel, and the receiver of its outcome.
fn execution() -> (Execution, oneshot::Receiver<CallToolResult>) {
    let (reply, outcome) = oneshot::channel();
    let (limit, cancelled, printed) = (Duration::from_secs(60), CancellationToken::new(), mpsc::channel(1).0);
    (Execution { code: "code".to_owned(), limit, generation: 0, cancelled, printed, reply }, outcome)
}

fn is_late(content: JupyterMessageContent) -> bool {
    matches!(content, JupyterMessageContent::StreamContent(output) if output.text == "late")
}
