//! Questions about the session: what it has, what it used, what is in force.

use agentwire_protocol::control::{
    ContextDetail, GetBinaryVersion, GetBinaryVersionReply, GetContextUsage, GetContextUsageReply,
    GetHooksListing, GetHooksListingReply, GetSessionCost, GetSessionCostReply, GetStatus, GetStatusReply,
    GetUsage, GetUsageReply, ListModels, ListModelsReply, ListPermissionRules, ListPermissionRulesReply,
};

use crate::{Control, ControlError};

impl Control {
    /// What fills the model's context window, in tokens (`get_context_usage`).
    ///
    /// `None` counts as [`ContextDetail::Full`], which asks the API; [`ContextDetail::Summary`] estimates.
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

    /// What the session has used, and how much of the plan is left (`get_usage`). Declared as experimental.
    ///
    /// It looks through seven days of transcripts, unless `skip_behaviors` is set.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn usage(&self, request: &GetUsage) -> Result<GetUsageReply, ControlError> {
        self.call(request).await
    }

    /// What the session has cost, in words for a person (`get_session_cost`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn session_cost(&self) -> Result<GetSessionCostReply, ControlError> {
        self.call(&GetSessionCost::default()).await
    }

    /// What the status screen shows (`get_status`). Not declared.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn status(&self) -> Result<GetStatusReply, ControlError> {
        self.call(&GetStatus::default()).await
    }

    /// Which version the program is (`get_binary_version`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn binary_version(&self) -> Result<GetBinaryVersionReply, ControlError> {
        self.call(&GetBinaryVersion::default()).await
    }

    /// Which models can be chosen (`list_models`). CLI 2.1.197 does not know it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn list_models(&self) -> Result<ListModelsReply, ControlError> {
        self.call(&ListModels::default()).await
    }

    /// Which permission rules are in force, and where they come from (`list_permission_rules`). CLI 2.1.197 does not know it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn list_permission_rules(&self) -> Result<ListPermissionRulesReply, ControlError> {
        self.call(&ListPermissionRules::default()).await
    }

    /// Which hooks the settings, the session and the plugins bring (`get_hooks_listing`); the host's callbacks are not among them.
    ///
    /// CLI 2.1.197 does not know it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn hooks_listing(&self) -> Result<GetHooksListingReply, ControlError> {
        self.call(&GetHooksListing::default()).await
    }
}
