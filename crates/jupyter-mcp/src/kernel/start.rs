//! Starting a kernel: a private connection file, free ports, the process, and the first answer.

use std::convert::Infallible;
use std::fs::{OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::time::Duration;

use agentwire_transport::process::{Grace, ProcessSource, ProcessTransport};
use agentwire_transport::{
    ByteSink as _, ByteSource as _, Connected, ExitReport, Transport as _, TransportError,
};
use jupyter_protocol::{ConnectionInfo, Transport};
use jupyter_zmq_client::{RuntimeError, peek_ports_with_listeners};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use super::{Channels, Kernel, Process, last_words};
use crate::kernelspec::{self, Found};
use crate::options::Options;

/// Why there is no kernel; the model reads it.
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
    #[error("the kernel did not answer within {} s", .0.as_secs_f64())]
    Silent(Duration),
    #[error("the kernel's sockets failed: {0}")]
    Sockets(RuntimeError),
    #[error("the start of the kernel was given up")]
    GivenUp,
}

impl Kernel {
    /// Starts the kernel that the options name, and waits until it answers.
    ///
    /// Where it is given up nothing is left of it once this returns; dropping the future ends it too, but waits not.
    pub(crate) async fn start(options: &Options, given_up: &CancellationToken) -> Result<Self, StartError> {
        let kernels = kernelspec::installed();
        let found = kernels.find(&options.kernel).ok_or_else(|| StartError::Unknown {
            name: options.kernel.clone(),
            installed: kernels.to_string(),
        })?;
        match start(found, options, given_up).await {
            // Someone took a port in the moment between us and the kernel.
            Err(StartError::Died(report)) if report.stderr_tail.contains("Address already in use") => {
                start(found, options, given_up).await
            }
            started => started,
        }
    }
}

async fn start(found: &Found, options: &Options, given_up: &CancellationToken) -> Result<Kernel, StartError> {
    let folder = private_folder().map_err(StartError::File)?;
    // Held until the kernel is there, so that nobody is given the same ports.
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
    // A kernel asks its client for input, never its stdin.
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
            Err(_late) => Err(StartError::Silent(options.start_limit)),
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

/// What is in it is for this user alone.
fn private_folder() -> io::Result<TempDir> {
    let private = Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("agentwire-jupyter-").permissions(private).tempdir()
}

/// Who can read the file can run code as this user: nobody else may, from its first moment on.
fn write_connection_file(folder: &TempDir, info: &ConnectionInfo) -> io::Result<PathBuf> {
    let path = folder.path().join("connection.json");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    file.write_all(&serde_json::to_vec(info)?)?;
    Ok(path)
}

/// What is printed beside the sockets is for nobody.
async fn discard(mut source: ProcessSource) {
    while let Ok(Some(_)) = source.read().await {}
}

/// Kernels are asked to end by a message; once that is over they get no more than a moment.
fn grace() -> Grace {
    Grace::default().after_input(Duration::ZERO).after_terminate(Duration::from_millis(500))
}
