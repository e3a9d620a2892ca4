//! Which kernel the server runs, where, and within which limits.

use std::path::PathBuf;
use std::time::Duration;

/// What a [`JupyterServer`](crate::JupyterServer) runs, and its limits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The name of the kernel, as [`installed`](crate::installed) lists them; `python3` by default.
    pub kernel: String,
    /// Where the kernel runs; this process's own folder, where there is none.
    pub folder: Option<PathBuf>,
    /// How long a call may run that names no time of its own; 60 seconds by default.
    pub time_limit: Duration,
    /// The longest time that a call may name; an hour by default.
    pub longest_time: Duration,
    /// How long code that is interrupted may go on before the kernel is ended; 5 seconds by default.
    ///
    /// In the middle of it the code is interrupted once more, since some kernels lose an interrupt.
    pub grace: Duration,
    /// How long a kernel may take to start; a minute by default.
    pub start_limit: Duration,
    /// The most characters of text in one result; 30,000 by default.
    pub max_chars: usize,
    /// The most bytes of images in one result, as base64; 5 MiB by default.
    pub max_image_bytes: usize,
}

impl Default for Options {
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
