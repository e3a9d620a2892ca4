//! A kernel for unit tests: a process that sleeps, and sockets to the test.

use std::convert::Infallible;
use std::time::Duration;

use agentwire_transport::process::{Launch, ProcessTransport};
use agentwire_transport::{ByteSink as _, Connected, Transport as _};
use jupyter_protocol::{ConnectionInfo, StreamContent, Transport};
use jupyter_zmq_client::{
    KernelControlConnection, KernelIoPubConnection, KernelShellConnection, create_kernel_control_connection,
    create_kernel_iopub_connection, create_kernel_shell_connection,
};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::{connection_info, discard, grace, private_folder};
use crate::kernel::{Channels, Kernel, Process};

/// The sockets of the kernel; dropping them closes its connections.
pub(crate) struct Sockets {
    pub(crate) iopub: KernelIoPubConnection,
    pub(crate) shell: KernelShellConnection,
    _control: KernelControlConnection,
}

/// Returns a kernel that receives what these sockets send.
pub(crate) async fn kernel() -> (Kernel, Sockets) {
    // Files, because another process can take a free port before it is bound.
    let folder = private_folder().unwrap();
    let ip = folder.path().join("socket").display().to_string();
    let info = ConnectionInfo { transport: Transport::IPC, ip, ..connection_info(&[1, 2, 3, 4, 5], "fake") };
    let mut sockets = Sockets {
        iopub: create_kernel_iopub_connection(&info, "kernel").await.unwrap(),
        shell: create_kernel_shell_connection(&info, "kernel").await.unwrap(),
        _control: create_kernel_control_connection(&info, "kernel").await.unwrap(),
    };
    let mut channels = Channels::connect(&info, "client").await.unwrap();
    // A subscription takes a while.
    while timeout(Duration::from_millis(20), channels.iopub.read()).await.is_err() {
        sockets.iopub.send(StreamContent::stdout("subscribed").into()).await.unwrap();
    }
    let (kept, gone) = oneshot::channel::<Infallible>();
    let launch = Launch::new("sleep").args(["1000"]);
    let transport = ProcessTransport::new(launch).grace(grace()).attach(kept);
    let Connected { source, mut sink, handle } = transport.open().await.unwrap();
    let _closed_already = sink.finish().await;
    let stdout = AbortOnDropHandle::new(tokio::spawn(discard(source)));
    let process = Process { handle, by_message: false, gone, _stdout: stdout };
    (Kernel { channels, info: None, language: String::new(), process }, sockets)
}
