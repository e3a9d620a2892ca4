//! Every fault has a row, every row has its tests, and `docs/faults.md` shows both.

use std::{collections::BTreeSet, fs, path::PathBuf};

use agentwire_testkit::faults::Fault;

use crate::runner::tests;

tests!(rows: every_fault_has_a_row, every_row_has_its_tests, every_test_has_a_row, the_documentation_is_up_to_date);

/// What clients have failed at, what the fault CLI plays of it, and the tests that hold us to what is right.
struct Row {
    seen: &'static str,
    right: &'static str,
    faults: &'static [Fault],
    tests: &'static [&'static str],
}

use Fault as F;

const ROWS: &[Row] = &[
    Row {
        seen: "The CLI crashes in mid-turn, with text on stderr, or is killed",
        right: "The stream yields what came, then one typed error with exit code or signal and the end of stderr",
        faults: &[F::Crash, F::Killed],
        tests: &[
            "ending::a_crash",
            "ending::a_crash_of_a_query",
            "ending::a_crash_after_a_flood_of_stderr",
            "ending::a_crash_fails_every_call",
            "ending::killed",
            "ending::killed_while_idle",
            "ending::a_crash_while_nobody_reads",
        ],
    },
    Row {
        seen: "The CLI exits during `initialize`",
        right: "The pending call fails at once with the `errors` of the `result` frame, else the end of stderr",
        faults: &[F::RefuseResume, F::RefuseStart],
        tests: &["handshake::a_refused_resume", "handshake::a_refused_start"],
    },
    Row {
        seen: "The CLI never answers `initialize`, or ends or takes no more input right after it",
        right: "Giving up leaves nothing; the cause is the exit code and the end of stderr, not a broken pipe",
        faults: &[F::NoReply, F::ExitIdle, F::CloseStdin],
        tests: &[
            "handshake::no_answer",
            "handshake::an_exit_right_after_it",
            "handshake::input_is_refused_right_after_it",
            "handshake::given_up_handshakes_leave_nothing_after_seconds",
        ],
    },
    Row {
        seen: "The CLI asks while `initialize` is open",
        right: "It is answered then and there",
        faults: &[F::EarlyRequest],
        tests: &["handshake::a_callback_in_the_handshake", "handshake::an_unknown_request_in_the_handshake"],
    },
    Row {
        seen: "Exit code 1 after a `result` with `is_error`",
        right: "That result, with its text, is the error; the exit code is attached",
        faults: &[F::ErrorResult],
        tests: &["ending::an_error_result"],
    },
    Row {
        seen: "Exit 0 in the middle of a turn, or a result cut off by the end of output",
        right: "An error: the turn has no result",
        faults: &[F::ExitInTurn, F::CutResult],
        tests: &["ending::exit_0_in_mid_turn", "ending::a_cut_result", "ending::a_query_that_is_cut"],
    },
    Row {
        seen: "The CLI is dead but something else holds its stdout; or it closes stdout and lives on",
        right: "What was written is delivered, then the end is reported, bounded",
        faults: &[F::Grandchild, F::Stranger, F::CloseStdout],
        tests: &[
            "ending::a_grandchild_holds_stdout",
            "ending::a_stranger_holds_stdout",
            "ending::a_stranger_holds_stderr",
            "ending::stdout_is_closed",
        ],
    },
    Row {
        seen: "After a one-shot query's result the CLI neither exits nor heeds the end of input",
        right: "Bounded like close",
        faults: &[F::Deaf],
        tests: &["closing::a_query_whose_cli_is_deaf"],
    },
    Row {
        seen: "A stray line that is not JSON",
        right: "Shown as noise, the session goes on",
        faults: &[F::StrayLine],
        tests: &["lines::stray_lines"],
    },
    Row {
        seen: "Blank lines, CRLF, a byte order mark",
        right: "No effect",
        faults: &[F::OddEnds],
        tests: &["lines::odd_ends"],
    },
    Row {
        seen: "Unknown `type`, `subtype`, content block, stream event, enum value",
        right: "Kept, raw and typed as unknown; everything else goes on",
        faults: &[F::Unknown],
        tests: &["lines::unknown_kinds"],
    },
    Row {
        seen: "A known type without what it would be nothing without",
        right: "That one line is undecodable, with its text and the error; the session goes on",
        faults: &[F::Undecodable, F::BrokenResult],
        tests: &["lines::undecodable", "lines::a_result_that_cannot_be_read"],
    },
    Row {
        seen: "A turn that ends without a `result`",
        right: "The turn ends when the CLI is idle",
        faults: &[F::NoResult],
        tests: &["lines::a_turn_without_a_result_ends_when_the_cli_is_idle"],
    },
    Row {
        seen: "Lines of 5 MB, of 25 MB",
        right: "Read in linear time up to a limit; past it one error for that line, then the session goes on",
        faults: &[F::LongLine, F::LongResult],
        tests: &[
            "lines::long_lines",
            "lines::a_line_past_the_limit",
            "lines::a_result_past_the_limit_ends_its_turn",
        ],
    },
    Row {
        seen: "A long session (50 MB in all)",
        right: "No total limit",
        faults: &[F::Messages, F::MessageBytes],
        tests: &["volume::a_long_session"],
    },
    Row {
        seen: "A character of several bytes across two reads",
        right: "No effect",
        faults: &[F::SplitUtf8],
        tests: &["lines::characters_across_reads"],
    },
    Row {
        seen: "Lone surrogate escapes, invalid UTF-8 bytes",
        right: "The line is kept and reported; the session goes on",
        faults: &[F::Surrogate, F::BadUtf8],
        tests: &["lines::lone_surrogates", "lines::invalid_utf8"],
    },
    Row {
        seen: "The user does not read messages for a while",
        right: "Bounded memory, backpressure, nothing lost",
        faults: &[F::Messages, F::MessageBytes],
        tests: &["volume::nobody_reads_for_a_while"],
    },
    Row {
        seen: "A control call while 2,000 messages are unread",
        right: "The call completes, the messages are still there, in order",
        faults: &[F::Messages],
        tests: &["volume::a_call_while_2000_messages_are_unread", "volume::a_call_past_the_limit"],
    },
    Row {
        seen: "A hook is called behind 2,000 unread messages",
        right: "It runs, though the caller reads only after it",
        faults: &[F::Messages, F::Hooks],
        tests: &["volume::hook_behind_2000_unread_messages_runs"],
    },
    Row {
        seen: "200 control calls in a row; 20 at once, answered in any order",
        right: "All complete, each with its own answer",
        faults: &[F::ReverseReplies],
        tests: &["volume::calls_in_a_row_while_nobody_reads", "calls::twenty_at_once_answered_backwards"],
    },
    Row {
        seen: "A reply with `subtype: \"error\"`",
        right: "A typed error with the CLI's text and `error_code`",
        faults: &[F::ErrorReply],
        tests: &["calls::an_error_reply"],
    },
    Row {
        seen: "A reply that never comes; comes twice; comes late; has an unknown id; lacks `response`",
        right: "A time-out error; the rest ignored and counted",
        faults: &[F::NoReply, F::DoubleReply, F::LateReply, F::StrayReply, F::EmptyReply, F::HollowReply],
        tests: &[
            "calls::no_reply",
            "calls::a_reply_that_comes_twice",
            "calls::a_late_reply",
            "calls::a_reply_to_nobody",
            "calls::a_reply_without_a_response",
            "calls::a_hollow_reply",
        ],
    },
    Row {
        seen: "The CLI reads none of its input, prompt after prompt",
        right: "Sending ends within a limit, with an error that says that the prompt was not sent",
        faults: &[F::Frozen],
        tests: &["calls::prompt_that_a_frozen_cli_does_not_read_is_not_sent"],
    },
    Row {
        seen: "A request of a subtype that we do not know, or without its fields",
        right: "An error reply naming the subtype; shown to the user",
        faults: &[F::UnknownRequest, F::BrokenRequest],
        tests: &["callbacks::an_unknown_request", "callbacks::a_request_without_its_fields"],
    },
    Row {
        seen: "A request that comes twice, a cancel of one that never came",
        right: "Answered once; the rest ignored and counted",
        faults: &[F::DuplicateRequest, F::StrayCancel],
        tests: &["callbacks::a_request_that_comes_twice", "callbacks::a_cancel_of_nothing"],
    },
    Row {
        seen: "No permission callback",
        right: "An error reply (the CLI denies); never an allow",
        faults: &[F::Permission],
        tests: &["callbacks::no_permission_callback", "callbacks::a_failing_permission_callback"],
    },
    Row {
        seen: "A permission callback given the wrong fields",
        right: "Fields as the wire has them",
        faults: &[F::Permission],
        tests: &["callbacks::permission_with_all_fields"],
    },
    Row {
        seen: "A hook that panics or errs",
        right: "Isolated, and answered with a refusal wherever the event can refuse, unless the user chose to continue",
        faults: &[F::Hooks],
        tests: &[
            "callbacks::a_hook_that_panics",
            "callbacks::a_hook_that_errs",
            "callbacks::a_hook_that_may_fail",
        ],
    },
    Row {
        seen: "A hook that is slower than its limit",
        right: "The CLI cancels and decides; the handler's token fires, its future is dropped, nothing is sent",
        faults: &[F::HookTimeout],
        tests: &["callbacks::a_hook_that_is_too_slow"],
    },
    Row {
        seen: "A hook that calls `interrupt()` or any other method",
        right: "Works",
        faults: &[F::Hooks],
        tests: &["callbacks::a_hook_may_call_anything", "callbacks::a_hook_may_interrupt"],
    },
    Row {
        seen: "50 hook callbacks at once",
        right: "Run concurrently",
        faults: &[F::Hooks],
        tests: &["callbacks::fifty_hooks_at_once", "volume::a_thousand_hooks_at_once"],
    },
    Row {
        seen: "`control_cancel_request`",
        right: "The callback's token fires, its future is dropped after a grace, no late reply",
        faults: &[F::CancelPermission],
        tests: &["callbacks::a_question_that_is_taken_back"],
    },
    Row {
        seen: "Messages after the first `result` (background work)",
        right: "A result ends a turn, not the run; input closes when the run is over",
        faults: &[F::Background],
        tests: &["callbacks::background_work_of_a_query", "callbacks::background_work_of_a_session"],
    },
    Row {
        seen: "An interrupted turn, with prompts that wait behind it",
        right: "Its leftovers do not leak into the next turn; receipts say what becomes of each prompt",
        faults: &[F::HoldTurn, F::Messages],
        tests: &["turns::leftovers_do_not_leak", "turns::receipts"],
    },
    Row {
        seen: "The CLI is killed by somebody else while prompts wait",
        right: "The end reaches everything that waits, at once, with the signal",
        faults: &[F::HoldTurn],
        tests: &["turns::killed_while_prompts_wait"],
    },
    Row {
        seen: "The CLI ignores end of input at close",
        right: "End of input, grace, SIGTERM to the process group, grace, SIGKILL, reaped; all bounded",
        faults: &[F::Deaf, F::Stubborn, F::Frozen, F::Stopped],
        tests: &[
            "closing::the_end_of_input_is_ignored",
            "closing::sigterm_is_ignored",
            "closing::frozen",
            "closing::stopped",
        ],
    },
    Row {
        seen: "A session ends that no prompt was sent to, and the CLI ignores end of input",
        right: "As above, and within two seconds: there is no conversation to store",
        faults: &[F::Deaf, F::Stubborn],
        tests: &[
            "closing::session_without_a_prompt_has_a_short_grace",
            "closing::spare_that_is_never_claimed_has_a_short_grace",
        ],
    },
    Row {
        seen: "Close or drop in mid-turn",
        right: "Flush first, as above; dropping does the same in the background, without needing the caller's runtime",
        faults: &[F::HoldTurn, F::Transcript],
        tests: &[
            "closing::close_in_mid_turn_stores",
            "closing::without_a_grace_nothing_is_stored",
            "closing::drop_in_mid_turn_stores",
            "closing::drop_while_nobody_drives_the_runtime_stores",
            "closing::drop_after_the_runtime_stores",
            "closing::a_query_that_is_dropped",
        ],
    },
    Row {
        seen: "A grandchild holds stdout open, or outlives the CLI",
        right: "The whole process group ends; close is bounded",
        faults: &[F::Grandchild, F::QuietGrandchild, F::Stranger],
        tests: &[
            "closing::a_grandchild_outlives_it",
            "closing::a_quiet_grandchild_outlives_it",
            "closing::dropped_with_a_grandchild",
            "closing::a_query_whose_output_is_held_open",
            "closing::a_stranger_outlives_it",
        ],
    },
    Row {
        seen: "The exit status is lost, since the host ignores SIGCHLD",
        right: "A good end is good, a cut turn is an error, and the process group ends",
        faults: &[F::Crash, F::RefuseStart, F::Grandchild, F::QuietGrandchild, F::Deaf],
        tests: &["status::host_that_ignores_sigchld"],
    },
    Row {
        seen: "A flood of stderr",
        right: "Always drained; a bounded tail kept; callback optional",
        faults: &[F::StderrFlood],
        tests: &["volume::a_flood_of_stderr", "ending::a_crash_after_a_flood_of_stderr"],
    },
    Row {
        seen: "A prompt larger than the pipe while the CLI writes",
        right: "Read and write proceed together",
        faults: &[F::TalkFirst],
        tests: &["volume::a_prompt_larger_than_the_pipe"],
    },
    Row {
        seen: "Missing binary, not executable, missing working directory, argument list too long",
        right: "Each its own error, naming the path searched or the directory",
        faults: &[],
        tests: &[
            "starting::no_such_program",
            "starting::found_nowhere",
            "starting::not_executable",
            "starting::no_such_directory",
            "starting::arguments_too_long",
        ],
    },
    Row {
        seen: "No fault at all",
        right: "Two turns and a good end, and nothing is left",
        faults: &[],
        tests: &["closing::a_good_session"],
    },
];

fn every_fault_has_a_row() {
    let played: BTreeSet<Fault> = ROWS.iter().flat_map(|row| row.faults).copied().collect();
    let forgotten: Vec<_> = Fault::ALL.iter().filter(|fault| !played.contains(fault)).collect();
    assert!(forgotten.is_empty(), "{forgotten:?}");
}

fn every_row_has_its_tests() {
    let tests: BTreeSet<&str> = crate::TESTS.iter().copied().flatten().map(|(name, _)| *name).collect();
    for row in ROWS {
        assert!(!row.tests.is_empty(), "{}", row.seen);
        let missing: Vec<_> = row.tests.iter().filter(|test| !tests.contains(*test)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", row.seen);
    }
}

fn every_test_has_a_row() {
    let named: BTreeSet<&str> = ROWS.iter().flat_map(|row| row.tests).copied().collect();
    let tests = crate::TESTS.iter().copied().flatten().map(|(name, _)| *name);
    let loose: Vec<_> =
        tests.filter(|test| !OWN.iter().any(|own| test.starts_with(own)) && !named.contains(test)).collect();
    assert!(loose.is_empty(), "{loose:?}");
}

fn the_documentation_is_up_to_date() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/faults.md");
    let text = fs::read_to_string(&file).unwrap();
    let (begin, _) = text.split_once(BEGIN).expect("the mark where the tables begin");
    let expected = format!("{begin}{BEGIN}\n\n{}", tables());
    if text != expected && std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, &expected).unwrap();
    } else {
        assert_eq!(text, expected, "run again with UPDATE_EXPECT=1");
    }
}

fn tables() -> String {
    let mut text = String::from(
        "## Flags\n\n| flag | by default | what the fault CLI does | what is right |\n|---|---|---|---|\n",
    );
    for fault in Fault::ALL {
        let default = fault.default_value().unwrap_or_default();
        text.push_str(&format!(
            "| `{}` | {default} | {} | {} |\n",
            fault.usage(),
            fault.does(),
            fault.right()
        ));
    }
    text.push_str(
        "\n## What clients have failed at\n\n| fault | what is right | flags | tests |\n|---|---|---|---|\n",
    );
    for row in ROWS {
        let flags: Vec<String> = row.faults.iter().map(|fault| format!("`{}`", fault.name())).collect();
        let tests: Vec<String> = row.tests.iter().map(|test| format!("`{test}`")).collect();
        text.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            row.seen,
            row.right,
            flags.join(", "),
            tests.join(", ")
        ));
    }
    text
}

/// The families that look at the tests themselves.
const OWN: [&str; 2] = ["rows::", "left::"];
const BEGIN: &str = "<!-- What follows is written by the test `rows::the_documentation_is_up_to_date`. -->";
