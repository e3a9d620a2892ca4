//! The framing fixtures: each `.bin` stream decodes to the lines of its `.lines` file for any split.
//!
//! The limit is 100 bytes. `UPDATE_EXPECT=1` rewrites the `.lines` files.

use std::{fs, path::Path};

use agentwire_codec::{FrameError, FrameKind, Line};

use crate::decode;

#[test]
fn every_fixture_gives_its_lines_for_any_split() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/framing");
    let mut streams = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "bin") {
            check(&path);
            streams += 1;
        }
    }
    assert!(streams > 10, "only {streams} streams were found");
}

fn check(stream: &Path) {
    let bytes = fs::read(stream).unwrap();
    let whole = render(&decode(LIMIT, [&bytes[..]]));
    let expected = stream.with_extension("lines");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&expected, &whole).unwrap();
    }
    assert_eq!(whole, fs::read_to_string(&expected).unwrap(), "{}", stream.display());
    for cut in 0..=bytes.len() {
        let (start, end) = bytes.split_at(cut);
        assert_eq!(render(&decode(LIMIT, [start, end])), whole, "{} cut at {cut}", stream.display());
    }
    assert_eq!(render(&decode(LIMIT, bytes.chunks(1))), whole, "{} by bytes", stream.display());
}

fn render(lines: &[Result<Line, FrameError>]) -> String {
    let rendered = lines.iter().map(|line| match line {
        Ok(line) => format!("{:?} {}\n", FrameKind::of(line.as_bytes()), line.as_bytes().escape_ascii()),
        Err(error) => format!("error: {error:?}\n"),
    });
    rendered.collect()
}

const LIMIT: usize = 100;
