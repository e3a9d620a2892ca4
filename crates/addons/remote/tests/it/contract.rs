//! Each transport meets the contract of its trait.

use std::time::Duration;

use agentwire_testkit::conformance::{self, PartKind};
use agentwire_transport::process::Grace;

use crate::stand_in::{KINDS, StandIns, peer};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transports_meet_the_contract() {
    let stand_ins = &StandIns::new();
    let [docker, kubectl, ssh] = KINDS.map(|kind| {
        conformance::transport(move |part| {
            let short = Duration::from_millis(200);
            let grace = Grace::default().after_input(short).after_terminate(short);
            // A process can't break its pipe in a way that its reader notices.
            (part.kind() != PartKind::Broken).then(|| stand_ins.run(kind, &peer(part)).grace(grace))
        })
        .cancel_safe_reads()
        .run()
    });
    let reports = tokio::join!(docker, kubectl, ssh);
    for report in [reports.0, reports.1, reports.2] {
        assert!(report.is_clean(), "{report}");
    }
}
