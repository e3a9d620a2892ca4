//! A small test harness with the part of libtest's command line that `cargo test` and `cargo nextest` use.

use std::{
    panic::catch_unwind,
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

pub(crate) type Test = (&'static str, fn());

/// Lists the tests of a module under their full names.
macro_rules! tests {
    ($module:ident: $($test:ident),* $(,)?) => {
        pub(crate) const TESTS: &[crate::runner::Test] =
            &[$((concat!(stringify!($module), "::", stringify!($test)), $test)),*];
    };
}
pub(crate) use tests;

#[derive(Default)]
struct Arguments {
    list: bool,
    ignored: bool,
    exact: bool,
    names: Vec<String>,
    skipped: Vec<String>,
}

pub(crate) fn run(modules: &[&[Test]]) -> ExitCode {
    let arguments = Arguments::read(std::env::args().skip(1));
    let chosen: Vec<Test> =
        modules.iter().copied().flatten().copied().filter(|(name, _)| arguments.chooses(name)).collect();
    if arguments.list {
        chosen.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", chosen.len());
    let failed = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((name, test)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ok = catch_unwind(test).is_ok();
                    println!("test {name} ... {}", if ok { "ok" } else { "FAILED" });
                    if !ok {
                        failed.lock().unwrap().push(*name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    failed.iter().for_each(|name| println!("failed: {name}"));
    let verdict = if failed.is_empty() { "ok" } else { "FAILED" };
    println!("\ntest result: {verdict}. {} passed; {} failed", chosen.len() - failed.len(), failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(101) }
}

impl Arguments {
    fn read(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut read = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--list" => read.list = true,
                "--ignored" => read.ignored = true,
                "--exact" => read.exact = true,
                "--skip" => read.skipped.extend(arguments.next()),
                "--format" | "--color" | "--test-threads" | "--logfile" | "-Z" => drop(arguments.next()),
                flag if flag.starts_with('-') => {}
                _ => read.names.push(argument),
            }
        }
        read
    }

    fn chooses(&self, name: &str) -> bool {
        let matches =
            |wanted: &String| if self.exact { name == wanted } else { name.contains(wanted.as_str()) };
        // There are no ignored tests.
        !self.ignored
            && (self.names.is_empty() || self.names.iter().any(matches))
            && !self.skipped.iter().any(matches)
    }
}

/// More than the cores of most machines, since the tests mostly wait.
const THREADS: usize = 4;
