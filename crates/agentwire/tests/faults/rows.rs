//! Maps faults to tests: every fault has a row, every row has tests, and `docs/internals/faults.md` lists both.

use std::{collections::BTreeSet, fs, path::PathBuf};

use agentwire_testkit::faults::Fault;

use crate::runner::tests;

tests!(rows: every_fault_has_a_row, every_row_has_its_tests, every_test_has_a_row, the_documentation_is_up_to_date);

/// A failure seen in clients, the faults that reproduce it, and the tests of the right behaviour.
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
        right: "The stream yields earlier messages, then one typed error with exit code or signal and the end of stderr",
        faults: &[F::Crash, F::Killed],
        tests: &[
            "ending::crash_is_reported_after_earlier_messages",
            "ending::crash_ends_a_query_with_an_error",
            "ending::crash_keeps_the_end_of_a_stderr_flood",
            "ending::crash_fails_every_call",
            "ending::kill_is_reported_with_its_signal",
            "ending::kill_of_an_idle_cli_is_reported",
            "ending::crash_of_an_unread_session_loses_no_messages",
        ],
    },
    Row {
        seen: "The CLI exits during `initialize`",
        right: "The pending call fails at once with the `errors` of the `result` frame, else the end of stderr",
        faults: &[F::RefuseResume, F::RefuseStart],
        tests: &[
            "handshake::refused_resume_fails_with_the_result_text",
            "handshake::refused_start_fails_with_stderr",
        ],
    },
    Row {
        seen: "The CLI never answers `initialize`, or ends or takes no more input right after it",
        right: "Giving up leaves nothing; the cause is the exit code and the end of stderr, not a broken pipe",
        faults: &[F::NoReply, F::ExitIdle, F::CloseStdin],
        tests: &[
            "handshake::handshake_without_answer_times_out",
            "handshake::exit_after_the_handshake_is_reported",
            "handshake::closed_input_after_the_handshake_is_reported",
            "handshake::abandoned_handshakes_leave_nothing_after_seconds",
        ],
    },
    Row {
        seen: "The CLI asks while `initialize` is open",
        right: "It is answered then and there",
        faults: &[F::EarlyRequest],
        tests: &[
            "handshake::callback_in_the_handshake_is_answered",
            "handshake::unknown_request_in_the_handshake_gets_an_error_reply",
        ],
    },
    Row {
        seen: "Exit code 1 after a `result` with `is_error`",
        right: "That result, with its text, is the error; the exit code is attached",
        faults: &[F::ErrorResult],
        tests: &["ending::error_result_is_reported_with_the_exit_code"],
    },
    Row {
        seen: "Exit 0 in the middle of a turn, or a result cut off by the end of output",
        right: "An error: the turn has no result",
        faults: &[F::ExitInTurn, F::CutResult],
        tests: &[
            "ending::exit_0_during_a_turn_is_an_error",
            "ending::truncated_result_is_an_error",
            "ending::truncated_query_ends_with_an_error",
        ],
    },
    Row {
        seen: "The CLI is dead but something else holds its stdout; or it closes stdout and lives on",
        right: "Written output is delivered, then the end is reported, bounded",
        faults: &[F::Grandchild, F::Stranger, F::CloseStdout],
        tests: &[
            "ending::end_is_reported_though_a_grandchild_holds_stdout",
            "ending::end_is_reported_though_a_stranger_holds_stdout",
            "ending::end_is_reported_though_a_stranger_holds_stderr",
            "ending::closed_stdout_ends_the_session",
        ],
    },
    Row {
        seen: "After a one-shot query's result the CLI neither exits nor reacts to the end of input",
        right: "Bounded like close",
        faults: &[F::Deaf],
        tests: &["closing::query_ends_though_the_cli_ignores_the_end_of_input"],
    },
    Row {
        seen: "A stray line that is not JSON",
        right: "Shown as noise, the session goes on",
        faults: &[F::StrayLine],
        tests: &["lines::stray_lines_are_delivered"],
    },
    Row {
        seen: "Blank lines, CRLF, a byte order mark",
        right: "No effect",
        faults: &[F::OddEnds],
        tests: &["lines::odd_line_ends_have_no_effect"],
    },
    Row {
        seen: "Unknown `type`, `subtype`, content block, stream event, enum value",
        right: "Kept, raw and typed as unknown; everything else goes on",
        faults: &[F::Unknown],
        tests: &["lines::unknown_kinds_are_kept"],
    },
    Row {
        seen: "A known type without a required part",
        right: "That one line is undecodable, with its text and the error; the session goes on",
        faults: &[F::Undecodable, F::BrokenResult],
        tests: &["lines::undecodable_lines_are_kept", "lines::undecodable_result_ends_its_turn"],
    },
    Row {
        seen: "A turn that ends without a `result`",
        right: "The turn ends when the CLI is idle",
        faults: &[F::NoResult],
        tests: &["lines::turn_without_a_result_ends_when_the_cli_is_idle"],
    },
    Row {
        seen: "Lines of 5 MB, of 25 MB",
        right: "Read in linear time up to a limit; past it one error for that line, then the session goes on",
        faults: &[F::LongLine, F::LongResult],
        tests: &[
            "lines::long_lines_are_delivered",
            "lines::overlong_line_is_reported_once",
            "lines::overlong_result_ends_its_turn",
        ],
    },
    Row {
        seen: "A long session (50 MB in all)",
        right: "No total limit",
        faults: &[F::Messages, F::MessageBytes],
        tests: &["volume::long_session_has_no_total_limit"],
    },
    Row {
        seen: "A character of several bytes across two reads",
        right: "No effect",
        faults: &[F::SplitUtf8],
        tests: &["lines::characters_across_reads_are_intact"],
    },
    Row {
        seen: "Lone surrogate escapes, invalid UTF-8 bytes",
        right: "The line is delivered and reported; the session goes on",
        faults: &[F::Surrogate, F::BadUtf8],
        tests: &["lines::lone_surrogates_are_kept", "lines::invalid_utf8_is_kept"],
    },
    Row {
        seen: "The user does not read messages for a while",
        right: "Bounded memory, backpressure, nothing lost",
        faults: &[F::Messages, F::MessageBytes],
        tests: &["volume::unread_session_is_bounded_and_loses_nothing"],
    },
    Row {
        seen: "A control call while 2,000 messages are unread",
        right: "The call completes, the messages are still there, in order",
        faults: &[F::Messages],
        tests: &[
            "volume::call_completes_behind_2000_unread_messages",
            "volume::call_behind_the_unread_limit_fails_and_loses_nothing",
        ],
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
        tests: &[
            "volume::calls_in_a_row_complete_in_an_unread_session",
            "calls::twenty_calls_get_their_own_replies_in_any_order",
        ],
    },
    Row {
        seen: "A reply with `subtype: \"error\"`",
        right: "A typed error with the CLI's text and `error_code`",
        faults: &[F::ErrorReply],
        tests: &["calls::error_reply_is_typed"],
    },
    Row {
        seen: "A reply that never comes; comes twice; comes late; has an unknown id; lacks `response`",
        right: "A time-out error; the rest ignored and counted",
        faults: &[F::NoReply, F::DoubleReply, F::LateReply, F::StrayReply, F::EmptyReply, F::HollowReply],
        tests: &[
            "calls::call_without_reply_times_out",
            "calls::duplicate_reply_is_ignored",
            "calls::late_reply_is_ignored",
            "calls::reply_to_an_unknown_request_is_ignored",
            "calls::reply_without_response_is_a_success",
            "calls::hollow_reply_is_ignored",
        ],
    },
    Row {
        seen: "The CLI reads none of its input, prompt after prompt",
        right: "Sending ends within a limit, with an error: the prompt was not sent",
        faults: &[F::Frozen],
        tests: &["calls::prompt_is_not_sent_to_a_frozen_cli"],
    },
    Row {
        seen: "A request of a subtype that we do not know, or without its fields",
        right: "An error reply naming the subtype; shown to the user",
        faults: &[F::UnknownRequest, F::BrokenRequest],
        tests: &[
            "callbacks::unknown_request_gets_an_error_reply",
            "callbacks::request_without_fields_gets_an_error_reply",
        ],
    },
    Row {
        seen: "A request that comes twice, a cancel of an unknown request",
        right: "Answered once; the rest ignored and counted",
        faults: &[F::DuplicateRequest, F::StrayCancel],
        tests: &[
            "callbacks::duplicate_request_is_answered_once",
            "callbacks::cancel_of_an_unknown_request_is_ignored",
        ],
    },
    Row {
        seen: "No permission callback",
        right: "An error reply (the CLI denies); never an allow",
        faults: &[F::Permission],
        tests: &[
            "callbacks::missing_permission_callback_denies",
            "callbacks::failing_permission_callback_denies",
        ],
    },
    Row {
        seen: "A permission callback given the wrong fields",
        right: "Fields as the wire has them",
        faults: &[F::Permission],
        tests: &["callbacks::permission_request_keeps_all_fields"],
    },
    Row {
        seen: "A hook that panics or errs",
        right: "Isolated, and answered with a refusal wherever the event can refuse, unless the user chose to continue",
        faults: &[F::Hooks],
        tests: &[
            "callbacks::panicking_hook_refuses",
            "callbacks::failing_hook_refuses",
            "callbacks::hook_with_continue_on_failure_lets_the_tool_run",
        ],
    },
    Row {
        seen: "A hook that is slower than its limit",
        right: "The CLI cancels and decides; the handler's token is cancelled, its future is dropped, nothing is sent",
        faults: &[F::HookTimeout],
        tests: &["callbacks::slow_hook_is_cancelled_and_sends_nothing"],
    },
    Row {
        seen: "A hook that calls `interrupt()` or any other method",
        right: "Works",
        faults: &[F::Hooks],
        tests: &["callbacks::hook_can_send_control_requests", "callbacks::hook_can_interrupt_the_turn"],
    },
    Row {
        seen: "50 hook callbacks at once",
        right: "Run concurrently",
        faults: &[F::Hooks],
        tests: &["callbacks::fifty_hooks_run_concurrently", "volume::thousand_hooks_run_concurrently"],
    },
    Row {
        seen: "`control_cancel_request`",
        right: "The callback's token is cancelled, its future is dropped after a grace, no late reply",
        faults: &[F::CancelPermission],
        tests: &["callbacks::cancelled_question_is_not_answered"],
    },
    Row {
        seen: "Messages after the first `result` (background work)",
        right: "A result ends a turn, not the run; input closes when the run is over",
        faults: &[F::Background],
        tests: &["callbacks::query_waits_for_background_work", "callbacks::session_receives_background_work"],
    },
    Row {
        seen: "An interrupted turn, with prompts that wait behind it",
        right: "Its leftovers do not leak into the next turn; receipts say what becomes of each prompt",
        faults: &[F::HoldTurn, F::Messages],
        tests: &["turns::leftovers_do_not_leak_into_the_next_turn", "turns::receipts_report_each_prompt"],
    },
    Row {
        seen: "The CLI is killed from outside while prompts wait",
        right: "The end reaches everything that waits, at once, with the signal",
        faults: &[F::HoldTurn],
        tests: &["turns::kill_settles_queued_prompts"],
    },
    Row {
        seen: "The CLI ignores end of input at close",
        right: "End of input, grace, SIGTERM to the process group, grace, SIGKILL, reaped; all bounded",
        faults: &[F::Deaf, F::Stubborn, F::Frozen, F::Stopped],
        tests: &[
            "closing::cli_that_ignores_the_end_of_input_is_terminated",
            "closing::cli_that_ignores_sigterm_is_killed",
            "closing::frozen_cli_is_terminated",
            "closing::stopped_cli_is_killed",
        ],
    },
    Row {
        seen: "A session ends that no prompt was sent to, and the CLI ignores end of input",
        right: "As above, and within two seconds: there is no conversation to store",
        faults: &[F::Deaf, F::Stubborn],
        tests: &[
            "closing::dropping_leaves_no_process",
            "closing::session_without_a_prompt_has_a_short_grace_period",
            "closing::unclaimed_spare_has_a_short_grace_period",
        ],
    },
    Row {
        seen: "Close or drop in mid-turn",
        right: "Flush first, as above; dropping does the same in the background, without needing the caller's runtime",
        faults: &[F::HoldTurn, F::Transcript],
        tests: &[
            "closing::close_during_a_turn_lets_the_cli_store",
            "closing::without_grace_period_nothing_is_stored",
            "closing::drop_during_a_turn_lets_the_cli_store",
            "closing::drop_in_an_idle_runtime_lets_the_cli_store",
            "closing::drop_after_the_runtime_lets_the_cli_store",
            "closing::dropped_query_lets_the_cli_store",
            "closing::drop_writes_sent_prompts",
        ],
    },
    Row {
        seen: "A grandchild holds stdout open, or outlives the CLI",
        right: "The whole process group ends; close is bounded",
        faults: &[F::Grandchild, F::QuietGrandchild, F::Stranger],
        tests: &[
            "closing::surviving_grandchild_is_ended",
            "closing::surviving_quiet_grandchild_is_ended",
            "closing::drop_ends_grandchildren",
            "closing::query_ends_though_its_output_is_held_open",
            "closing::process_outside_the_group_does_not_delay_close",
        ],
    },
    Row {
        seen: "The exit status is lost, since the host ignores SIGCHLD",
        right: "A good end is good, a cut turn is an error, and the process group ends",
        faults: &[F::Crash, F::RefuseStart, F::Grandchild, F::QuietGrandchild, F::Deaf],
        tests: &["status::end_is_judged_without_the_exit_status"],
    },
    Row {
        seen: "A flood of stderr",
        right: "Always drained; a bounded tail kept; callback optional",
        faults: &[F::StderrFlood],
        tests: &["volume::flood_of_stderr_is_drained", "ending::crash_keeps_the_end_of_a_stderr_flood"],
    },
    Row {
        seen: "A prompt larger than the pipe while the CLI writes",
        right: "Read and write proceed together",
        faults: &[F::TalkFirst],
        tests: &["volume::prompt_larger_than_the_pipe_is_sent"],
    },
    Row {
        seen: "Missing binary, not executable, missing working directory, argument list too long",
        right: "Each its own error, naming the path searched or the directory",
        faults: &[],
        tests: &[
            "starting::missing_program_is_named",
            "starting::searched_locations_are_named",
            "starting::program_without_permission_is_named",
            "starting::missing_directory_is_named",
            "starting::overlong_arguments_are_reported",
        ],
    },
    Row {
        seen: "No fault at all",
        right: "Two turns and a good end, and nothing remains",
        faults: &[],
        tests: &["closing::session_without_faults_leaves_no_process"],
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
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/internals/faults.md");
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
        "## Flags\n\n| flag | by default | what the fault CLI does | correct reaction |\n|---|---|---|---|\n",
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
        "\n## Faults of clients\n\n| fault | correct reaction | flags | tests |\n|---|---|---|---|\n",
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

/// The families that check the tests themselves.
const OWN: [&str; 2] = ["rows::", "left::"];
const BEGIN: &str = "<!-- What follows is written by the test `rows::the_documentation_is_up_to_date`. -->";
