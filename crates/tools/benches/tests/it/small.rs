//! Runs each workload with each client at a small size; the runner itself checks messages and replies.

use std::time::Duration;

use agentwire_benches::cli::{Callback, Plan, Workload};
use agentwire_benches::{clients::BuiltIn, run::run};

use crate::{cli, client};

#[test]
fn callbacks_complete() {
    let one = |callback| (Workload::Callback(callback), &[(1, 50)][..]);
    let workloads = [
        one(Callback::Hook),
        one(Callback::Permission),
        one(Callback::Mcp),
        (Workload::HookMany, &[(8, 100), (32, 100), (64, 100)]),
    ];
    for (workload, expected) in workloads {
        for of in BuiltIn::ALL {
            let run = run(&client(of), cli(), Plan { workload, share: 60 }).unwrap();
            let phases: Vec<(usize, usize)> =
                run.report.phases.iter().map(|phase| (phase.outstanding, phase.requests)).collect();
            assert_eq!(phases, expected, "{of:?}");
            assert!(run.report.phases.iter().all(|phase| phase.p50 > 0.0), "{of:?}");
        }
    }
}

#[test]
fn other_workloads_complete() {
    let workloads = [(Workload::Stream, 200, 1), (Workload::Turns, 50, 10)];
    for (workload, share, laps) in workloads {
        for of in BuiltIn::ALL {
            let run = run(&client(of), cli(), Plan { workload, share }).unwrap();
            assert_eq!(run.report.phases.len(), 1, "{of:?}, {workload:?}");
            assert_eq!(run.report.phases[0].requests, laps, "{of:?}, {workload:?}");
            // Every built-in client reports all of it.
            assert_eq!(run.outcome.received, run.report.sent.into(), "{of:?}, {workload:?}");
            assert!(run.outcome.cpu > Some(0.0), "{of:?}, {workload:?}");
            let is_measured = run.outcome.memory.is_some_and(|memory| memory > 100 << 10);
            assert_eq!(is_measured, cfg!(target_os = "linux"), "{:?}", run.outcome.memory);
        }
    }
}

#[test]
fn a_stalled_client_stalls() {
    let plan = Plan { workload: Workload::Stalled, share: 20 };
    for of in BuiltIn::ALL {
        let run = run(&client(of), cli(), plan).unwrap();
        let stalled = Duration::from_millis(2_500) / 20;
        assert!(run.report.phases[0].seconds >= stalled.as_secs_f64(), "{of:?}: {:?}", run.report.phases);
    }
}

#[test]
fn every_start_is_measured() {
    let plan = Plan { workload: Workload::Start, share: 10 };
    for of in BuiltIn::ALL {
        let run = run(&client(of), cli(), plan).unwrap();
        assert_eq!(run.outcome.first.len(), 2, "{of:?}");
        assert!(run.outcome.first.iter().all(|first| *first > 0.0), "{of:?}");
    }
}
