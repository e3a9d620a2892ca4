//! The faults: the flag, the behavior and the correct reaction of each.

use crate::fault_list::fault_list;
use crate::fault_plan::{self, Plan, Takes};
use Takes::{File, Nothing, Number, Subtype};

fault_list! {
    /// A fault of the fault CLI.
    Fault;
    Crash "crash" Number("CODE", 3),
        "Writes `fatal: out of memory` to stderr and exits with CODE in the middle of the turn, after an assistant message.",
        "Earlier messages are delivered, then one error with the exit code and the end of stderr.";
    Killed "killed" Nothing,
        "Ends itself by SIGKILL in the middle of the turn.",
        "Earlier messages are delivered, then one error with the signal.";
    RefuseStart "refuse-start" Nothing,
        "Writes `error: unknown option '--nope'` to stderr and exits with 1, without a frame.",
        "The pending call fails at once with that text and the exit code.";
    RefuseResume "refuse-resume" Nothing,
        "Answers `initialize` with a `result` of `errors: [\"No conversation found …\"]` and exits with 1.",
        "The pending call fails at once with the text of `errors`.";
    ErrorResult "error-result" Nothing,
        "The turn ends with a `result` that has `is_error`, and the process then exits with 1.",
        "The result is delivered; its text is the error, and the exit code is attached.";
    ExitInTurn "exit-in-turn" Nothing,
        "Exits with 0 in the middle of the turn.",
        "An error: the turn has no result.";
    CutResult "cut-result" Nothing,
        "Writes half of the `result` line, without its newline, and exits with 0.",
        "The half is shown as what can't be read, then an error: the turn has no result.";
    NoResult "no-result" Nothing,
        "Goes idle at the end of a turn, without a `result`.",
        "The turn ends, without a result; a later turn works.";
    LongResult "long-result" Number("BYTES", 2_000_000),
        "Ends its turns with a `result` with a text of BYTES bytes; its `type` comes after the text.",
        "Over the limit of a line, the turn ends with an error that names the limit; a later turn works.";
    ExitIdle "exit-idle" Number("CODE", 4),
        "Writes `fatal: nothing to do` to stderr and exits with CODE right after the handshake.",
        "The next call or turn fails with the exit code and the end of stderr, and not with a broken pipe.";
    CloseStdin "close-stdin" Nothing,
        "Closes stdin right after the handshake, and lives on in silence.",
        "The next prompt fails in bounded time, and the process is ended.";
    CloseStdout "close-stdout" Nothing,
        "Closes stdout in the middle of the turn, and lives on.",
        "Earlier messages are delivered, then the end is reported in bounded time, and the process is ended.";
    Grandchild "grandchild" Nothing,
        "Has started a process that holds all its pipes, ignores SIGTERM and outlives it.",
        "Ends are reported in bounded time; the process group is ended, this one included.";
    QuietGrandchild "quiet-grandchild" Nothing,
        "As `grandchild`, but it holds none of the pipes, so that only the process group reveals it.",
        "It is gone when the session is.";
    Stranger "stranger" Nothing,
        "Has started a process that holds all its pipes and has left the process group.",
        "Ends are reported in bounded time, though the pipes never end.";
    Deaf "deaf" Nothing,
        "Neither exits nor listens when its input has ended.",
        "After a grace period it receives SIGTERM, and is reaped.";
    Stubborn "stubborn" Nothing,
        "As `deaf`, and ignores SIGTERM.",
        "After two grace periods it receives SIGKILL, and is reaped.";
    Frozen "frozen" Nothing,
        "Neither reads nor writes nor ends after the handshake.",
        "Calls time out, prompts wait without blocking other callers, and closing is bounded.";
    Stopped "stopped" Nothing,
        "Stops itself (SIGSTOP) in the middle of the turn, so that SIGTERM does not reach it.",
        "Closing is bounded: it receives SIGKILL, and is reaped.";
    HoldTurn "hold-turn" Number("N", 1000),
        "The first N turns go on until they are interrupted or the input has ended.",
        "Closing or dropping ends the input, and gives the turn its time.";
    Transcript "transcript" File,
        "Stores its output in FILE, and after the end of its input takes a moment to write the last line, `the end`.",
        "The last line is there after close, and some time after a drop.";
    StrayLine "stray-line" Nothing,
        "Prints lines on stdout that are not JSON objects.",
        "Each is delivered as it is, and the session goes on.";
    Unknown "unknown" Nothing,
        "Sends an unknown type, subtype, content block, stream event, session state and stop reason.",
        "Each is delivered unchanged, typed as unknown, and the session goes on.";
    Undecodable "undecodable" Nothing,
        "Sends known types with a missing or wrong-typed field, and a line that is cut.",
        "Each is shown with its text and the error, and the session goes on.";
    BrokenResult "broken-result" Nothing,
        "The turn's `result` has a wrong-typed field.",
        "The turn ends with an error that has the line; the session goes on.";
    OddEnds "odd-ends" Nothing,
        "Begins lines with a byte order mark, ends them with CRLF, and sends blank lines between them.",
        "No effect.";
    LongLine "long-line" Number("BYTES", 5_000_000),
        "Sends an assistant message of BYTES characters.",
        "It is read, in linear time, up to a limit; past that one error, and the session goes on.";
    Messages "messages" Number("N", 2000),
        "Sends N numbered assistant messages, `1 of N …` and so on, at the start of each turn.",
        "All arrive, in order, however slowly they are read, and memory stays bounded.";
    MessageBytes "message-bytes" Number("BYTES", 1000),
        "The numbered messages have this many bytes each.",
        "There is no limit on a session as a whole.";
    SplitUtf8 "split-utf8" Nothing,
        "Sends characters of several bytes, written so that reads end in the middle of them.",
        "The text arrives as it is.";
    Surrogate "surrogate" Nothing,
        "Sends a text with the lone surrogate escape `\\ud800`.",
        "The message arrives, its line as it came, and the session goes on.";
    BadUtf8 "bad-utf8" Nothing,
        "Sends a line with a byte that is no UTF-8.",
        "The line is delivered unchanged, and the session goes on.";
    TalkFirst "talk-first" Number("BYTES", 1_000_000),
        "Sends BYTES of messages after the handshake before it reads anything more.",
        "Writing and reading proceed together: a prompt larger than the pipe gets through.";
    StderrFlood "stderr-flood" Number("BYTES", 2_000_000),
        "Writes BYTES to stderr before it shakes hands, and `the last line of stderr`.",
        "Stderr is always drained, and its end is stored up to a bound.";
    ErrorReply "error-reply" Subtype,
        "Refuses control requests: an error reply with the `error_code` `unsupported_request`.",
        "A typed error with the text and the code, never an `Ok`.";
    NoReply "no-reply" Subtype,
        "Never replies.",
        "A time-out error when the limit runs out; the request is cancelled.";
    LateReply "late-reply" Subtype,
        "Replies only once the request was cancelled.",
        "The reply is ignored and counted.";
    DoubleReply "double-reply" Nothing,
        "Sends each reply twice.",
        "The second is ignored and counted.";
    StrayReply "stray-reply" Nothing,
        "Sends a reply to an unknown id, before each reply.",
        "It is ignored and counted.";
    EmptyReply "empty-reply" Nothing,
        "Replies with a success that has no `response`.",
        "The call succeeds where its reply needs no field.";
    HollowReply "hollow-reply" Nothing,
        "Sends a `control_response` without its `response`, before each reply.",
        "It is ignored or shown, and the session goes on.";
    ReverseReplies "reverse-replies" Number("N", 20),
        "Collects N requests, and answers the last of them first.",
        "Each call has its own answer.";
    Permission "permission" Number("N", 1),
        "Asks N times whether it may use a tool (`can_use_tool`), one after another, and waits.",
        "Each is answered, and never by an allow without a decision.";
    CancelPermission "cancel-permission" Number("MS", 100),
        "Cancels each of these questions after MS milliseconds.",
        "The callback is cancelled, and dropped after a grace period; nothing is sent.";
    Hooks "hooks" Number("N", 1),
        "Calls the declared `PreToolUse` callbacks N times at once, and waits.",
        "They run at once; a failing one is answered with a refusal.";
    HookTimeout "hook-timeout" Number("MS", 100),
        "Cancels these calls after MS milliseconds, and refuses the tool.",
        "The callback is cancelled, and dropped after a grace period; nothing is sent.";
    UnknownRequest "unknown-request" Nothing,
        "Sends a control request of an unknown subtype, and waits for the answer.",
        "An error reply that names the subtype; the request is shown.";
    BrokenRequest "broken-request" Nothing,
        "Sends a `can_use_tool` without its fields, and waits for the answer.",
        "An error reply, never an allow; the line is shown.";
    DuplicateRequest "duplicate-request" Nothing,
        "Sends a `can_use_tool` twice with one id, and waits for the answer.",
        "It is answered once; the second is ignored and counted.";
    StrayCancel "stray-cancel" Nothing,
        "Cancels a request that it never made.",
        "It is ignored and counted.";
    EarlyRequest "early-request" Nothing,
        "Calls a declared callback, or sends an unknown request, before it answers `initialize`, and waits.",
        "Answered while the handshake is still open.";
    Background "background" Number("N", 1),
        "Goes on after the result: N times a callback, a question and a further result, then idle.",
        "A result ends a turn and not the run: callbacks work until the run is over.";
}

impl Fault {
    /// Returns the flag as it is written on a command line, with its argument.
    pub fn usage(self) -> String {
        fault_plan::usage(self)
    }

    /// Returns the default of the argument, as text for the help.
    pub fn default_value(self) -> Option<String> {
        fault_plan::default_value(self)
    }
}

impl Plan<Fault> {
    /// Returns whether a fault of replies concerns this request.
    pub(super) fn is_about(&self, fault: Fault, subtype: &str) -> bool {
        self.has(fault) && self.text(fault).map_or(subtype != "initialize", |about| about == subtype)
    }
}
