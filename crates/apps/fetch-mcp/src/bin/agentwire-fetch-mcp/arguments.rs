//! Command-line arguments.

use std::str::FromStr;
use std::time::Duration;

use agentwire_fetch_mcp::Options;

/// The request on the command line.
#[derive(Debug)]
pub(crate) enum Asked {
    Serve(Options),
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
            "--allow-private" if given.is_none() => options.allow_private = true,
            "--allow-address" => options.allowed_addresses.push(parsed(name, &value()?, "an address")?),
            "--max-bytes" => options.max_bytes = number(name, &value()?)?,
            "--max-redirects" => options.max_redirects = number(name, &value()?)?,
            "--time-limit" => options.time_limit = Duration::from_secs(number(name, &value()?)?),
            "--user-agent" => options.user_agent = value()?,
            _ => return Err(format!("there is no option `{word}`")),
        }
    }
    Ok(Asked::Serve(options))
}

fn number<N: FromStr>(name: &str, value: &str) -> Result<N, String> {
    parsed(name, value, "a number")
}

fn parsed<T: FromStr>(name: &str, value: &str, what: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("`{name}` needs {what}, and `{value}` is none"))
}

pub(crate) const USAGE: &str = "\
An MCP server over standard input and output, with one tool: fetch.

Usage: agentwire-fetch-mcp [OPTIONS]

  --allow-private      reach loopback, private and link-local addresses too
  --allow-address IP   reach this address, though it is not public; may be repeated
  --max-bytes N        the most bytes of one body, decompressed [5242880]
  --max-redirects N    the most redirects of one call [5]
  --time-limit SECONDS the most time for one call [30]
  --user-agent TEXT    what the server calls itself
  --help, --version";

#[cfg(test)]
mod tests {
    use super::{Asked, read};

    fn words(line: &str) -> Result<Asked, String> {
        read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read() {
        let Ok(Asked::Serve(options)) =
            words("--allow-private --allow-address ::1 --max-bytes=7 --time-limit 2 --max-redirects 0")
        else {
            panic!("not served");
        };
        assert!(options.allow_private);
        assert_eq!(options.allowed_addresses, ["::1".parse::<std::net::IpAddr>().unwrap()]);
        assert_eq!((options.max_bytes, options.time_limit.as_secs(), options.max_redirects), (7, 2, 0));
    }

    #[test]
    fn invalid_arguments_are_named() {
        assert_eq!(words("--max-bytes").unwrap_err(), "`--max-bytes` needs a value");
        assert_eq!(words("--max-bytes x").unwrap_err(), "`--max-bytes` needs a number, and `x` is none");
        assert_eq!(
            words("--allow-address=host").unwrap_err(),
            "`--allow-address` needs an address, and `host` is none"
        );
        assert_eq!(words("--allow-private=no").unwrap_err(), "there is no option `--allow-private=no`");
        assert_eq!(words("serve").unwrap_err(), "there is no option `serve`");
        assert!(matches!(words("--help"), Ok(Asked::Text(_))));
    }
}
