//! Recipe `notices`: what the CLI would show the user is shown in your own way.

use std::future::ready;

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::{control::HookFailure, hook::Notification},
};

/// Hands `show` the kind of each notice and its text: `permission_prompt` when a question has been open for six seconds,
/// `elicitation_response` when an MCP server was answered.
///
/// `show` must not block: hand the text to whatever shows it.
///
/// Not covered: a session that has nothing to do, of which a CLI that a host started does not tell; look at the turn's
/// end instead.
/// A question that is answered within six seconds gives no notice: it is shown by the permission handler.
pub(crate) fn forward(hooks: Hooks, show: impl Fn(&str, &str) + Send + Sync + 'static) -> Hooks {
    let any = Matcher::any().on_failure(HookFailure::Continue);
    hooks.on_matching(Notification, any, move |input, _cx| {
        show(&input.notification_type, &input.message);
        ready(())
    })
}
