//! Command-line arguments.

use std::str::FromStr;
use std::time::Duration;

use agentwire_jupyter_mcp::Options;

/// The request on the command line.
#[derive(Debug)]
pub(crate) enum Asked {
    Serve(Options),
    Kernels,
    Text(&'static str),
}

/// Parses the arguments after the program's name.
pub(crate) fn read(words: impl IntoIterator<Item = String>) -> Result<Asked, String> {
    let mut options = Options::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let (name, given) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let mut value =
            || given.clone().or_else(|| words.next()).ok_or_else(|| format!("`{name}` needs a value"));
        match name {
            "--help" | "-h" => return Ok(Asked::Text(USAGE)),
            "--version" | "-V" => return Ok(Asked::Text(env!("CARGO_PKG_VERSION"))),
            "--list-kernels" if given.is_none() => return Ok(Asked::Kernels),
            "--kernel" => options.kernel = value()?,
            "--folder" => options.folder = Some(value()?.into()),
            "--time-limit" => options.time_limit = seconds(name, &value()?)?,
            "--longest-time" => options.longest_time = seconds(name, &value()?)?,
            "--grace" => options.grace = seconds(name, &value()?)?,
            "--start-limit" => options.start_limit = seconds(name, &value()?)?,
            "--max-chars" => options.max_chars = number(name, &value()?)?,
            "--max-image-bytes" => options.max_image_bytes = number(name, &value()?)?,
            _ => return Err(format!("there is no option `{word}`")),
        }
    }
    Ok(Asked::Serve(options))
}

fn seconds(name: &str, value: &str) -> Result<Duration, String> {
    let seconds: f64 = number(name, value)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{name}` needs seconds, and `{value}` is none"))
}

fn number<N: FromStr>(name: &str, value: &str) -> Result<N, String> {
    value.parse().map_err(|_| format!("`{name}` needs a number, and `{value}` is none"))
}

pub(crate) const USAGE: &str = "\
An MCP server over standard input and output that runs code in a Jupyter kernel.

Usage: agentwire-jupyter-mcp [OPTIONS]

  --kernel NAME          the kernel to run [python3]
  --list-kernels         list the kernels that are installed, and end
  --folder PATH          where the kernel runs
  --time-limit SECONDS   how long a call may run that names no time [60]
  --longest-time SECONDS the longest time that a call may name [3600]
  --grace SECONDS        how long code that is interrupted may go on [5]
  --start-limit SECONDS  how long the kernel may take to start [60]
  --max-chars N          the most characters of one result [30000]
  --max-image-bytes N    the most bytes of images in one result, as base64 [5242880]
  --help, --version";

#[cfg(test)]
mod tests {
    use super::{Asked, read};

    fn words(line: &str) -> Result<Asked, String> {
        read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read() {
        let line = "--kernel ir --folder /tmp --time-limit=0.5 --longest-time 2 --grace 1 --start-limit 3 --max-chars 9 --max-image-bytes 8";
        let Ok(Asked::Serve(options)) = words(line) else { panic!("not served") };
        assert_eq!((options.kernel.as_str(), options.folder.as_deref()), ("ir", Some("/tmp".as_ref())));
        assert_eq!((options.time_limit.as_millis(), options.longest_time.as_secs()), (500, 2));
        assert_eq!((options.grace.as_secs(), options.start_limit.as_secs()), (1, 3));
        assert_eq!((options.max_chars, options.max_image_bytes), (9, 8));
        assert!(matches!(words("--list-kernels"), Ok(Asked::Kernels)));
    }

    #[test]
    fn invalid_arguments_are_named() {
        assert_eq!(words("--kernel").unwrap_err(), "`--kernel` needs a value");
        assert_eq!(words("--grace x").unwrap_err(), "`--grace` needs a number, and `x` is none");
        assert_eq!(words("--grace -1").unwrap_err(), "`--grace` needs seconds, and `-1` is none");
        assert_eq!(words("run").unwrap_err(), "there is no option `run`");
    }
}
