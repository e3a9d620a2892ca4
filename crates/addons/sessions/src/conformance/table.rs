//! The table of all checks with their requirements.

use super::{Check, appending, deleting, keys, listing, steady, summaries, values};

/// Builds the rows; a check has the name of its function.
macro_rules! checks {
    ($($module:ident::$name:ident $demands:literal;)*) => {
        &[$(Check {
            name: stringify!($name),
            demands: $demands,
            run: |store| Box::pin($module::$name(store)),
        }),*]
    };
}

/// All checks, in the order in which they run.
pub const CHECKS: &[Check] = checks! {
    appending::order_within_an_append "Entries of one append are loaded in their order.";
    appending::order_across_appends "Entries of later appends follow those of earlier ones.";
    appending::an_unknown_key_is_none "`load` returns `None` for a key without an append.";
    appending::an_empty_append_changes_nothing "An empty append changes no entries.";
    appending::an_empty_append_makes_no_key_known "`load` returns `None` for a key with empty appends only.";
    appending::a_repeated_id_is_loaded_once "However often an entry with an id is appended, it is loaded once, in its first place.";
    appending::an_id_repeated_in_a_batch_is_loaded_once "An id that is twice in one append is loaded once.";
    appending::a_retry_that_overlaps_is_completed "A retry of a partly stored batch adds the missing entries, in order.";
    appending::the_same_id_elsewhere_is_another_entry "An id counts within its key: sessions, projects and subpaths share none.";
    appending::ids_are_compared_exactly "Ids are compared byte by byte, and may be any text.";
    appending::entries_without_an_id_are_always_added "Entries without an id are always added.";
    appending::an_id_that_is_no_text_is_none "A `uuid` that is not a string, or is in a nested object, is not an id.";
    appending::appends_at_once_lose_nothing "Concurrent appends to one key lose no entry.";
    appending::appends_at_once_stay_together_each "The entries of each concurrent append stay together and in order.";
    appending::appends_at_once_to_many_keys_stay_apart "Appends to several keys that run at once do not mix.";
    appending::the_same_batch_at_once_is_loaded_once "A retry that runs beside the append that it repeats adds nothing.";
    appending::a_large_entry_is_kept "An entry of a megabyte is kept.";
    appending::many_entries_are_kept "2,000 entries are kept, 1,500 of them from one append, in order.";
    values::numbers_keep_their_value "Numbers keep their exact decimal value, however big; their spelling may change.";
    values::unicode_is_kept "Text outside ASCII is kept, neither composed nor decomposed, in names too.";
    values::escapes_are_kept "Control characters, quotes and backslashes are kept.";
    values::zero_characters_are_kept "`\\u0000` is kept, in names too: output of tools has it.";
    values::lone_surrogates_are_kept_or_refused "Half of a surrogate pair, escaped, is kept, or the append fails; it is never altered.";
    values::shapes_are_kept "Empty values, odd names, and objects and lists 90 deep are kept.";
    keys::projects_are_apart "Projects whose names begin alike are apart.";
    keys::odd_project_names_are_apart "A project may have any name that `SessionKey` allows, up to 300 bytes here.";
    keys::sessions_and_subpaths_are_apart "A session, its subpaths, and those of another are apart.";
    keys::a_subpath_is_apart_from_those_beneath_it "`x`, `x/y` and `x.jsonl` are three subpaths, in any order.";
    keys::odd_subpaths_are_apart "A subpath may have any name that `SessionKey` allows.";
    keys::case_tells_keys_apart "Keys that differ in case are apart.";
    keys::the_parts_of_a_key_do_not_run_together "Keys are distinct even if their parts, joined by a separator, are equal.";
    listing::lists_the_sessions_of_a_project "Each session of the project is listed once, and no other.";
    listing::lists_no_sessions_of_like_named_projects "A project's name is neither a prefix nor a pattern.";
    listing::lists_no_session_of_subpaths_alone "A session of which only subpaths are kept is not listed, and subpaths are not sessions.";
    listing::lists_no_session_of_an_empty_append "An append of nothing makes no session.";
    listing::times_are_in_milliseconds "Times are milliseconds since the Unix epoch, within a day of this machine's clock.";
    listing::an_append_moves_the_time_on "Each append increases the session's time; the clock has a resolution of a second or better.";
    listing::lists_the_subkeys_of_a_session "Each subpath of the session is listed once, whether the session itself has entries or not.";
    listing::lists_no_subkeys_where_there_are_none "A session is not a subpath of itself, and an empty append creates none.";
    listing::lists_odd_subkeys_as_they_were "Subpaths are listed exactly as they were given.";
    deleting::deletes_a_session "A deleted session loads as `None`.";
    deleting::deletes_what_is_not_there "Deleting an unknown key succeeds and deletes nothing.";
    deleting::deletes_all_beneath_a_session "With a session, all its subpaths are deleted.";
    deleting::deletes_a_session_of_subpaths_alone "Deleting a session without entries of its own deletes its subpaths.";
    deleting::deletes_no_other_session "Other sessions stay, and those of the same id in other projects.";
    deleting::deletes_by_no_pattern "Deletion treats names literally, not as patterns.";
    deleting::deletes_one_subpath_alone "Deleting a subpath deletes neither the session nor longer subpaths.";
    deleting::what_is_deleted_begins_anew "After deletion the same entries can be appended again: their ids are forgotten.";
    deleting::what_is_deleted_is_not_listed "A deleted session is not listed.";
    deleting::what_is_deleted_is_no_subkey "A deleted subpath is not listed, nor are those of a deleted session.";
    deleting::what_is_deleted_has_no_summary "A deleted session has no summary.";
    summaries::a_summary_is_folded_from_all_appends "A summary is what `fold_summary` makes of all appends, one after the other.";
    summaries::a_retry_leaves_the_summary_as_it_is "A retry changes no summary.";
    summaries::summaries_are_of_their_own_session "Each session of the project has one summary, of its own entries.";
    summaries::subpaths_do_not_change_a_summary "An append to a subpath neither changes nor creates a summary.";
    summaries::summaries_and_sessions_have_one_clock "A summary that is up to date never looks older than its session.";
    steady::optional_methods_are_there_always_or_never "An optional method always or never returns `None`.";
};
