//! Requests about files.

use agentwire_protocol::{
    Uuid,
    control::{
        FileSuggestions, FileSuggestionsReply, ReadFile, ReadFileReply, RegisterRepoRoot,
        RegisterRepoRootReply, RewindFiles, RewindFilesReply, SeedReadState,
    },
};

use crate::{Control, ControlError};

impl Control {
    /// Returns the files that match the user's input (`file_suggestions`).
    ///
    /// The CLI builds its index in the background, so the first reply of a session can be empty.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn file_suggestions(
        &self,
        query: impl Into<String>,
    ) -> Result<FileSuggestionsReply, ControlError> {
        self.call(&FileSuggestions::new(query)).await
    }

    /// Reads a file through the CLI (`read_file`), under the permission rules of the tool `Read`.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a file that does not exist or may not be read.
    pub async fn read_file(&self, request: &ReadFile) -> Result<ReadFileReply, ControlError> {
        self.call(request).await
    }

    /// Reverts the changes to files since the prompt with this id (`rewind_files`).
    ///
    /// Requires `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true` in the CLI's environment.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a prompt without a checkpoint.
    pub async fn rewind_files(&self, user_message_id: Uuid) -> Result<RewindFilesReply, ControlError> {
        self.call(&RewindFiles::new(user_message_id)).await
    }

    /// Returns what [`rewind_files`](Self::rewind_files) would change, without changing it (`dry_run`).
    ///
    /// # Errors
    ///
    /// See [`rewind_files`](Self::rewind_files).
    pub async fn preview_rewind_files(
        &self,
        user_message_id: Uuid,
    ) -> Result<RewindFilesReply, ControlError> {
        let mut request = RewindFiles::new(user_message_id);
        request.dry_run = Some(true);
        self.call(&request).await
    }

    /// Marks a file as already read (`seed_read_state`), so that the model may edit it.
    ///
    /// `mtime` is the file's modification time when it was read, in milliseconds since 1970. Has no effect if the file has
    /// changed since.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn seed_read_state(&self, path: impl Into<String>, mtime: f64) -> Result<(), ControlError> {
        self.done(&SeedReadState::new(path, mtime)).await
    }

    /// Adds a directory to work in (`register_repo_root`), below the working directory or one given at the start.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a directory that is known already, and one elsewhere.
    pub async fn register_repo_root(
        &self,
        request: &RegisterRepoRoot,
    ) -> Result<RegisterRepoRootReply, ControlError> {
        self.call(request).await
    }
}
