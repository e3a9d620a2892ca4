//! Fetches a URL: request, redirects, body, and conversion to text.

use std::sync::Arc;

use agentwire_net::{excerpt, literal, tls_config};
use reqwest::header::{
    ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION, REFRESH, RETRY_AFTER,
};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::sync::Semaphore;

use crate::deadline::Deadline;
use crate::error::{BuildError, FetchError, UnusableHost};
use crate::html::{self, Format};
use crate::media::{ContentType, Kind};
use crate::{FetchOptions, charset, media, page, resolver};

/// An HTTP client with its limits.
#[derive(Debug)]
pub(crate) struct Fetcher {
    client: Client,
    options: Arc<FetchOptions>,
    at_once: Semaphore,
}

/// The requested part and format of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) format: Format,
    pub(crate) start: usize,
    pub(crate) length: usize,
}

impl Fetcher {
    pub(crate) fn new(options: FetchOptions) -> Result<Self, BuildError> {
        let options = Arc::new(options);
        let client = Client::builder()
            .user_agent(options.user_agent.as_str())
            .dns_resolver(Arc::new(resolver::Resolver { options: Arc::clone(&options) }))
            // A proxy would resolve names without the filter.
            .no_proxy()
            // Redirects are followed by `fetch`, which checks each address.
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(0)
            // It is divided among the addresses of a name, so that a dead one leaves time for the others.
            .connect_timeout(options.time_limit / 2)
            .tls_backend_preconfigured(tls_config())
            .build()
            .map_err(BuildError::Client)?;
        Ok(Self { client, options, at_once: Semaphore::new(AT_ONCE) })
    }

    /// Fetches a URL within the time limit, which includes the wait for other calls.
    pub(crate) async fn fetch(&self, url: &str, wanted: Wanted) -> Result<String, FetchError> {
        let limit = self.options.time_limit;
        let (_caller, deadline) = Deadline::after(limit);
        let mut late = FetchError::TimedOut(limit);
        let fetched =
            tokio::time::timeout(limit, Box::pin(self.follow(url, wanted, deadline, &mut late))).await;
        fetched.unwrap_or(Err(late))
    }

    /// Follows redirects. Replaces `late`, the error at the time limit, if it knows a better one.
    async fn follow(
        &self,
        asked: &str,
        wanted: Wanted,
        deadline: Deadline,
        late: &mut FetchError,
    ) -> Result<String, FetchError> {
        // The semaphore is never closed, so `acquire` can't fail.
        let _turn = self.at_once.acquire().await.ok();
        let mut url = Url::parse(asked).map_err(|_| FetchError::NotAUrl(asked.to_owned()))?;
        for redirects in 0..=self.options.max_redirects {
            let response = self.request(&url).await.map_err(|cause| match redirects {
                0 => cause,
                _ => FetchError::Redirected { from: asked.to_owned(), cause: Box::new(cause) },
            })?;
            match redirect(&response)? {
                Some(next) => url = next,
                None => return self.show(asked, response, wanted, deadline, late).await,
            }
        }
        Err(FetchError::Redirects(self.options.max_redirects))
    }

    async fn request(&self, url: &Url) -> Result<Response, FetchError> {
        self.check(url)?;
        Ok(self.client.get(url.clone()).header(ACCEPT, ACCEPTED).send().await?)
    }

    /// Checks a URL before a request; names are checked by the resolver.
    fn check(&self, url: &Url) -> Result<(), FetchError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchError::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Credentials);
        }
        // The URL parser normalizes all forms of an IPv4 address (`0x7f.1`, `2130706433`).
        let host = url.host_str().unwrap_or_default();
        match literal(host).filter(|address| !self.options.permits(*address)) {
            Some(address) => Err(FetchError::Host(UnusableHost::not_public(host, address))),
            None => Ok(()),
        }
    }

    async fn show(
        &self,
        asked: &str,
        response: Response,
        mut wanted: Wanted,
        deadline: Deadline,
        late: &mut FetchError,
    ) -> Result<String, FetchError> {
        let (status, url) = (response.status(), response.url().clone());
        if !status.is_success() {
            wanted.length = wanted.length.min(ERROR_CHARS);
            let retry_after = Some(header(response.headers(), &RETRY_AFTER)).filter(|time| !time.is_empty());
            let failed = |body| FetchError::Status {
                status,
                url: url.as_str().to_owned(),
                retry_after: retry_after.clone(),
                body,
            };
            // The body may never end.
            *late = failed(None);
            let read = self.read(response, wanted, deadline).await;
            return Err(failed(read.ok().map(|shown| shown.text).filter(|text| !text.is_empty())));
        }
        let refresh = html::refresh(&header(response.headers(), &REFRESH), &url);
        let shown = self.read(response, wanted, deadline).await?;
        let refresh = refresh.filter(|_| shown.text.is_empty());
        let refresh = refresh.map(|url| format!("the header `Refresh` redirects to `{url}`."));
        let note = shown.note.into_iter().chain(refresh).collect::<Vec<_>>().join(" ");
        let mut head = format!("URL: {url}");
        let was_redirected = Url::parse(asked).is_ok_and(|mut asked| {
            // A server does not get the fragment.
            asked.set_fragment(url.fragment());
            asked != url
        });
        if was_redirected {
            head.push_str(&format!(" (redirected from {asked})"));
        }
        // A header may have hundreds of kilobytes.
        let essence = excerpt(&shown.essence).into_owned();
        for (name, value) in [("Type", Some(essence)), ("Title", shown.title), ("Note", Some(note))] {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                head.push_str(&format!("\n{name}: {value}"));
            }
        }
        Ok(format!("{head}\n\n{}", shown.text))
    }

    /// Reads and converts the body on a thread for blocking work, because a large page takes a while.
    async fn read(
        &self,
        response: Response,
        wanted: Wanted,
        deadline: Deadline,
    ) -> Result<Shown, FetchError> {
        let (url, is_error) = (response.url().clone(), !response.status().is_success());
        let content = ContentType::parse(&header(response.headers(), &CONTENT_TYPE));
        let encoding = header(response.headers(), &CONTENT_ENCODING);
        if !matches!(encoding.to_ascii_lowercase().as_str(), "" | "identity") {
            return Err(FetchError::Encoding(encoding));
        }
        if content.kind() == Kind::Binary {
            return Err(FetchError::Binary(content.essence));
        }
        let body = read_body(response, self.options.max_bytes).await?;
        let (max_text, limit) = (self.options.max_bytes.saturating_mul(2), self.options.time_limit);
        let work = move || shown(&body, content, &url, wanted, is_error, max_text, deadline);
        match tokio::task::spawn_blocking(work).await {
            Ok(shown) => shown?.ok_or(FetchError::TimedOut(limit)),
            Err(_) => Err(FetchError::Unconverted),
        }
    }
}

/// Reads the body; `max_bytes` limits the decompressed size.
async fn read_body(mut response: Response, max_bytes: usize) -> Result<Vec<u8>, FetchError> {
    if response.content_length().is_some_and(|length| length > max_bytes as u64) {
        return Err(FetchError::TooLarge(max_bytes));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if chunk.len() > max_bytes - body.len() {
            return Err(FetchError::TooLarge(max_bytes));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Converts a body to text, HTML to at most about `max_text` bytes; returns `None` if the deadline is over.
fn shown(
    body: &[u8],
    content: ContentType,
    url: &Url,
    wanted: Wanted,
    is_error: bool,
    max_text: usize,
    deadline: Deadline,
) -> Result<Option<Shown>, FetchError> {
    let kind =
        Some(content.kind()).filter(|kind| *kind != Kind::Unknown).unwrap_or_else(|| media::sniff(body));
    if kind == Kind::Binary {
        return Err(FetchError::Binary("unknown".to_owned()));
    }
    let decoded = charset::decode(body, content.charset.as_deref(), kind == Kind::Html);
    let mut notes = Vec::new();
    notes.extend(
        decoded
            .unknown
            .map(|charset| format!("the charset `{}` is unknown; read as UTF-8.", excerpt(&charset))),
    );
    let (text, title) = if kind == Kind::Html {
        let is_xhtml = content.essence == "application/xhtml+xml";
        let page = if is_xhtml { html::escape_cdata(&decoded.text) } else { decoded.text };
        let Some(converted) = html::convert(&page, url, wanted.format, max_text, deadline) else {
            return Ok(None);
        };
        notes.extend(converted.cut.then(|| "the page was too long to be converted whole.".to_owned()));
        if converted.text.is_empty() {
            notes.push(match converted.refresh {
                Some(url) => {
                    format!("the page has no text; it may need scripts, and it redirects to `{url}`.")
                }
                None => "the page has no text; it may need scripts.".to_owned(),
            });
        }
        (converted.text, converted.title)
    } else {
        (decoded.text, None)
    };
    // An error page that is shorter than the page that was wanted is shown from its start.
    let start = if is_error && text.chars().nth(wanted.start).is_none() { 0 } else { wanted.start };
    let text = page::cut(&text, start, wanted.length);
    let note = (!notes.is_empty()).then(|| notes.join(" "));
    Ok(Some(Shown { text, title, note, essence: content.essence }))
}

/// A body as text, with its title and notes.
#[derive(Debug)]
struct Shown {
    text: String,
    title: Option<String>,
    note: Option<String>,
    essence: String,
}

/// Returns the target of a redirect.
fn redirect(response: &Response) -> Result<Option<Url>, FetchError> {
    let status = response.status();
    let moved = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    if !moved.contains(&status) || !response.headers().contains_key(LOCATION) {
        return Ok(None);
    }
    let location = header(response.headers(), &LOCATION);
    let next = response.url().join(&location).map_err(|_| FetchError::Location(location))?;
    match next.as_str().len() {
        0..=MAX_URL => Ok(Some(next)),
        length => Err(FetchError::LongLocation(length, MAX_URL)),
    }
}

fn header(headers: &HeaderMap, name: &HeaderName) -> String {
    headers
        .get(name)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
        .unwrap_or_default()
}

/// The maximum length of a URL that a site redirects to, in bytes; results and errors repeat the URL.
const MAX_URL: usize = 8_000;

/// The most calls that run concurrently.
const AT_ONCE: usize = 8;

/// The most characters of an error page in one part.
const ERROR_CHARS: usize = 2_000;

const ACCEPTED: &str =
    "text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.8";
