//! `cargo xtask view`: a transcript as one HTML page.

use std::fs;
use std::path::{Path, PathBuf};

use agentwire_testkit::Transcript;

use crate::args::Args;
use crate::failure::{Failure, While as _};
use crate::workspace;

/// `cargo xtask view FILE [-o OUT]`: writes the page, and says where.
///
/// Without `-o` it lies in `target/view/`, under the name of the transcript.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let out = args.option("-o")?;
    let names = args.names()?;
    let [name] = names.as_slice() else {
        return Err(Failure::new("one transcript, please: `cargo xtask view FILE [-o OUT]`"));
    };
    let file = Path::new(name);
    let out = out.map_or_else(|| place(file), |out| Ok(PathBuf::from(out)))?;
    write(file, &out)?;
    println!("{}", out.display());
    Ok(())
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

fn place(file: &Path) -> Result<PathBuf, Failure> {
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(".html");
    Ok(workspace::root()?.join("target").join("view").join(name))
}

#[cfg(test)]
mod tests {
    use crate::args::Args;

    #[test]
    fn writes_a_page_where_it_is_told_to() {
        let folder = tempfile::tempdir().unwrap();
        let (file, out) = (folder.path().join("a.jsonl"), folder.path().join("sub").join("b.html"));
        std::fs::write(&file, "{\"type\":\"later\"}\n").unwrap();
        let words = [file.display().to_string(), "-o".to_owned(), out.display().to_string()];
        super::run(Args::new(words)).unwrap();
        assert!(std::fs::read_to_string(out).unwrap().contains("later"));
        assert!(super::run(Args::new([])).is_err());
    }
}
