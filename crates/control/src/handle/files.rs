//! Files, as the session sees them.

use agentwire_protocol::{
    Uuid,
    control::{
        FileSuggestions, FileSuggestionsReply, ReadFile, ReadFileReply, RegisterRepoRoot,
        RegisterRepoRootReply, RewindFiles, RewindFilesReply, SeedReadState,
    },
};

use crate::{Control, ControlError};

impl Control {
    /// Which files fit what the user types (`file_suggestions`).
    ///
    /// The index is made in the background: the first question of a session can have an empty answer.
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

    /// Reads a file with the CLI's eyes (`read_file`), as far as the rules for the tool `Read` allow it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a file that is not there or may not be read.
    pub async fn read_file(&self, request: &ReadFile) -> Result<ReadFileReply, ControlError> {
        self.call(request).await
    }

    /// Takes back what was changed in files since a prompt (`rewind_files`), which is named by the id that the host gave it.
    ///
    /// It needs `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true` in the CLI's environment.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a prompt without a checkpoint.
    pub async fn rewind_files(&self, user_message_id: Uuid) -> Result<RewindFilesReply, ControlError> {
        self.call(&RewindFiles::new(user_message_id)).await
    }

    /// What [`rewind_files`](Self::rewind_files) would change (`dry_run`); nothing is changed.
    ///
    /// # Errors
    ///
    /// As [`rewind_files`](Self::rewind_files).
    pub async fn preview_rewind_files(
        &self,
        user_message_id: Uuid,
    ) -> Result<RewindFilesReply, ControlError> {
        let mut request = RewindFiles::new(user_message_id);
        request.dry_run = Some(true);
        self.call(&request).await
    }

    /// Tells the session that a file was read already (`seed_read_state`), so that it may be edited.
    ///
    /// `mtime` is when it had changed last as it was read, in milliseconds since 1970; where it has changed since, nothing happens.
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
    /// The CLI refuses one that is known already, and one elsewhere.
    pub async fn register_repo_root(
        &self,
        request: &RegisterRepoRoot,
    ) -> Result<RegisterRepoRootReply, ControlError> {
        self.call(request).await
    }
}
