//! Requests for information about the session.

use agentwire_protocol::control::{
    ContextDetail, GetBinaryVersion, GetBinaryVersionReply, GetContextUsage, GetContextUsageReply,
    GetHooksListing, GetHooksListingReply, GetSessionCost, GetSessionCostReply, GetStatus, GetStatusReply,
    GetUsage, GetUsageReply, ListModels, ListModelsReply, ListPermissionRules, ListPermissionRulesReply,
};

use crate::{Control, ControlError};

impl Control {
    /// Returns the use of the model's context window, in tokens (`get_context_usage`).
    ///
    /// `None` means [`ContextDetail::Full`], which calls the API; [`ContextDetail::Summary`] estimates.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn context_usage(
        &self,
        detail: Option<ContextDetail>,
    ) -> Result<GetContextUsageReply, ControlError> {
        let mut request = GetContextUsage::default();
        request.detail = detail;
        self.call(&request).await
    }

    /// Returns the usage of the session, and the rest of the plan (`get_usage`). The CLI declares it as experimental.
    ///
    /// The CLI reads seven days of transcripts, unless `skip_behaviors` is set.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn usage(&self, request: &GetUsage) -> Result<GetUsageReply, ControlError> {
        self.call(request).await
    }

    /// Returns the cost of the session as text for a person (`get_session_cost`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn session_cost(&self) -> Result<GetSessionCostReply, ControlError> {
        self.call(&GetSessionCost::default()).await
    }

    /// Returns the content of the status screen (`get_status`). The CLI does not declare this request.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn status(&self) -> Result<GetStatusReply, ControlError> {
        self.call(&GetStatus::default()).await
    }

    /// Returns the version of the CLI (`get_binary_version`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn binary_version(&self) -> Result<GetBinaryVersionReply, ControlError> {
        self.call(&GetBinaryVersion::default()).await
    }

    /// Returns the available models (`list_models`). CLI 2.1.197 does not support it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn list_models(&self) -> Result<ListModelsReply, ControlError> {
        self.call(&ListModels::default()).await
    }

    /// Returns the permission rules and their sources (`list_permission_rules`). CLI 2.1.197 does not support it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn list_permission_rules(&self) -> Result<ListPermissionRulesReply, ControlError> {
        self.call(&ListPermissionRules::default()).await
    }

    /// Returns the hooks of the settings, the session and the plugins, without the host's callbacks (`get_hooks_listing`).
    ///
    /// CLI 2.1.197 does not support it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn hooks_listing(&self) -> Result<GetHooksListingReply, ControlError> {
        self.call(&GetHooksListing::default()).await
    }
}
