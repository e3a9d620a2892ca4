//! Starts a kernel: connection file, free ports, process, and handshake.

use std::convert::Infallible;
use std::fs::{OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::time::Duration;

use agentwire_transport::process::{Grace, ProcessSource, ProcessTransport};
use agentwire_transport::{
    ByteSink as _, ByteSource as _, Connected, ExitReport, PeerHandle as _, Transport as _, TransportError,
};
use jupyter_protocol::{ConnectionInfo, Transport};
use jupyter_zmq_client::{RuntimeError, peek_ports_with_listeners};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use super::{Channels, Kernel, Process, end_of_stderr, last_words};
use crate::kernelspec::{self, Found};
use crate::options::JupyterOptions;

/// The reason why a kernel can't be started; the model reads it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("there is no kernel `{name}`; installed are: {installed}")]
    Unknown { name: String, installed: String },
    #[error("the specification of the kernel `{0}` names no program")]
    NoProgram(String),
    #[error("the kernel's connection file could not be written: {0}")]
    File(io::Error),
    #[error("no ports are free for the kernel: {0}")]
    Ports(RuntimeError),
    #[error("the kernel could not be started: {0}")]
    Spawn(TransportError),
    #[error("the kernel ended while it started ({})", last_words(.0))]
    Died(ExitReport),
    #[error("the kernel did not answer within {} s{}", .limit.as_secs_f64(), end_of_stderr(.stderr))]
    Silent { limit: Duration, stderr: String },
    #[error("the kernel's sockets failed: {0}")]
    Sockets(RuntimeError),
    #[error("the start of the kernel was cancelled")]
    GivenUp,
}

impl Kernel {
    /// Starts the kernel that the options name, and waits until it replies.
    ///
    /// If the start is cancelled, the kernel and its files are gone when this returns. Dropping the future kills the kernel
    /// without waiting.
    pub(crate) async fn start(
        options: &JupyterOptions,
        given_up: &CancellationToken,
    ) -> Result<Self, StartError> {
        let kernels = kernelspec::installed();
        let found = kernels.find(&options.kernel).ok_or_else(|| StartError::Unknown {
            name: options.kernel.clone(),
            installed: kernels.to_string(),
        })?;
        match start(found, options, given_up).await {
            // Another process took a port before the kernel could bind it.
            Err(StartError::Died(report)) if report.stderr_tail.contains("Address already in use") => {
                start(found, options, given_up).await
            }
            started => started,
        }
    }
}

async fn start(
    found: &Found,
    options: &JupyterOptions,
    given_up: &CancellationToken,
) -> Result<Kernel, StartError> {
    let folder = private_folder().map_err(StartError::File)?;
    // The listeners are kept until the kernel starts, so that the system does not assign the same ports twice.
    let (ports, held) =
        peek_ports_with_listeners(IpAddr::V4(Ipv4Addr::LOCALHOST), 5).await.map_err(StartError::Ports)?;
    let info = connection_info(&ports, &options.kernel);
    let file = write_connection_file(&folder, &info).map_err(StartError::File)?;
    let mut launch = found.launch(&file).ok_or_else(|| StartError::NoProgram(options.kernel.clone()))?;
    launch.cwd.clone_from(&options.folder);
    let (kept, gone) = oneshot::channel::<Infallible>();
    let transport = ProcessTransport::new(launch).grace(grace()).attach((folder, kept));
    let Connected { source, mut sink, handle } = transport.open().await.map_err(StartError::Spawn)?;
    drop(held);
    let stdout = AbortOnDropHandle::new(tokio::spawn(discard(source)));
    let process = Process { handle, by_message: found.interrupts_by_message(), gone, _stdout: stdout };
    // Kernels ask the client for input and do not use their stdin.
    let _closed_already = sink.finish().await;
    let meeting = async {
        let mut channels = Channels::connect(&info, &Uuid::new_v4().to_string()).await?;
        let info = channels.shake_hands().await?;
        Ok((channels, info))
    };
    let met = tokio::select! {
        report = process.ended() => Err(StartError::Died(report)),
        () = given_up.cancelled() => Err(StartError::GivenUp),
        met = timeout(options.start_limit, meeting) => match met {
            Ok(Ok(met)) => Ok(met),
            Ok(Err(error)) => Err(StartError::Sockets(error)),
            Err(_late) => {
                Err(StartError::Silent { limit: options.start_limit, stderr: process.handle.stderr_tail() })
            }
        },
    };
    match met {
        Ok((channels, info)) => Ok(Kernel { channels, info, language: found.spec.language.clone(), process }),
        Err(error) => {
            process.kill().await;
            Err(error)
        }
    }
}

fn connection_info(ports: &[u16], kernel: &str) -> ConnectionInfo {
    let port = |at: usize| ports.get(at).copied().unwrap_or_default();
    ConnectionInfo {
        ip: Ipv4Addr::LOCALHOST.to_string(),
        transport: Transport::TCP,
        shell_port: port(0),
        iopub_port: port(1),
        stdin_port: port(2),
        control_port: port(3),
        hb_port: port(4),
        key: format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()),
        signature_scheme: "hmac-sha256".to_owned(),
        kernel_name: Some(kernel.to_owned()),
    }
}

/// Creates a folder that only this user can access.
fn private_folder() -> io::Result<TempDir> {
    let private = Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("agentwire-jupyter-").permissions(private).tempdir()
}

/// Creates the file with private permissions, because its key allows running code as this user.
fn write_connection_file(folder: &TempDir, info: &ConnectionInfo) -> io::Result<PathBuf> {
    let path = folder.path().join("connection.json");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    file.write_all(&serde_json::to_vec(info)?)?;
    Ok(path)
}

/// Discards output outside of the protocol.
async fn discard(mut source: ProcessSource) {
    while let Ok(Some(_)) = source.read().await {}
}

/// Kernels are shut down by a message, so the grace period is short.
fn grace() -> Grace {
    Grace::default().after_input(Duration::ZERO).after_terminate(Duration::from_millis(500))
}

#[cfg(test)]
pub(crate) mod fake;
