//! Options of the server.

use std::path::PathBuf;
use std::time::Duration;

/// The kernel and limits of a [`JupyterServer`](crate::JupyterServer).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JupyterOptions {
    /// The name of the kernel, as [`installed`](crate::installed) lists them; `python3` by default.
    pub kernel: String,
    /// The kernel's working directory; this process's own by default.
    pub folder: Option<PathBuf>,
    /// The time limit of calls that do not specify one, but at most `longest_time`; 60 seconds by default.
    pub time_limit: Duration,
    /// The maximum time limit of a call; an hour by default.
    pub longest_time: Duration,
    /// The grace period after an interrupt, before the kernel is killed; 5 seconds by default.
    ///
    /// The interrupt is repeated halfway, because some kernels lose an interrupt.
    pub grace: Duration,
    /// The time limit for starting a kernel; a minute by default.
    pub start_limit: Duration,
    /// The maximum text of a result in characters; 30,000 by default.
    pub max_chars: usize,
    /// The maximum size of the images in a result in bytes of base64; 5 MiB by default.
    pub max_image_bytes: usize,
}

impl Default for JupyterOptions {
    fn default() -> Self {
        Self {
            kernel: "python3".to_owned(),
            folder: None,
            time_limit: Duration::from_secs(60),
            longest_time: Duration::from_secs(3600),
            grace: Duration::from_secs(5),
            start_limit: Duration::from_secs(60),
            max_chars: 30_000,
            max_image_bytes: 5 * 1024 * 1024,
        }
    }
}
