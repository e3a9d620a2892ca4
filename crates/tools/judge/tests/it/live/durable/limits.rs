//! The limits of a worker: fences, the lease, processes, and secrets.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use agentwire_testkit::eventually;
use agentwire_worker::{SecretFolder, Start, TurnReport};
use tokio::time::Instant;

use super::*;

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn turn_starts_once_for_each_fence() {
    let place = Place::using(&[bash("toolu_1", "echo one >> ran.txt")]).await;
    let ends = Arc::new(tokio::sync::Semaphore::new(0));
    let ended = Arc::clone(&ends);
    let on_end = move |_| {
        ended.add_permits(1);
        std::future::ready(())
    };
    let worker = Worker::new(worker(&place).on_end(on_end)).unwrap();
    let (older, fence) = (worker.fence(&session(1), 1), worker.fence(&session(1), 2));
    for _ in 0..3 {
        assert_eq!(worker.start(&fence, &prompt(1)), Start::Started);
    }
    assert!(worker.alive(&fence));
    assert_eq!(worker.start(&worker.fence(&session(1), 3), &prompt(2)), Start::Busy);
    ends.acquire().await.unwrap().forget();
    assert!(!worker.alive(&fence));
    assert_eq!(worker.start(&fence, &prompt(1)), Start::Started, "as it was");
    assert_eq!(worker.start(&older, &prompt(1)), Start::Lost);
    worker.drain(LIMIT).await;
    assert_eq!(ends.available_permits(), 0, "one turn has run");
    assert_eq!(noted(&place, 1), "one\n");
    let other = Worker::new(super::worker(&place)).unwrap();
    assert_eq!(other.start(&fence, &prompt(1)), Start::Lost, "the fence of another run");
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn worker_without_its_lease_ends_its_processes_in_time() {
    let place = Place::using(&[bash("toolu_1", "echo $PPID >> ran.txt; exec sleep 60")]).await;
    let lease = Duration::from_secs(10);
    let worker = Worker::new(worker(&place).lease(lease)).unwrap();
    let fence = worker.fence(&session(1), 1);
    assert_eq!(worker.start(&fence, &prompt(1)), Start::Started);
    eventually(|| {
        worker.renew(std::time::Instant::now());
        !noted(&place, 1).is_empty()
    })
    .await;
    let renewed = Instant::now();
    worker.renew(renewed.into_std());
    let cli = format!("/proc/{}", noted(&place, 1).trim());
    assert!(Path::new(&cli).exists());
    eventually(|| !Path::new(&cli).exists()).await;
    assert!(renewed.elapsed() < lease, "another worker may have started the session");
    assert_eq!(worker.start(&fence, &prompt(1)), Start::Lost);
    assert!(!worker.alive(&fence));
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn more_prompts_than_slots_all_end() {
    let place = Place::scripted(r#"{"replies": [{"blocks": [{"text": "Done."}], "times": 99}]}"#).await;
    let admission = Admission::slots(2);
    let most = Arc::new(AtomicUsize::new(0));
    let (numbers, high) = (admission.clone(), Arc::clone(&most));
    let worker = worker(&place).admission(admission).on_message(move |_, _| {
        high.fetch_max(numbers.numbers().running, Ordering::Relaxed);
    });
    let engine = engine(&place, worker).await;
    for n in 0..10 {
        engine.prompt(&session(n), prompt(n)).await.unwrap();
    }
    for n in 0..10 {
        ended(&engine, n, n).await;
    }
    assert_eq!(most.load(Ordering::Relaxed), 2);
    engine.close(LIMIT).await;
}

/// Returns a folder with this secret of the tenant, called `token`.
fn secret(text: &str) -> tempfile::TempDir {
    let secrets = tempfile::tempdir().unwrap();
    fs::create_dir(secrets.path().join(TENANT)).unwrap();
    fs::write(secrets.path().join(TENANT).join("token"), text).unwrap();
    secrets
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn secret_reaches_the_tool_and_no_file() {
    const CANARY: &str = "canary-71c3c1f0";
    let place = Place::using(&[bash("toolu_1", "echo ${#TOKEN} >> ran.txt")]).await;
    let secrets = secret(CANARY);
    let messages = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&messages);
    let worker = worker(&place).secrets(SecretFolder::new(secrets.path())).on_message(move |_, incoming| {
        seen.lock().unwrap().push_str(&format!("{incoming:?}"));
    });
    let engine = engine(&place, worker).await;
    let mut turn = prompt(1);
    turn.secrets.insert("TOKEN".to_owned(), "token".to_owned());
    engine.prompt(&session(1), turn).await.unwrap();
    assert_eq!(ended(&engine, 1, 1).await, done("Done."));
    engine.close(LIMIT).await;
    assert_eq!(noted(&place, 1), format!("{}\n", CANARY.len()), "the command has the secret");
    assert!(!messages.lock().unwrap().contains(CANARY));
    let mut folders = vec![Path::new(place.root()).to_owned()];
    while let Some(folder) = folders.pop() {
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(content) = fs::read(&path) {
                let found = content.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
                assert!(!found, "{}", path.display());
            }
        }
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn secret_of_a_turn_is_not_kept_for_the_next() {
    let note = |id| json!({"blocks": [bash(id, "echo ${#TOKEN} >> ran.txt")]});
    let done_after = |times| json!({"blocks": [{"text": "Done."}], "times": times});
    let script = json!({"replies": [note("toolu_1"), done_after(1), note("toolu_2"), done_after(99)]});
    let place = Place::scripted(&script.to_string()).await;
    let secrets = secret("secret");
    let engine = engine(&place, worker(&place).secrets(SecretFolder::new(secrets.path()))).await;
    let mut with_secret = prompt(1);
    with_secret.secrets.insert("TOKEN".to_owned(), "token".to_owned());
    engine.prompt(&session(1), with_secret).await.unwrap();
    engine.prompt(&session(1), prompt(2)).await.unwrap();
    for n in [1, 2] {
        assert_eq!(ended(&engine, 1, n).await, done("Done."));
    }
    engine.close(LIMIT).await;
    assert_eq!(noted(&place, 1), "6\n0\n");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn cancelled_turn_has_its_cost_and_does_not_run_again() {
    let place = Place::using(&[bash("toolu_1", "echo began >> ran.txt; exec sleep 60")]).await;
    let costs = Arc::new(Mutex::new(Vec::new()));
    let noted_costs = Arc::clone(&costs);
    let on_end = move |end: TurnReport| {
        noted_costs.lock().unwrap().push(end.cost_usd);
        std::future::ready(())
    };
    let engine = engine(&place, worker(&place).on_end(on_end)).await;
    engine.prompt(&session(1), prompt(1)).await.unwrap();
    eventually(|| !noted(&place, 1).is_empty()).await;
    assert!(engine.cancel(&session(1)).await.unwrap());
    engine.prompt(&session(1), prompt(2)).await.unwrap();
    assert_eq!(ended(&engine, 1, 1).await, Outcome::Cancelled);
    assert_eq!(ended(&engine, 1, 2).await, done("Done."));
    engine.close(LIMIT).await;
    assert_eq!(noted(&place, 1), "began\n");
    let costs = costs.lock().unwrap();
    // The second process resumes the session: its total includes the cost of the first one.
    assert!(costs.len() == 2 && costs[0] > 0.0 && costs[1] < 1.5 * costs[0], "{costs:?}");
}
