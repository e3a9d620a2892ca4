//! The suite for transports: ours pass it, and each check fails for a transport that is broken in just that way.

mod broken;

use std::{collections::BTreeSet, time::Duration};

use agentwire_testkit::conformance::{self, Outcome, Part, PartKind, TransportReport};
use agentwire_transport::{
    BoxPeerHandle, BoxSink, BoxSource, Connected, Transport, TransportError, memory,
    process::{Grace, Launch, ProcessTransport},
};

use broken::{Broken, FAULTS, Fault};

#[tokio::test]
async fn memory_passes_the_suite() {
    // The second lets every byte wait for its reader.
    for capacity in [64 * 1024, 100] {
        let report = conformance::transport(|part| {
            let (transport, peer) = memory(capacity);
            tokio::spawn(part.clone().play_in_memory(peer));
            Some(transport)
        });
        let report = report.cancel_safe_reads().run().await;
        assert!(report.is_clean(), "{report}");
        let skipped = report.outcomes.iter().filter(|(_, outcome)| *outcome != Outcome::Passed);
        assert!(skipped.clone().all(|(_, outcome)| *outcome == Outcome::NoProcess), "{report}");
        assert_eq!(skipped.count(), 5, "{report}");
    }
}

#[tokio::test]
async fn processes_pass_the_suite() {
    let short = Duration::from_millis(200);
    let report = conformance::transport(|part| {
        // A process cannot break its pipe in a way that its reader notices.
        let launch = Launch::new(env!("CARGO_BIN_EXE_agentwire-conformance-peer")).arg(part.name());
        let grace = Grace::default().after_input(short).after_terminate(short);
        (part.kind() != PartKind::Broken).then(|| ProcessTransport::new(launch).grace(grace))
    });
    let report = report.cancel_safe_reads().run().await;
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.skipped(), of_kinds(&[PartKind::Broken]), "{report}");
}

#[cfg(feature = "replay")]
#[tokio::test]
async fn replays_pass_the_suite() {
    let report = conformance::transport(|part| {
        Some(agentwire_testkit::Replay::new(&part.transcript()?).limit(Duration::from_secs(5)))
    });
    let report = report.cancel_safe_reads().run().await;
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.skipped(), of_kinds(&[PartKind::Raw, PartKind::Deaf, PartKind::Broken]), "{report}");
}

/// Each fault is found by the check that it is for, and what else it breaks is no surprise.
#[tokio::test(start_paused = true)]
async fn each_check_can_fail() {
    let mut proved = BTreeSet::new();
    for &(fault, right) in FAULTS {
        let report = report_of(Some(fault)).await;
        let failed = report.failed();
        assert!(failed.contains(&right), "{fault:?} was to fail `{right}`:\n{report}");
        proved.insert(right);
    }
    let all: BTreeSet<_> = Part::all().iter().map(Part::name).collect();
    assert_eq!(proved, all, "no check that can't fail");
    let whole = report_of(None).await;
    assert!(whole.is_clean() && whole.skipped().is_empty(), "{whole}");
}

async fn report_of(fault: Option<Fault>) -> TransportReport {
    conformance::transport(|part| {
        let (transport, peer) = memory(64 * 1024);
        tokio::spawn(part.clone().play_in_memory(peer));
        Some(Broken::new(transport, fault))
    })
    .cancel_safe_reads()
    .run()
    .await
}

#[tokio::test]
async fn transport_without_a_played_part_is_not_clean() {
    let report = conformance::transport(|_| None::<ProcessTransport>).run().await;
    assert!(!report.is_clean());
    assert_eq!(report.skipped().len(), Part::all().len());
    assert!(report.outcomes.iter().any(|(_, outcome)| *outcome == Outcome::NotAsked));
}

#[tokio::test]
async fn transport_that_cannot_be_opened_fails() {
    let missing = || ProcessTransport::new(Launch::new("/no/such/program"));
    let report = conformance::transport(|_| Some(missing())).run().await;
    assert!(report.to_string().contains("can't be opened: the program /no/such/program does not exist"));
    assert_eq!(report.failed().len(), Part::all().len() - 1);
}

#[tokio::test]
async fn failures_have_their_cause() {
    let report = conformance::transport(|_| Some(Busy)).run().await;
    assert!(report.to_string().contains("it can't be opened: dialling failed: busy line"), "{report}");

    let report = report_of(Some(Fault::NamesItOtherwise)).await;
    let cause = "another error than `Closed`: writing failed: the peer's input is closed";
    assert!(report.to_string().contains(cause), "{report}");
}

/// A transport that can't be opened.
struct Busy;

impl Transport for Busy {
    type Source = BoxSource;
    type Sink = BoxSink;
    type Handle = BoxPeerHandle;

    async fn open(self) -> Result<Connected<BoxSource, BoxSink, BoxPeerHandle>, TransportError> {
        Err(TransportError::Io { action: "dialling", source: std::io::Error::other("busy line") })
    }
}

fn of_kinds(kinds: &[PartKind]) -> Vec<&'static str> {
    Part::all().iter().filter(|part| kinds.contains(&part.kind())).map(Part::name).collect()
}
