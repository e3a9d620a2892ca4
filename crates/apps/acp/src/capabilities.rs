//! The answer to `initialize`: what the agent can do, and how to log in.

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, AuthMethod, AuthMethodTerminal, ClientCapabilities, Implementation,
    InitializeResponse, McpCapabilities, PromptCapabilities, SessionAdditionalDirectoriesCapabilities,
    SessionCapabilities, SessionCloseCapabilities, SessionDeleteCapabilities, SessionListCapabilities,
    SessionResumeCapabilities, SessionSystemPromptCapabilities, SessionSystemPromptModeCapabilities,
    SessionSystemPromptOverrideCapabilities,
};

/// Returns the answer to `initialize`.
pub(crate) fn initialized(client: &ClientCapabilities) -> InitializeResponse {
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_info(
            Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")).title("Claude Code"),
        )
        .agent_capabilities(capabilities())
        .auth_methods(auth_methods(client))
}

fn capabilities() -> AgentCapabilities {
    let replaced =
        SessionSystemPromptModeCapabilities::new().override_(SessionSystemPromptOverrideCapabilities::new());
    let sessions = SessionCapabilities::new()
        .additional_directories(SessionAdditionalDirectoriesCapabilities::new())
        .close(SessionCloseCapabilities::new())
        .delete(SessionDeleteCapabilities::new())
        .list(SessionListCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .system_prompt(SessionSystemPromptCapabilities::new().mode(replaced));
    AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
        .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
        .session_capabilities(sessions)
}

/// The CLI logs in at a terminal only, so a client without one is offered nothing.
fn auth_methods(client: &ClientCapabilities) -> Vec<AuthMethod> {
    if !client.auth.terminal {
        return Vec::new();
    }
    let login = AuthMethodTerminal::new(LOGIN, "Log in with Claude")
        .description("Logs in at a terminal; an API key in ANTHROPIC_API_KEY needs no login")
        .args(vec!["login".to_owned()]);
    vec![AuthMethod::Terminal(login)]
}

/// The id of the login at a terminal.
pub(crate) const LOGIN: &str = "claude-login";

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::AuthCapabilities;

    use super::*;

    #[test]
    fn login_is_offered_to_clients_with_a_terminal() {
        assert!(initialized(&ClientCapabilities::new()).auth_methods.is_empty());
        let client = ClientCapabilities::new().auth(AuthCapabilities::new().terminal(true));
        let [AuthMethod::Terminal(login)] = &initialized(&client).auth_methods[..] else {
            panic!("not a terminal")
        };
        assert_eq!(login.args, ["login"]);
    }
}
