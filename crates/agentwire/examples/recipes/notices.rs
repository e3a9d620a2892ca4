//! Recipe `notices`: shows the CLI's notices to the user in your own way.

use std::future::ready;

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::{control::HookFailure, hook::Notification},
};

/// Passes the kind and the text of each notice to `show`: `permission_prompt` when a question has been open for six
/// seconds, `elicitation_response` when an MCP server was answered.
///
/// `show` must not block: pass the text on to your user interface.
///
/// Not covered: idle notices, which the CLI does not send to a host; use the end of the turn instead.
/// A question answered within six seconds causes no notice: the permission handler shows it.
pub(crate) fn forward(hooks: Hooks, show: impl Fn(&str, &str) + Send + Sync + 'static) -> Hooks {
    let any = Matcher::any().on_failure(HookFailure::Continue);
    hooks.on_matching(Notification, any, move |input, _cx| {
        show(&input.notification_type, &input.message);
        ready(())
    })
}
