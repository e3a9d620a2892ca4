//! Reports and views of transcripts and captures: `check`, `drift`, `view`.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::running::{code_of, signal};
use super::{ID, agentwire, fixture, output, store, text, walk};

#[test]
fn check_reports_each_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.transcript");
    fs::write(&broken, "no transcript\n").unwrap();
    let junit = folder.path().join("report.xml");
    let (good, bad, report) = (fixture(), broken.to_str().unwrap(), junit.to_str().unwrap());
    let good = good.to_str().unwrap();
    assert_eq!(output(&["check", good]).status.code(), Some(0));
    let done = output(&["check", good, bad, "--json", "--junit", report]);
    assert_eq!(done.status.code(), Some(1));
    let verdicts: Vec<Value> =
        text(&done.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(verdicts.iter().filter(|verdict| verdict["passed"] == true).count(), 1);
    assert_eq!(verdicts.len(), 2);
    let report = fs::read_to_string(junit).unwrap();
    assert!(report.contains("tests=\"2\" failures=\"1\"") && report.contains("<failure>"), "{report}");
}

#[test]
fn stored_session_is_no_recording() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path(), &[walk(ID)]);
    let file = folder.path().join(format!("projects/-p/{ID}.jsonl"));
    for (command, code) in [("check", 1), ("drift", 2), ("view", 2)] {
        let done = output(&[command, file.to_str().unwrap()]);
        let printed = [done.stdout, done.stderr].concat();
        assert_eq!(done.status.code(), Some(code), "{command}");
        assert!(text(&printed).contains("a session that the CLI stored"), "{}", text(&printed));
    }
}

#[test]
fn transcript_with_the_name_of_a_capture_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    fs::copy(fixture(), &file).unwrap();
    let done = output(&["check", file.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stdout));
}

#[test]
fn transcript_that_is_not_played_is_skipped_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let (capture, junit) = (folder.path().join("output.jsonl"), folder.path().join("report.xml"));
    fs::write(&capture, "{\"type\":\"keep_alive\"}\n").unwrap();
    let (capture, report) = (capture.to_str().unwrap(), junit.to_str().unwrap());
    assert_eq!(output(&["check", "--facade", capture, "--junit", report]).status.code(), Some(1));
    let report = fs::read_to_string(junit).unwrap();
    assert!(report.contains("tests=\"1\" failures=\"0\" skipped=\"1\""), "{report}");
    assert!(report.contains("<skipped/>"), "{report}");
}

#[test]
fn drift_reports_kinds_and_fields_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    fs::write(&file, "{\"type\":\"zz_new\"}\n{\"type\":\"zz_new\"}\n").unwrap();
    let done = output(&["drift", file.to_str().unwrap(), "--json"]);
    assert_eq!(done.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&found["missing"], &found["times"]), (&Value::from("recorded kind zz_new"), &Value::from(2)));
    assert_eq!(output(&["drift", fixture().to_str().unwrap()]).status.code(), Some(0));
}

#[test]
fn drift_reads_the_files_after_one_that_can_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.transcript"), "no transcript\n").unwrap();
    fs::write(folder.path().join("b.jsonl"), "{\"type\":\"zz_new\"}\n").unwrap();
    fs::write(folder.path().join("c.transcript"), "nor is this\n").unwrap();
    let done = output(&["drift", folder.path().to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stdout).starts_with("recorded kind zz_new: 1 times"), "{}", text(&done.stdout));
    let errors = text(&done.stderr);
    assert_eq!(errors.lines().filter(|line| line.starts_with("agentwire: reading ")).count(), 2, "{errors}");
}

#[test]
fn drift_reads_a_capture_that_begins_with_noise() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    fs::write(&file, "warning\n{\"type\":\"keep_alive\"}\n").unwrap();
    let done = output(&["drift", file.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
    assert!(text(&done.stdout).starts_with("recorded noise: 1 times"), "{}", text(&done.stdout));
}

#[test]
fn capture_that_begins_with_noise_is_viewed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    // Another program may still write the capture.
    for lines in ["", "a warning\n{\"type\":\"keep_alive\"}\n"] {
        fs::write(&file, lines).unwrap();
        let done = agentwire(&["view", "a.jsonl"]).current_dir(&folder).output().unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
    assert!(fs::read_to_string(folder.path().join("a.html")).unwrap().contains("a warning"));
}

#[test]
fn page_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let done = output(&["view", fixture().to_str().unwrap(), "-o", page.to_str().unwrap()]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&page).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[cfg(target_os = "linux")]
#[test]
fn file_with_a_name_that_is_not_utf8_is_viewed() {
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"a\xff.transcript");
    fs::copy(fixture(), folder.path().join(name)).unwrap();
    let done = agentwire(&["view"]).arg(name).current_dir(&folder).output().unwrap();
    assert!(done.status.success(), "{}", text(&done.stderr));
}

#[test]
fn page_does_not_replace_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let [session, link, name] = ["a.transcript", "link", "name"].map(|name| folder.path().join(name));
    fs::copy(fixture(), &session).unwrap();
    std::os::unix::fs::symlink(&session, &link).unwrap();
    fs::hard_link(&session, &name).unwrap();
    let [session, link, name] = [&session, &link, &name].map(|file| file.to_str().unwrap());
    for out in [session, link, name] {
        let done = output(&["view", session, "-o", out]);
        let expected = format!("agentwire: {out} is the session itself: name another file with -o\n");
        assert_eq!((done.status.code(), text(&done.stderr)), (Some(2), &*expected));
    }
    assert_eq!(fs::read(session).unwrap(), fs::read(fixture()).unwrap());
}

#[test]
fn served_page_follows_the_file_and_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    fs::copy(fixture(), &file).unwrap();
    let serving = Serving::start(&["view", "--serve", file.to_str().unwrap()]);
    let (address, path) = serving.place();
    let host = format!("Host: {address}\r\n");
    assert!(serving.get(path, &host).contains("<iframe src=\"page\">"));
    assert!(serving.get(&format!("{path}page"), &host).contains("<!doctype html>"));
    for part in ["", "page", "version"] {
        let answer = serving.get(&format!("{path}{part}"), &host);
        assert!(answer.contains("\r\ncache-control: no-store\r\n"), "{part}: {answer:.500}");
    }
    let version = |serving: &Serving| {
        serving.get(&format!("{path}version"), &host).split("\r\n\r\n").nth(1).unwrap().to_owned()
    };
    let before = version(&serving);
    fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(b"< {\"type\":\"later\"}\n").unwrap();
    assert_ne!(version(&serving), before);
    assert!(serving.get(&format!("{path}page"), &host).contains("later"));
    assert!(serving.get("/", &host).starts_with("HTTP/1.1 404"), "the path without the token");
    assert!(serving.get(path, "Host: example.org\r\n").starts_with("HTTP/1.1 403"));
    assert!(serving.get(path, &format!("{host}Origin: http://example.org\r\n")).starts_with("HTTP/1.1 403"));
}

/// Sends a signal, and returns the exit code of the program, which must end.
pub(super) async fn code_after(name: &str, program: &mut Child) -> Option<i32> {
    signal(program, name);
    code_of(program).await
}

#[tokio::test]
async fn signal_ends_a_served_page() {
    for name in SIGNALS {
        let mut serving = Serving::start(&["view", "--serve", fixture().to_str().unwrap()]);
        assert_eq!(code_after(name, &mut serving.program).await, Some(0), "{name}");
    }
}

/// A serving program, which is ended on drop.
pub(super) struct Serving {
    pub(super) program: Child,
    pub(super) first: Value,
}

impl Serving {
    pub(super) fn start(arguments: &[&str]) -> Self {
        Self::spawn(&mut agentwire(arguments))
    }

    pub(super) fn spawn(command: &mut Command) -> Self {
        let mut program = command.arg("--json").stdout(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut first).unwrap();
        Self { program, first: serde_json::from_str(&first).unwrap() }
    }

    /// Returns the address and the path of the printed URL.
    pub(super) fn place(&self) -> (&str, &str) {
        let url = self.first["url"].as_str().unwrap().strip_prefix("http://").unwrap();
        url.split_at(url.find('/').unwrap())
    }

    /// Sends a GET request with these header lines, and returns the answer.
    pub(super) fn get(&self, path: &str, headers: &str) -> String {
        self.send("GET", path, headers, "")
    }

    /// Sends a request with these header lines and this body, and returns the answer.
    pub(super) fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let mut answer = String::new();
        self.open(method, path, headers, body).read_to_string(&mut answer).unwrap();
        answer
    }

    /// Sends the same request, and returns the connection, from which its answer can be read.
    pub(super) fn open(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.place().0).unwrap();
        let length = body.len();
        let headers = format!("Connection: close\r\nContent-Length: {length}\r\n{headers}");
        write!(stream, "{method} {path} HTTP/1.1\r\n{headers}\r\n{body}").unwrap();
        stream
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

pub(super) const SIGNALS: [&str; 3] = ["INT", "TERM", "HUP"];
