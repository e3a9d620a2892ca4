//! Requests for information about the session.

use agentwire_protocol::control::{
    ContextDetail, GetBinaryVersion, GetBinaryVersionReply, GetContextUsage, GetContextUsageReply,
    GetHooksListing, GetHooksListingReply, GetSessionCost, GetSessionCostReply, GetStatus, GetStatusReply,
    GetUsage, GetUsageReply, ListModels, ListModelsReply, ListPermissionRules, ListPermissionRulesReply,
};

use super::{Control, calls, with};

calls! {
    /// Returns the use of the model's context window, in tokens (`get_context_usage`).
    ///
    /// `None` means [`ContextDetail::Full`], which calls the API; [`ContextDetail::Summary`] estimates.
    fn context_usage(detail: Option<ContextDetail>) -> GetContextUsageReply =
        &with(GetContextUsage::default(), |request| request.detail = detail);

    /// Returns the usage of the session and of the plan (`get_usage`). The CLI declares it as experimental.
    ///
    /// The CLI reads seven days of transcripts, unless `skip_behaviors` is set.
    fn usage(request: &GetUsage) -> GetUsageReply = request;

    /// Returns the cost of the session as text for a person (`get_session_cost`).
    fn session_cost() -> GetSessionCostReply = &GetSessionCost::default();

    /// Returns the content of the status screen (`get_status`). The CLI does not declare this request.
    fn status() -> GetStatusReply = &GetStatus::default();

    /// Returns the version of the CLI (`get_binary_version`).
    fn binary_version() -> GetBinaryVersionReply = &GetBinaryVersion::default();

    /// Returns the available models (`list_models`). CLI 2.1.197 does not support it.
    fn list_models() -> ListModelsReply = &ListModels::default();

    /// Returns the permission rules and their sources (`list_permission_rules`). CLI 2.1.197 does not support it.
    fn list_permission_rules() -> ListPermissionRulesReply = &ListPermissionRules::default();

    /// Returns the hooks of the settings, the session and the plugins, without the host's callbacks (`get_hooks_listing`).
    ///
    /// CLI 2.1.197 does not support it.
    fn hooks_listing() -> GetHooksListingReply = &GetHooksListing::default();
}
