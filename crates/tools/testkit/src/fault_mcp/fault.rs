//! The faults of a server: the flag, the behavior and the correct reaction of each.

use crate::fault_list::fault_list;
use crate::fault_plan::Takes::{Nothing, Number};

fault_list! {
    /// A fault of the misbehaving server.
    McpFault;
    ExitStart "exit-start" Number("CODE", 3),
        "Writes `ERROR: the key is missing` to stderr and exits with CODE (3) before the handshake.",
        "The start fails at once with the exit code and the end of stderr.";
    HangStart "hang-start" Nothing,
        "Never answers `initialize`.",
        "The start fails after its limit, the process is ended, and no other server waits for it.";
    SlowStart "slow-start" Number("N", 300),
        "Answers `initialize` after this many milliseconds (300).",
        "Other servers start meanwhile.";
    MuteList "mute-list" Number("N", 1),
        "Offers a prompt too, and does not answer `prompts/list` from the given time on (1: never).",
        "It is still connected; its tools are there, and the known prompts stay.";
    ExitSoon "exit-soon" Number("CODE", 4),
        "Exits with CODE (4) after it has answered the first `tools/list`.",
        "It is restarted with growing waits, and given up after a number of times.";
    Deaf "deaf" Nothing,
        "Does not end with its input.",
        "It is sent SIGTERM after a grace.";
    Stubborn "stubborn" Nothing,
        "Ignores SIGTERM.",
        "Where its input does not end it, it is sent SIGKILL after another grace.";
    Grandchild "grandchild" Nothing,
        "Starts a process that ignores SIGTERM and holds stdin, stdout and stderr.",
        "That ends too, and the end of the server is seen in spite of it.";
    QuietGrandchild "quiet-grandchild" Nothing,
        "The same, but it holds none of the three.",
        "That ends too.";
    Noise "noise" Number("N", 3),
        "Writes this many lines (3) to stdout before each answer that are not messages.",
        "They are skipped and reported; calls work.";
    StderrFlood "stderr-flood" Number("N", 10_000_000),
        "Writes this many bytes (10,000,000) to stderr at its start.",
        "They are read and kept within a bound.";
    Levels "levels" Nothing,
        "Writes a line of each of `INFO`, `WARNING` and `ERROR`, and one without a level, to stderr at its start.",
        "They are kept, and none of them is an error of the server.";
    Die "die" Number("CODE", 5),
        "`fault` writes `FATAL: out of memory` to stderr and exits with CODE (5) without an answer.",
        "The call fails at once, and the server is started again.";
    CutAnswer "cut-answer" Nothing,
        "`fault` writes half of its answer and exits with 0.",
        "The same; half a message is not a message.";
    CloseStdout "close-stdout" Nothing,
        "`fault` closes stdout and lives on.",
        "The same; the process is ended.";
    CloseStdin "close-stdin" Nothing,
        "`fault` closes stdin and lives on, with stdout open and without an answer.",
        "What is sent next fails, and the server is ended and started again.";
    Never "never" Nothing,
        "`fault` does not answer, and the server goes on.",
        "The call fails after its limit, the server is notified, and other calls work.";
    StopReading "stop-reading" Nothing,
        "`fault` does not answer, and nothing is read after it.",
        "What waits for it has a bound, past which calls fail at once; the server is ended and started again.";
    Freeze "freeze" Nothing,
        "`fault` answers, and nothing is read after it.",
        "That is noticed while nobody calls, and the server is ended and started again.";
    NoPing "no-ping" Nothing,
        "Does not answer `ping`.",
        "It stays connected: a method that it never had says nothing about its life.";
    Big "big" Number("N", 50_000_000),
        "`fault` answers with a text of this many bytes (50,000,000).",
        "It is taken or refused by name, and the server stays connected.";
    Twice "twice" Nothing,
        "`fault` answers twice with the same id, and `echo` once more with the id of the call before it.",
        "The first answer counts.";
    Drip "drip" Number("N", 2),
        "`fault` writes its answer a byte at a time, this many milliseconds (2) apart.",
        "The call succeeds.";
    Storm "storm" Number("N", 1000),
        "`fault` reports this many times (1000) before it answers that its tools have changed, and after each `tools/list` it does so again.",
        "Calls work, and the lists are read again now and then.";
    Progress "progress" Number("N", 5),
        "`fault` reports its progress this many times (5), 100 milliseconds apart, before it answers.",
        "A caller that wants progress receives it, in order.";
}
