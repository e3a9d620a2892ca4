//! The mark of long lines: the most bytes that are allocated while one line of 32 MiB, or a little more, passes through a
//! session.
//!
//! The CLI's side is in the same process, and each block that it writes is an allocation of its own, as a read from a
//! pipe is; it holds none that was read.

use std::{
    env,
    error::Error,
    process::{Command, ExitCode, Stdio},
};

use agentwire::{Incoming, Message, Session, transport::MemoryPeer};
use agentwire_benches::{
    marks::HUGE_ALLOC,
    memory::{HEAP, most_resident, resident},
    peer::{self, BLOCK, RESULT},
    words::ended,
};
use bytes::Bytes;

pub(crate) fn run(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    if let [first, name, length] = words
        && first == CHILD
    {
        let shape = SHAPES.iter().find(|shape| shape.name == name).ok_or("there is no such shape")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (heap, machine) = runtime.block_on(pass(shape, length.parse()?))?;
        println!("{heap} {machine}");
        return Ok(ExitCode::SUCCESS);
    }
    println!("\n| one line | MiB | allocated at most, times the line | resident at most, times the line | |");
    println!("|---|---:|---:|---:|---|");
    let mut missed = 0;
    for (shape, length) in SHAPES.iter().flat_map(|shape| LENGTHS.iter().map(move |length| (shape, length))) {
        let mut command = Command::new(env::current_exe()?);
        command.args(["huge", CHILD, shape.name, &(length << 20).to_string()]);
        let output = command.stderr(Stdio::inherit()).output()?;
        let said = String::from_utf8(output.stdout)?;
        let (heap, machine) = said.trim().split_once(' ').ok_or("a child told nothing")?;
        let (heap, machine): (f64, f64) = (heap.parse()?, machine.parse()?);
        let verdict = if HUGE_ALLOC.holds(heap) { "kept" } else { "MISSED" };
        println!("| {} | {length} | {heap:.2} | {machine:.2} | {HUGE_ALLOC}, {verdict} |", shape.name);
        missed += usize::from(!HUGE_ALLOC.holds(heap));
    }
    Ok(ended(words, missed))
}

/// A line of a tool's result, as the CLI writes it: a start, a text, and an end.
struct Shape {
    name: &'static str,
    /// What the text is made of, as it stands in the JSON.
    piece: &'static str,
}

const SHAPES: &[Shape] = &[
    Shape { name: "text without escapes", piece: "All work and no play makes Jack a dull boy. " },
    Shape { name: "text with line feeds", piece: r"All work and no play makes Jack a dull boy.\n" },
];

/// Has one line go through, and gives what was allocated and what was resident at most, as times the line.
async fn pass(shape: &Shape, length: usize) -> Result<(f64, f64), Box<dyn Error>> {
    let (mut session, peer) = peer::connect(Session::builder()).await?;
    let block = shape.piece.repeat(BLOCK / shape.piece.len());
    let blocks = length / block.len();
    let length = START.len() + blocks * block.len() + END.trim_end().len();
    let mut turn = session.ask("Go.").await?;
    peer::line(&peer).await?;
    HEAP.reset_peak_usage();
    let (before, resident_before) = (HEAP.current_usage(), resident());
    let reading = async {
        let mut seen = 0;
        while let Some(incoming) = turn.next().await {
            match incoming? {
                Incoming::Message(Message::User(_), line) => seen += line.len(),
                Incoming::Message(Message::Result(_), _) => {}
                other => return Err(format!("something else came: {:.200}", format!("{other:?}")).into()),
            }
        }
        Ok::<_, Box<dyn Error>>(seen)
    };
    let (seen, said) = tokio::join!(reading, say(&peer, block.as_bytes(), blocks));
    said?;
    let (peak, most_resident) = (HEAP.peak_usage() - before, most_resident());
    if seen? != length {
        return Err("the line did not come whole".into());
    }
    let times = |bytes: usize| bytes as f64 / length as f64;
    let machine = most_resident.zip(resident_before).map_or(f64::NAN, |(most, before)| times(most - before));
    Ok((times(peak), machine))
}

async fn say(peer: &MemoryPeer, block: &[u8], blocks: usize) -> Result<(), Box<dyn Error>> {
    peer.write(START).await?;
    for _ in 0..blocks {
        peer.write(Bytes::copy_from_slice(block)).await?;
    }
    peer.write(END).await?;
    Ok(peer.write(RESULT).await?)
}

const START: &str = concat!(
    r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_01M000000000000000000001","#,
    r#""type":"tool_result","content":""#
);
const END: &str = concat!(
    r#""}]},"parent_tool_use_id":null,"session_id":"00000000-0000-4000-8000-000000000002","#,
    r#""uuid":"00000000-0000-4000-8000-000000000003"}"#,
    "\n"
);
/// In MiB: a buffer that doubles may happen to end a little above the first, and then ends far above the others.
const LENGTHS: &[usize] = &[32, 36, 48];
const CHILD: &str = "--child";
