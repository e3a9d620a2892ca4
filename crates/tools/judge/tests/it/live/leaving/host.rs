//! A host that goes away in some way while a guard has not decided.

use std::{fs, path::Path, sync::mpsc, thread, time::Duration};

use agentwire::{Session, SessionBuilder};
use tokio::task::block_in_place;

use super::{super::place::options, guard::Guard};

pub(super) const WAYS: &[&str] = &[
    "close()",
    "end_input()",
    "drop",
    "runtime shutdown",
    "turn dropped",
    "interrupt",
    "reinitialize",
    "SIGTERM",
    "SIGKILL",
];

/// The variable that holds the role of a host: the guard, the way, the folder, and the address of the model.
pub(super) const HOST: &str = "AGENTWIRE_LEAVING_HOST";

/// Plays the host. It lives on until it is killed.
pub(super) fn play(arguments: &str) {
    let mut words = arguments.split('\t');
    let mut word = || words.next().unwrap();
    let (guard, way, place, model) = (Guard::named(word()), word(), Path::new(word()), word());
    let mut options = options(place, model).cwd(place.join("project"));
    if guard.allowed {
        options = options.allowed_tools(["Bash"]);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let builder = guard.register(Session::builder().options(options), place);
    if way == "runtime shutdown" {
        let (connected, is_connected) = mpsc::channel();
        let folder = place.to_owned();
        runtime.spawn(async move {
            let mut session = begin(builder, guard, &folder).await;
            connected.send(()).unwrap();
            while session.next().await.is_some() {}
        });
        is_connected.recv().unwrap();
        wait_for(place);
        runtime.shutdown_timeout(Duration::from_secs(1));
    } else {
        runtime.block_on(async {
            let mut session = begin(builder, guard, place).await;
            block_in_place(|| wait_for(place));
            leave(way, &mut session).await;
            match way {
                "close()" => drop(session.close().await),
                "drop" => drop(session),
                "end_input()" => {
                    session.end_input();
                    while session.next().await.is_some() {}
                }
                _ => park(),
            }
        });
    }
    park();
}

/// Starts the action that calls the guard.
async fn begin(builder: SessionBuilder, guard: &Guard, place: &Path) -> Session {
    let mut session = builder.connect().await.unwrap();
    let (last, before) = guard.prompts.split_last().unwrap();
    for prompt in before {
        session.ask(*prompt).await.unwrap().finish().await.unwrap();
    }
    session.send(*last).await.unwrap();
    fs::write(place.join("sent"), "").unwrap();
    session
}

/// Performs the ways of leaving after which the host keeps the session.
async fn leave(way: &str, session: &mut Session) {
    match way {
        "interrupt" => drop(session.control().interrupt().await),
        "reinitialize" => drop(session.reinitialize().await),
        "turn dropped" => drop(session.turn()),
        _ => {}
    }
}

/// Waits until the other process has created its file.
fn wait_for(place: &Path) {
    while !place.join("go").exists() {
        thread::sleep(Duration::from_millis(5));
    }
}

fn park() {
    loop {
        thread::park();
    }
}
