//! Requests about files.

use agentwire_protocol::{
    Uuid,
    control::{
        FileSuggestions, FileSuggestionsReply, ReadFile, ReadFileReply, RegisterRepoRoot,
        RegisterRepoRootReply, RewindFiles, RewindFilesReply, SeedReadState,
    },
};

use super::{Control, calls, with};

calls! {
    /// Returns the files that match the user's input (`file_suggestions`).
    ///
    /// The CLI builds its index in the background, so the first reply of a session can be empty.
    fn file_suggestions(query: impl Into<String>) -> FileSuggestionsReply = &FileSuggestions::new(query);

    /// Reads a file through the CLI (`read_file`), under the permission rules of the tool `Read`.
    /// The CLI refuses a file that does not exist or may not be read.
    fn read_file(request: &ReadFile) -> ReadFileReply = request;

    /// Reverts the changes to files since the prompt with this id (`rewind_files`).
    ///
    /// Requires `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true` in the CLI's environment.
    /// The CLI refuses a prompt without a checkpoint.
    fn rewind_files(user_message_id: Uuid) -> RewindFilesReply = &RewindFiles::new(user_message_id);

    /// Returns what [`rewind_files`](Self::rewind_files) would change, without changing it (`dry_run`).
    fn preview_rewind_files(user_message_id: Uuid) -> RewindFilesReply =
        &with(RewindFiles::new(user_message_id), |request| request.dry_run = Some(true));

    /// Marks a file as already read (`seed_read_state`), so that the model may edit it.
    ///
    /// `mtime` is the file's modification time when it was read, in milliseconds since 1970. Has no effect if the file has
    /// changed since.
    fn seed_read_state(path: impl Into<String>, mtime: f64) -> () = &SeedReadState::new(path, mtime);

    /// Adds a directory to work in (`register_repo_root`), below the working directory or one given at the start.
    /// The CLI refuses a directory that is already registered or lies elsewhere.
    fn register_repo_root(request: &RegisterRepoRoot) -> RegisterRepoRootReply = request;
}
