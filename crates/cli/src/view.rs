//! `agentwire view`: a session as one HTML page.

mod serve;
mod source;

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use serde_json::json;

use crate::failure::{Failure, While as _};
use crate::output;
use source::Source;

/// Write a session as one HTML page
///
/// With --serve the page follows a running session: name its id, or the capture that grows.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A transcript, a capture of the CLI's output, or the id of a stored session, whose main conversation is shown from
    /// its last compaction on
    session: OsString,
    /// Where to write the page; NAME.html in this folder by default
    #[arg(short = 'o', long, value_name = "FILE", conflicts_with = "serve")]
    out: Option<PathBuf>,
    /// Serve the page, and show changes as they come
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:0")]
    serve: Option<SocketAddr>,
    /// The configuration folder with the stored session; CLAUDE_CONFIG_DIR or ~/.claude by default
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// Writes the page and prints its path, or serves it and prints its address.
pub fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let source = Source::find(&args.session, args.folder.as_deref())?;
    if let Some(address) = args.serve {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        return runtime.block_on(serve::serve(source, address, as_json));
    }
    let out = output::file_to_write(args.out.as_deref(), &format!("{}.html", source.title()))?;
    if source.is_file(&out) {
        return Err(Failure::new(format!(
            "{} is the session itself: name another file with -o",
            out.display()
        )));
    }
    let page = source.page()?;
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder).while_doing(|| format!("making {}", folder.display()))?;
    }
    let file = output::private().create(true).truncate(true).open(&out);
    let written = file.and_then(|mut file| file.write_all(page.as_ref()));
    written.while_doing(|| format!("writing {}", out.display()))?;
    if as_json {
        output::json(&json!({"page": out.display().to_string()}))
    } else {
        output::line(out.display())
    }
}
