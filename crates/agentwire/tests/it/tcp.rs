//! The transport of the example `tcp`: it meets the contract, and a session runs over it.

#[path = "../../examples/tcp/transport.rs"]
mod transport;

use std::{net::TcpListener, thread};

use agentwire::{
    Session,
    transport::{ByteSink, ByteSource, Connected, Transport},
};
use agentwire_testkit::{
    Replay, Transcript,
    conformance::{self, Part, PartKind},
};
use transport::{Tcp, split};

#[tokio::test]
async fn transport_meets_the_contract() {
    let report = conformance::transport(|part| {
        // A connection has no signals, and nothing that breaks on purpose.
        let plays = matches!(part.kind(), PartKind::Plain | PartKind::Raw | PartKind::Deaf);
        plays.then(|| Tcp(listen(part.clone())))
    });
    let report = report.cancel_safe_reads().run().await;
    assert!(report.is_clean(), "{report}");
    let unplayed = Part::all()
        .iter()
        .filter(|part| matches!(part.kind(), PartKind::Signalled | PartKind::Broken))
        .count();
    // Two more cases are about the end of a process.
    assert_eq!(report.skipped().len(), unplayed + 2, "{report}");
}

/// Starts a peer that plays a part for the first connection.
fn listen(part: Part) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        part.play(&stream, &stream);
    });
    address
}

#[tokio::test]
async fn a_session_runs_over_it() {
    let transcript = Transcript::parse(SESSION).unwrap();
    let replay = Replay::new(&transcript).foreign();
    let handle = replay.handle();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let serving = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (theirs, ours) = split(stream);
        let Connected { source, sink, handle } = replay.open().await.unwrap();
        tokio::join!(pump(theirs, sink), pump(source, ours));
        drop(handle);
    });
    let mut session = Session::builder().transport(Tcp(address)).connect().await.unwrap();
    let result = session.ask("hi").await.unwrap().finish().await.unwrap().unwrap();
    assert_eq!(result.result.as_deref(), Some("hello"));
    session.close().await.unwrap();
    serving.await.unwrap();
    assert!(handle.report().is_complete(), "{}", handle.report());
}

async fn pump(mut from: impl ByteSource, mut to: impl ByteSink) {
    while let Some(chunk) = from.read().await.unwrap() {
        to.write(chunk).await.unwrap();
    }
    to.finish().await.unwrap();
}

const SESSION: &str = r#"# agentwire-transcript 1
# cli 2.1.330
$ []
> {"type":"control_request","request_id":"a","request":{"subtype":"initialize"}}
< {"type":"control_response","response":{"subtype":"success","request_id":"a","response":{}}}
> {"type":"user","message":{"role":"user","content":"hi"},"parent_tool_use_id":null,"session_id":"default"}
< {"type":"system","subtype":"init","session_id":"s","cwd":"/project","model":"m"}
< {"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s","result":"hello"}
| end of input
= exit 0
"#;
