//! HTTP servers of this program: other pages in a browser can't reach them.

use std::net::{IpAddr, SocketAddr};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use tokio::net::TcpListener;

use crate::failure::{Failure, While as _};
use crate::signals::Signals;

/// Serves until a signal ends the program; `announce` gets the address.
pub(crate) async fn serve(
    address: SocketAddr,
    app: Router,
    announce: impl FnOnce(SocketAddr) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut signals = Signals::new()?;
    let listener = TcpListener::bind(address).await.while_doing(|| format!("listening on {address}"))?;
    announce(listener.local_addr()?)?;
    let app = app.layer(from_fn(refuse_other_pages));
    tokio::select! {
        served = async { axum::serve(listener, app).await } => Ok(served?),
        _ = signals.next() => Ok(()),
    }
}

/// Returns a token that can't be guessed.
pub(crate) fn token() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

async fn refuse_other_pages(request: Request, next: Next) -> Response {
    if is_allowed(request.headers()) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "the Host or Origin is not allowed\n").into_response()
    }
}

/// Returns whether the request names this server by its IP address or as `localhost`, and comes from no page of another
/// server. A page that makes its own name point to this address (DNS rebinding) sends that name.
fn is_allowed(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let Some(host) = text(header::HOST) else { return false };
    let name = host.parse::<SocketAddr>().map(|address| address.ip().to_string());
    let name = name.unwrap_or_else(|_| host.split(':').next().unwrap_or_default().to_owned());
    let is_own = name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok();
    is_own && text(header::ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::is_allowed;

    #[test]
    fn pages_of_other_servers_are_refused() {
        let allowed = |host: Option<&'static str>, origin: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            let pairs = [(header::HOST, host), (header::ORIGIN, origin)];
            headers.extend(
                pairs.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_static(value?)))),
            );
            is_allowed(&headers)
        };
        for host in ["127.0.0.1:80", "127.0.0.1", "[::1]:80", "localhost:80", "LOCALHOST"] {
            assert!(allowed(Some(host), None), "{host}");
        }
        assert!(allowed(Some("localhost:80"), Some("http://localhost:80")));
        for (host, origin) in [
            (None, None),
            (Some("example.org"), None),
            (Some("127.0.0.1.example.org:80"), None),
            (Some("127.0.0.1:80"), Some("http://example.org")),
            (Some("127.0.0.1:80"), Some("http://127.0.0.1:81")),
            (Some("127.0.0.1:80"), Some("null")),
        ] {
            assert!(!allowed(host, origin), "{host:?} {origin:?}");
        }
    }
}
