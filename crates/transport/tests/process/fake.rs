//! The fake CLI. Each part that it can play is one behaviour of a real program.

use std::{
    fs,
    io::{self, Read, Write, stderr, stdin, stdout},
    path::Path,
    process::{Command, ExitCode},
    thread,
    time::{Duration, Instant},
};

use tokio::signal::unix::{SignalKind, signal};

use crate::support::{ignores_term, members};

/// The environment variable of a fake: `1`, or the part to play regardless of the arguments.
pub(crate) const FAKE: &str = "AGENTWIRE_TEST_FAKE";

pub(crate) fn play() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let forced = std::env::var(FAKE).unwrap();
    let part: Vec<&str> =
        if forced == "1" { arguments.iter().map(String::as_str).collect() } else { vec![&forced] };
    match part[..] {
        ["host", after_input, after_terminate, guard, ref part @ ..] => {
            crate::host::play(after_input, after_terminate, guard, part);
        }
        ["cramped"] => crate::host::cramped(false),
        ["cramped", "hold"] => crate::host::cramped(true),
        ["reaper", file] => crate::host::reaper(file),
        ["finish", file] => {
            print("ready\n");
            read_input();
            // Longer than `hasty` grace periods.
            thread::park_timeout(Duration::from_millis(300));
            fs::write(file, "finished").unwrap();
        }
        ["asked", file] => asked(file),
        ["asked-first", file] => {
            let ended = file.to_owned();
            // Records that the input ended before SIGTERM came.
            thread::spawn(move || {
                read_input();
                fs::write(ended, "input ended").unwrap();
                std::process::exit(0);
            });
            asked(file);
        }
        ["exit", code] => return ExitCode::from(code.parse::<u8>().unwrap()),
        ["fail", code, text] => {
            stdout().write_all(b"partial").unwrap();
            stderr().write_all(text.as_bytes()).unwrap();
            return ExitCode::from(code.parse::<u8>().unwrap());
        }
        ["--version"] => print("2.1.330 (Claude Code)\n"),
        ["die"] => {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
        }
        ["echo"] => copy_input(stdout()),
        ["save-slowly", file] => {
            print("ready\n");
            wait_for(&format!("{file}.go"));
            copy_input(fs::File::create(file).unwrap());
        }
        ["hang"] => {
            print("ready\n");
            park();
        }
        ["stubborn"] => {
            ignoring_term(|| {
                print("ready\n");
                park();
            });
        }
        ["flush", file] => {
            print("ready\n");
            read_input();
            print(&"x".repeat(300_000));
            fs::write(file, "flushed").unwrap();
        }
        ["spout", bytes] => spout(bytes.parse().unwrap()),
        ["exchange", bytes] => {
            let bytes = bytes.parse().unwrap();
            let writing = thread::spawn(move || spout(bytes));
            let read = read_input();
            writing.join().unwrap();
            return ExitCode::from(u8::from(read != bytes));
        }
        ["flood-stderr", bytes] => {
            let line = b"0123456789abcde\n".repeat(64);
            for _ in 0..bytes.parse::<usize>().unwrap() / line.len() {
                stderr().write_all(&line).unwrap();
            }
            stderr().write_all(b"the last line\n").unwrap();
            print("done\n");
            read_input();
        }
        ["close-stdout"] => {
            print("bye\n");
            rustix::stdio::dup2_stdout(fs::File::open("/dev/null").unwrap()).unwrap();
            read_input();
        }
        ["where"] => {
            let dir = std::env::current_dir().unwrap();
            let var = |name: &str| std::env::var(name).unwrap_or_else(|_| "-".into());
            print(&format!("{} {} {} {}", dir.display(), var("ONE"), var("HOME"), var("PATH")));
        }
        ["group"] => print(&format!(
            "{} {}",
            rustix::process::getpid().as_raw_nonzero(),
            rustix::process::getpgrp().as_raw_nonzero()
        )),
        ["leave", file, habit] => _ = leave(file, habit),
        ["leave-guarded", file, habit] => {
            let (own, child) = (std::process::id(), leave(file, habit));
            // The host signals the group at this peer's end. Until then the guard must ignore the signal.
            let is_guard = |process: &u32| *process != own && *process != child && ignores_term(*process);
            wait(|| members(own).iter().any(is_guard));
        }
        ["lead", file, habit] => {
            leave(file, habit);
            park();
        }
        ["squat", file, habit] => squat(file, habit),
        _ => panic!("no such part: {part:?}"),
    }
    ExitCode::SUCCESS
}

#[expect(clippy::zombie_processes, reason = "outliving its parent is the fault to be played")]
fn leave(file: &str, habit: &str) -> u32 {
    let child = Command::new(std::env::current_exe().unwrap()).args(["squat", file, habit]).spawn().unwrap();
    wait_for(file);
    print(&format!("{}\n", child.id()));
    child.id()
}

/// Holds its parent's pipes until its file is removed.
fn squat(file: &str, habit: &str) {
    if habit == "stubborn" {
        return ignoring_term(|| {
            fs::write(file, "").unwrap();
            wait(|| !Path::new(file).exists());
        });
    }
    if habit != "meek" {
        rustix::process::setsid().unwrap();
    }
    fs::write(file, "").unwrap();
    // A flooding process never pauses, and ends with its pipe.
    wait(|| (habit == "flooding" && flood().is_err()) || !Path::new(file).exists());
}

fn flood() -> io::Result<()> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(40) {
        stdout().write_all(&[b'x'; 65536])?;
    }
    Ok(())
}

/// Ends on SIGTERM, and not before.
fn asked(file: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut term = signal(SignalKind::terminate()).unwrap();
        print("ready\n");
        tokio::time::timeout(Duration::from_secs(40), term.recv()).await.unwrap();
    });
    fs::write(file, "asked").unwrap();
}

fn ignoring_term(work: impl FnOnce()) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _context = runtime.enter();
    // A process that listens for a signal survives it.
    let _listening = signal(SignalKind::terminate()).unwrap();
    work();
}

pub(crate) fn print(text: &str) {
    stdout().write_all(text.as_bytes()).unwrap();
    stdout().flush().unwrap();
}

fn spout(bytes: usize) {
    let mut left = bytes;
    while left > 0 {
        let length = left.min(100_000);
        stdout().write_all(&vec![b'x'; length]).unwrap();
        left -= length;
    }
    stdout().flush().unwrap();
}

fn copy_input(mut to: impl Write) {
    io::copy(&mut stdin(), &mut to).unwrap();
}

fn read_input() -> usize {
    let (mut buffer, mut read) = (vec![0; 65536], 0);
    loop {
        match stdin().read(&mut buffer).unwrap() {
            0 => return read,
            length => read += length,
        }
    }
}

fn wait_for(file: &str) {
    wait(|| Path::new(file).exists());
}

/// Waits for a condition, with a limit, so that the process does not long outlive the tests.
fn wait(mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(40) && !condition() {
        thread::park_timeout(Duration::from_millis(2));
    }
}

pub(crate) fn park() {
    wait(|| false);
}
