//! The answers of authorization servers: what `rmcp` does not read or check.

use std::time::Duration;

use agentwire_net::excerpt;
use reqwest::{StatusCode, Url, header};
use serde_json::{Value, json};

use super::request::is_temporary;

/// An answer with its whole body.
pub(super) type Answer = http::Response<Vec<u8>>;

/// Returns the answer to a request for a token in the form that `rmcp` reads.
///
/// `rmcp` accepts tokens only with status 200, content type JSON and a whole number of seconds. It reports an error with
/// status 200 or without a code, such as a page of HTML, only as one that can't be parsed. A temporary status takes
/// precedence over the code, so that the renewal is tried again; except over `invalid_grant`, which is final.
pub(super) fn readable(mut answer: Answer) -> Answer {
    let status = answer.status();
    let mut body: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
    if status.is_success() && body["access_token"].is_string() {
        *answer.status_mut() = StatusCode::OK;
        answer.headers_mut().remove(header::CONTENT_TYPE);
        if let Some(lifetime) = body.get_mut("expires_in") {
            *lifetime = json!(seconds(lifetime));
        }
    } else if body["error"].is_string() && (!is_temporary(status) || body["error"] == "invalid_grant") {
        if status.is_success() {
            *answer.status_mut() = StatusCode::BAD_REQUEST;
        }
        return answer;
    } else if !status.is_success() {
        // The statuses of refusals (RFC 6749, section 5.2).
        let is_refusal = matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED);
        let code = if is_refusal { "invalid_request" } else { "server_error" };
        let why = body["error_description"].as_str().or_else(|| body["error"].as_str());
        let why = why.map(|why| format!(": {}", excerpt(why))).unwrap_or_default();
        body = json!({"error": code, "error_description": format!("HTTP {status}{why}")});
    } else {
        return answer;
    }
    *answer.body_mut() = body.to_string().into_bytes();
    answer
}

/// Returns an error answer for a request for a token that got none. `rmcp` reports the description of an error answer, but
/// not the cause of a failed request.
pub(super) fn unanswered(why: &str) -> Answer {
    let why = format!("the request failed: {why}");
    let body = json!({"error": "temporarily_unavailable", "error_description": why});
    let mut answer = Answer::new(body.to_string().into_bytes());
    *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    answer
}

/// Returns a lifetime in whole seconds. Some servers send a text or a fraction.
pub(super) fn seconds(lifetime: &Value) -> Option<u64> {
    let seconds = match lifetime {
        Value::String(text) => text.parse::<f64>().ok()?,
        other => other.as_f64()?,
    };
    Duration::try_from_secs_f64(seconds).ok().map(|lifetime| lifetime.as_secs())
}

/// Returns whether a request for a token was refused because a nonce is missing (RFC 9449, section 8).
pub(super) fn wants_nonce(answer: &Answer) -> bool {
    let error: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
    answer.status().is_client_error() && error["error"] == "use_dpop_nonce"
}

/// Returns the error of metadata that name no issuer, which RFC 8414 requires, or one at another origin. `rmcp` checks
/// this at the standard paths only, and a server may name metadata at any path.
pub(super) fn wrong_issuer(url: &Url, answer: &Answer) -> Option<String> {
    let metadata: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
    metadata["token_endpoint"].as_str()?;
    match metadata["issuer"].as_str().and_then(|issuer| Url::parse(issuer).ok()) {
        Some(issuer) if issuer.origin() == url.origin() => None,
        Some(issuer) => {
            let issuer = excerpt(issuer.as_str());
            Some(format!("the metadata are those of another authorization server: {issuer}"))
        }
        None => Some("the metadata of the authorization server name no valid issuer".to_owned()),
    }
}

/// Returns whether these are the metadata of an origin, found where those of an issuer with a path would be.
///
/// For a server that names no authorization server, `rmcp` requests metadata at such URLs before those of the origin, and
/// would fail for the other issuer. A server may return the same metadata at all of them.
pub(super) fn is_guess(url: &Url, answer: &Answer) -> bool {
    let Some((before, after)) = url.path().split_once("/.well-known/") else { return false };
    let (name, path) = after.split_once('/').unwrap_or((after, ""));
    let has_path = match name {
        "oauth-authorization-server" => !path.is_empty(),
        "openid-configuration" => !path.is_empty() || !before.is_empty(),
        _ => false,
    };
    let metadata: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
    has_path
        && metadata["issuer"]
            .as_str()
            .and_then(|issuer| Url::parse(issuer).ok())
            .is_some_and(|issuer| issuer.origin() == url.origin() && issuer.path() == "/")
}

/// Returns the resource identifier in metadata of a protected resource.
pub(super) fn resource(answer: &Answer) -> Option<String> {
    if !answer.status().is_success() {
        return None;
    }
    let metadata: Value = serde_json::from_slice(answer.body()).ok()?;
    metadata["resource"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use reqwest::Url;
    use serde_json::{Value, json};

    use super::{Answer, is_guess, readable, wrong_issuer};

    #[test]
    fn metadata_of_another_issuer_are_refused_with_its_url() {
        let url = Url::parse("https://tunnel.example/.well-known/x").unwrap();
        let refusal = |issuer: Value| {
            let metadata = json!({"issuer": issuer, "token_endpoint": "https://tunnel.example/token"});
            wrong_issuer(&url, &Answer::new(metadata.to_string().into_bytes()))
        };
        assert_eq!(refusal(json!("https://tunnel.example/tenant")), None);
        let why = refusal(json!("http://localhost:8080")).unwrap();
        assert_eq!(why, "the metadata are those of another authorization server: http://localhost:8080/");
        for missing in [json!(null), json!(""), json!(1)] {
            let why = refusal(missing).unwrap();
            assert_eq!(why, "the metadata of the authorization server name no valid issuer");
        }
    }

    #[test]
    fn metadata_of_the_origin_at_the_path_of_the_server_are_a_guess() {
        let is_guess = |path: &str, issuer: &str| {
            let metadata = json!({"issuer": issuer, "token_endpoint": "https://h/token"});
            let url = Url::parse("https://h").unwrap().join(path).unwrap();
            is_guess(&url, &Answer::new(metadata.to_string().into_bytes()))
        };
        let guesses = [
            "/.well-known/oauth-authorization-server/mcp",
            "/.well-known/openid-configuration/mcp",
            "/mcp/.well-known/openid-configuration",
        ];
        for path in guesses {
            assert!(is_guess(path, "https://h") && is_guess(path, "https://h/"), "{path}");
            assert!(!is_guess(path, "https://h/mcp") && !is_guess(path, "https://i"), "{path}");
        }
        for path in ["/.well-known/oauth-authorization-server", "/.well-known/x/mcp", "/mcp/.well-known/x"] {
            assert!(!is_guess(path, "https://h"), "{path}");
        }
    }

    #[test]
    fn answer_with_a_token_is_made_readable() {
        for (lifetime, expected) in [
            (json!(60), json!(60)),
            (json!("60"), json!(60)),
            (json!(59.9), json!(59)),
            (json!("soon"), Value::Null),
            (json!(-1), Value::Null),
            (Value::Null, Value::Null),
        ] {
            let body =
                json!({"access_token": "a", "token_type": "bearer", "expires_in": lifetime}).to_string();
            let answer = http::Response::builder().status(201).header("content-type", "text/plain");
            let answer = readable(answer.body(body.into_bytes()).unwrap());
            assert!(answer.status() == 200 && !answer.headers().contains_key("content-type"));
            let body: Value = serde_json::from_slice(answer.body()).unwrap();
            assert_eq!(body, json!({"access_token": "a", "token_type": "bearer", "expires_in": expected}));
        }
    }

    #[test]
    fn error_of_a_token_endpoint_has_a_status_and_a_code() {
        for (status, body, expected) in [
            (400_u16, r#"{"error":"invalid_scope"}"#, (400, "invalid_scope")),
            (200, r#"{"error":"bad_refresh_token"}"#, (400, "bad_refresh_token")),
            (400, r#"{"detail":"expired"}"#, (400, "invalid_request")),
            (401, "", (401, "invalid_request")),
            (403, "<html>", (403, "server_error")),
            (429, r#"{"error":"too_many"}"#, (429, "server_error")),
            (500, r#"{"error":"invalid_request"}"#, (500, "server_error")),
            (500, r#"{"error":"invalid_grant"}"#, (500, "invalid_grant")),
        ] {
            let answer = http::Response::builder().status(status).body(body.as_bytes().to_vec()).unwrap();
            let answer = readable(answer);
            let error: Value = serde_json::from_slice(answer.body()).unwrap();
            assert_eq!(
                (answer.status().as_u16(), error["error"].as_str().unwrap()),
                expected,
                "{status} {body}"
            );
        }
        let body = r#"{"error":"temporarily_unavailable","error_description":"maintenance"}"#;
        let answer = http::Response::builder().status(503).body(body.as_bytes().to_vec()).unwrap();
        let error: Value = serde_json::from_slice(readable(answer).body()).unwrap();
        assert_eq!(error["error_description"], "HTTP 503 Service Unavailable: maintenance");
    }
}
