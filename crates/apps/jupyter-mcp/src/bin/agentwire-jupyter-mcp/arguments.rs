//! Command-line arguments.

use std::path::PathBuf;
use std::time::Duration;

use agentwire_jupyter_mcp::JupyterOptions;
use clap::Parser;

/// An MCP server over standard input and output that runs code in a Jupyter kernel
#[derive(Debug, Parser)]
#[command(name = "agentwire-jupyter-mcp", version)]
pub(crate) struct Arguments {
    /// The kernel to run
    #[arg(long, value_name = "NAME", default_value_t = JupyterOptions::default().kernel)]
    kernel: String,
    /// List the installed kernels, and exit
    #[arg(long)]
    pub(crate) list_kernels: bool,
    /// The folder in which the kernel runs
    #[arg(long, value_name = "PATH")]
    folder: Option<PathBuf>,
    /// The time limit of calls that do not specify one [default: 60, or the maximum if that is less]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// The maximum time limit of a call
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "3600")]
    longest_time: Duration,
    /// The grace period after an interrupt, before the kernel is killed
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "5")]
    grace: Duration,
    /// The time limit for starting a kernel
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
    start_limit: Duration,
    /// The maximum text of one result, in characters
    #[arg(long, value_name = "N", default_value_t = JupyterOptions::default().max_chars)]
    max_chars: usize,
    /// The maximum size of the images in one result, in bytes of base64
    #[arg(long, value_name = "N", default_value_t = JupyterOptions::default().max_image_bytes)]
    max_image_bytes: usize,
}

impl Arguments {
    pub(crate) fn options(self) -> Result<JupyterOptions, String> {
        if let Some(limit) = self.time_limit.filter(|limit| *limit > self.longest_time) {
            let (limit, longest) = (limit.as_secs_f64(), self.longest_time.as_secs_f64());
            return Err(format!(
                "`--time-limit` is {limit} s, but `--longest-time` is {longest} s: raise it too"
            ));
        }
        let mut options = JupyterOptions::default();
        options.kernel = self.kernel;
        options.folder = self.folder;
        options.time_limit = self.time_limit.unwrap_or(options.time_limit);
        options.longest_time = self.longest_time;
        options.grace = self.grace;
        options.start_limit = self.start_limit;
        options.max_chars = self.max_chars;
        options.max_image_bytes = self.max_image_bytes;
        Ok(options)
    }
}

fn seconds(value: &str) -> Result<Duration, String> {
    let seconds: f64 = value.parse().map_err(|_| "it must be a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::Arguments;

    #[test]
    fn options_are_read() {
        let line = "agentwire-jupyter-mcp --kernel ir --folder /tmp --time-limit=0.5 --longest-time 2 --grace 1 --start-limit 3 --max-chars 9 --max-image-bytes 8";
        let options = Arguments::parse_from(line.split_whitespace()).options().unwrap();
        assert_eq!((options.kernel.as_str(), options.folder.as_deref()), ("ir", Some("/tmp".as_ref())));
        assert_eq!((options.time_limit.as_millis(), options.longest_time.as_secs()), (500, 2));
        assert_eq!((options.grace.as_secs(), options.start_limit.as_secs()), (1, 3));
        assert_eq!((options.max_chars, options.max_image_bytes), (9, 8));
    }

    #[test]
    fn without_arguments_the_options_are_the_defaults() {
        let options = Arguments::parse_from(["agentwire-jupyter-mcp"]).options().unwrap();
        assert_eq!(format!("{options:?}"), format!("{:?}", agentwire_jupyter_mcp::JupyterOptions::default()));
    }

    #[test]
    fn no_default_limit_is_above_the_maximum() {
        let options = |line: &str| Arguments::parse_from(line.split_whitespace()).options();
        let error = options("agentwire-jupyter-mcp --time-limit 7200").unwrap_err();
        assert_eq!(error, "`--time-limit` is 7200 s, but `--longest-time` is 3600 s: raise it too");
        assert_eq!(options("agentwire-jupyter-mcp --longest-time 10").unwrap().longest_time.as_secs(), 10);
        options("agentwire-jupyter-mcp --time-limit 7200 --longest-time 7200").unwrap();
    }

    #[test]
    fn negative_seconds_are_refused() {
        assert!(Arguments::try_parse_from(["agentwire-jupyter-mcp", "--grace=-1"]).is_err());
    }
}
