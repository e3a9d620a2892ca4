//! The initial corpus, written at each run: recordings and fixtures, and the folder `seeds` of the fuzz targets.

use std::fs;
use std::path::Path;

use crate::failure::{Failure, While as _};
use crate::workspace;

/// Writes the seeds of a target beside what earlier runs found worth keeping, and returns their number.
pub(super) fn write(root: &Path, target: &str, corpus: &Path) -> Result<usize, Failure> {
    fs::create_dir_all(corpus)?;
    let seeds = match target {
        "lines" => streams(root)?,
        "message" => messages(root)?,
        _ => {
            let folder = root.join("crates/tools/fuzz/seeds").join(target);
            workspace::files(&folder, &[])?.iter().map(|path| read(path)).collect::<Result<_, _>>()?
        }
    };
    for (number, seed) in seeds.iter().enumerate() {
        fs::write(corpus.join(format!("seed-{number:05}")), seed)?;
    }
    Ok(seeds.len())
}

/// Each recorded session as a stream, after two bytes that determine its limit and how it is cut.
fn streams(root: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let mut streams = Vec::new();
    for path in workspace::files(&root.join("fixtures/sessions"), &["transcript"])? {
        let mut stream = vec![1, 37];
        for line in inbound(&read(&path)?) {
            if stream.len() + line.len() < LONGEST {
                stream.extend_from_slice(line);
                stream.push(b'\n');
            }
        }
        streams.push(stream);
    }
    for path in workspace::files(&root.join("crates/codec/fixtures/framing"), &[])? {
        streams.push([&[1, 37], &read(&path)?[..]].concat());
    }
    Ok(streams)
}

/// Each recorded line, and each fixture of a message.
fn messages(root: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let mut messages = Vec::new();
    for path in workspace::files(&root.join("fixtures/sessions"), &["transcript"])? {
        let text = read(&path)?;
        messages.extend(inbound(&text).filter(|line| line.len() < LONGEST).map(<[u8]>::to_vec));
    }
    for path in workspace::files(&root.join("crates/protocol/fixtures/messages"), &["json"])? {
        messages.push(read(&path)?);
    }
    messages.sort();
    messages.dedup();
    Ok(messages)
}

/// The lines of the CLI in a transcript.
fn inbound(transcript: &[u8]) -> impl Iterator<Item = &[u8]> {
    transcript.split(|&byte| byte == b'\n').filter_map(|line| line.strip_prefix(b"< "))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).while_doing(|| format!("reading {}", path.display()))
}

/// Longer inputs make a target slow, and find no more.
const LONGEST: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::{messages, streams};
    use crate::workspace;

    #[test]
    fn the_fixtures_are_seeds() {
        let root = workspace::root().unwrap();
        assert!(streams(&root).unwrap().len() > 20);
        assert!(messages(&root).unwrap().len() > 100);
    }
}
