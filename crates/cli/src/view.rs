//! `agentwire view`: a transcript as one HTML page.

use std::fs;
use std::path::{Path, PathBuf};

use agentwire_testkit::Transcript;

use crate::failure::{Failure, While as _};
use crate::output::line;

/// Writes a recorded session as one HTML page
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A transcript, or a capture of the output of the CLI
    transcript: PathBuf,
    /// Where to write the page; NAME.html in this folder by default
    #[arg(short = 'o')]
    out: Option<PathBuf>,
}

/// Writes the page, and prints its path.
///
/// Without `-o` it lies in the current folder, under the name of the transcript.
pub fn run(args: &Args) -> Result<(), Failure> {
    let file = &args.transcript;
    let out = args.out.clone().unwrap_or_else(|| place(file));
    write(file, &out)?;
    line(out.display())
}

/// Reads a transcript, or a bare capture of the CLI's output, and writes its page.
fn write(file: &Path, out: &Path) -> Result<(), Failure> {
    let bytes = fs::read(file).while_doing(|| format!("reading {}", file.display()))?;
    let session = Transcript::parse(bytes).while_doing(|| format!("reading {}", file.display()))?;
    let title = file.file_stem().unwrap_or_default().to_string_lossy();
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder).while_doing(|| format!("making {}", folder.display()))?;
    }
    fs::write(out, agentwire_viewer::page(&session, &title))
        .while_doing(|| format!("writing {}", out.display()))
}

fn place(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(".html");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::Args;

    #[test]
    fn writes_a_page_where_it_is_told_to() {
        let folder = tempfile::tempdir().unwrap();
        let (file, out) = (folder.path().join("a.jsonl"), folder.path().join("sub").join("b.html"));
        std::fs::write(&file, "{\"type\":\"later\"}\n").unwrap();
        super::run(&Args { transcript: file, out: Some(out.clone()) }).unwrap();
        assert!(std::fs::read_to_string(out).unwrap().contains("later"));
    }
}
